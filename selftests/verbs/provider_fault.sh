#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Operations on a device with xroce's own provider ("make provider") while allocations fail: those
# of verbs_fault.sh, and what only this provider has.
#
# usage: provider_fault.sh [ROW]...
set -eu

. "$(dirname "$0")/../lib/verbs.sh"

own_provider
# Not verbs_fault_link, which makes a device of its own.
[ $# -gt 0 ] || set -- verbs_fault_make verbs_fault_change verbs_fault_destroy provider_fault
verbs_net_up
programs verbs_fault_test provider_fault_test -- "$@"
