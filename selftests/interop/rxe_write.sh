#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# rxe as the client, xroce as the server: WRITEs and READs with every byte compared, and
# refusals.
set -eu

. "$(dirname "$0")/../lib/net.sh"

net_up
rxe_up
module_up
programs rxe_write_test rxe_refuse_test -- "$@"
