#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Multicast groups of the verbs device, with rxe as the sender.
#
# usage: verbs_mcast.sh [ROW]...
set -eu

. "$(dirname "$0")/../lib/verbs.sh"

verbs_net_up
programs verbs_mcast_test -- "$@"
