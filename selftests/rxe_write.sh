#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# rxe as the client, xroce as the server, every byte compared: WRITE and READ.
set -eu

. "$(dirname "$0")/net.sh"

net_up
rxe_up
module_up
"$net_here/../build/selftests/rxe_write_test" "$@"
