#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Random requests compared with a model, on a clean link and on impaired ones.
set -eu

. "$(dirname "$0")/../lib/net.sh"
. "$(dirname "$0")/../lib/impair.sh"

net_up
rxe_up
module_up
impair_up
"$top/build/selftests/shadow_test" "$@"
