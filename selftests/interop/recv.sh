#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# rxe sends, xroce receives: queues, completions, events.
set -eu

. "$(dirname "$0")/../lib/net.sh"

net_up
rxe_up
module_up
programs recv_test recv_queue_test recv_unreliable_test -- "$@"
