#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Several queue pairs, and the server's own CPU, at the same memory at once.
set -eu

. "$(dirname "$0")/../lib/net.sh"

net_up
rxe_up
module_up
"$top/build/selftests/concurrent_test" "$@"
