#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Requests from several CPUs, each of which has a queue of the device, while one queue is slow.
#
# usage: verbs_order.sh [ROW]...
set -eu

. "$(dirname "$0")/../lib/verbs.sh"

needs_verbs
net_up
ethtool -L c0 rx 2
rxe_up
verbs_up
# Each queue of the receiver has a thread then.
echo 1 >/sys/class/net/c0/threaded
programs verbs_order_test -- "$@"
