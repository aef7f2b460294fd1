#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Programs of the verbs device that lie in their rings, with rxe as their peer.
#
# usage: verbs_rings.sh [ROW]...
set -eu

. "$(dirname "$0")/../lib/verbs.sh"

verbs_net_up
programs verbs_rings_test verbs_fixed_test -- "$@"
