#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# rxe as the client, xroce as the server, every byte compared.
set -eu

. "$(dirname "$0")/net.sh"

trap 'status=$?; module_down || status=1; rxe_down; net_down; exit $status' EXIT
net_up
rxe_up
module_up
"$net_here/../build/selftests/rxe_write_test" "$@"
