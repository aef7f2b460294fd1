#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Multicast groups of the verbs device, with rxe as the sender.
#
# usage: verbs_mcast.sh [ROW]...
set -eu

. "$(dirname "$0")/../lib/net.sh"
. "$(dirname "$0")/../lib/serve.sh"
. "$(dirname "$0")/../lib/verbs.sh"

needs_verbs
net_up
rxe_up
verbs_up
programs verbs_mcast_test -- "$@"
