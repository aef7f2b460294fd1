#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Multicast groups of the verbs device, with rxe as the sender.
#
# usage: verbs_mcast.sh [ROW]...
set -eu

. "$(dirname "$0")/../lib/verbs.sh"

needs_verbs
net_up
# The program must know of VLANs when the link is made.
in_xr ip link add link x0 name x0.6 type vlan id 6
in_xr ip link set x0.6 up
rxe_up
verbs_up
programs verbs_mcast_test -- "$@"
