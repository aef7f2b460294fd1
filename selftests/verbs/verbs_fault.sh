#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Operations on the verbs device while allocations fail.
#
# usage: verbs_fault.sh [ROW]...
set -eu

. "$(dirname "$0")/../lib/net.sh"
. "$(dirname "$0")/../lib/serve.sh"
. "$(dirname "$0")/../lib/verbs.sh"

needs_verbs
net_up
rxe_up
verbs_up
programs verbs_fault_test verbs_fault_send_test -- "$@"
