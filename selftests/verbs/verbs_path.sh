#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The network around connections of two devices of xroce changes.
#
# usage: verbs_path.sh [ROW]...
set -eu

. "$(dirname "$0")/../lib/verbs_pair.sh"

needs_verbs
net_up
module_up
verbs_module_up
pair_up direct
export PATH=$top/build/user:$PATH
for way in "${enter_xr[*]}" "${enter_yr[*]}"; do
	# The device of each end announces an Ethernet address that is new.
	$way sysctl -q -w net.ipv4.conf.all.arp_notify=1 net.ipv6.conf.all.ndisc_notify=1
done
programs verbs_path_test -- "$@"
