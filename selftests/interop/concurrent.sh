#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Several queue pairs and a thread of the server access the same memory at the same time.
set -eu

. "$(dirname "$0")/../lib/net.sh"

net_up
rxe_up
module_up
"$top/build/selftests/concurrent_test" "$@"
