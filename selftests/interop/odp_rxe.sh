#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# rxe sends to, writes, reads and changes on-demand memory.
set -eu

. "$(dirname "$0")/../lib/net.sh"

net_up
rxe_up
module_up
"$top/build/selftests/odp_rxe_test" "$@"
