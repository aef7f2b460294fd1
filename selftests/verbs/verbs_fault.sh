#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Operations on the verbs device while allocations fail.
#
# usage: verbs_fault.sh [ROW]...
set -eu

. "$(dirname "$0")/../lib/verbs.sh"

verbs_net_up
programs verbs_fault_test verbs_fault_send_test -- "$@"
