#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Another size for a shared receive queue, with rxe as its peer.
#
# usage: verbs_srq.sh [ROW]...
set -eu

. "$(dirname "$0")/../lib/verbs.sh"

verbs_net_up
programs verbs_srq_test -- "$@"
