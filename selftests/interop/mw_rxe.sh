#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# rxe reads and writes through memory windows of xroce.
set -eu

. "$(dirname "$0")/../lib/net.sh"

net_up
rxe_up
module_up
"$top/build/selftests/mw_rxe_test" "$@"
