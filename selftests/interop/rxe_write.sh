#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# rxe as the client, xroce as the server, every byte compared: WRITE and READ, and
# what is refused.
set -eu

. "$(dirname "$0")/../lib/net.sh"

net_up
rxe_up
module_up
programs rxe_write_test rxe_refuse_test -- "$@"
