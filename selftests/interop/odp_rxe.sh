#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# rxe uses on-demand memory: SEND, WRITE, READ and atomics.
set -eu

. "$(dirname "$0")/../lib/net.sh"

net_up
rxe_up
module_up
"$top/build/selftests/odp_rxe_test" "$@"
