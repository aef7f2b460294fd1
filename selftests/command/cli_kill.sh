#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# xroce link add, reload and del, killed before each of their steps. Afterwards del removes
# what is left, add makes a link in its place, and a link that serves goes on. Each test is
# a function; TAP.
#
# "make check" kills add and del before every second step, "make check-long" before each. Most steps
# are alike: they pin and remove one object after the other.
set -eu

. "$(dirname "$0")/../lib/net.sh"
. "$(dirname "$0")/../lib/command.sh"

add=(link add dev x0 mpt 64 qp 16)
stride=2
! is_long || stride=1
no_packets

# killed N WORD...: succeeds if the command was killed before its Nth step, fails if it
# succeeded in fewer steps; exits if the command failed
killed() {
	local n=$1 status=0

	shift
	in_xr "$top/build/selftests/killed_at" "$n" "$xroce" "$@" \
		>"$work/out" 2>"$work/err" || status=$?
	case $status in
	0) return 0 ;;
	3) return 1 ;;
	esac
	not_so "step $n of xroce $*: $(cat "$work/err")"
	exit 1
}

nothing_is_left() {
	[ ! -e /sys/fs/bpf/xroce/x0 ] ||
		not_so "$1: pins: $(ls /sys/fs/bpf/xroce/x0)"
	! in_xr ip -d link show x0 | grep -q prog/xdp ||
		not_so "$1: a program is attached"
	xr link show >"$work/link"
	[ ! -s "$work/link" ] || not_so "$1: $(cat "$work/link")"
}

# del may fail only if nothing is left.
del_mends() {
	local left=

	[ ! -e /sys/fs/bpf/xroce/x0 ] || left=pins
	! xr link show dev x0 >"$work/out" 2>&1 || left+=link
	if xr link del dev x0 2>"$work/err"; then
		[ "$left" ] || not_so "$1: nothing was left"
	else
		[ ! "$left" ] || not_so "$1: $left: $(cat "$work/err")"
		grep -q 'it has no link' "$work/err"
	fi
	nothing_is_left "$1, del"
}

# add makes a link that has its program and all pins.
add_mends() {
	xr "${add[@]}" >"$work/made" 2>"$work/err" ||
		not_so "$1: $(cat "$work/err")"
	xr -d link show dev x0 | grep -q 'prog_name xroce .*pins .*/x0$' ||
		not_so "$1: $(xr link show)"
	[ "$(cd /sys/fs/bpf/xroce/x0; echo *)" = \
		"drop_lease drops events link mpt mr_stat netdev prog qp rd stat" ] ||
		not_so "$1: pins: $(ls /sys/fs/bpf/xroce/x0)"
}

add_is_killed() {
	local n=1 round=0

	xr link del dev x0
	while killed $n "${add[@]}"; do
		if [ $(((round += 1) % 2)) = 0 ]; then
			add_mends "add, step $n"
			xr link del dev x0
		else
			del_mends "add, step $n"
		fi
		n=$((n + stride))
	done
	echo "# add has less than $n steps"
	# The link, the program, eleven pins and their directory.
	[ $n -gt 12 ] || not_so "add has so many steps"
}

del_is_killed() {
	local n=1 round=0

	while killed $n link del dev x0; do
		# As long as the module has the link, everything else is still there.
		if xr link show dev x0 >"$work/out" 2>&1; then
			fails 1 'it already has a link$' "${add[@]}"
		else
			[ $(((round += 1) % 2)) = 0 ] || del_mends "del, step $n"
			add_mends "del, step $n"
		fi
		n=$((n + stride))
	done
	echo "# del has less than $n steps"
	# The link, the program, eleven pins and their directory.
	[ $n -gt 11 ] || not_so "del has so many steps"
	nothing_is_left del
	xr "${add[@]}" >"$work/made"
}

program_on() { in_xr ip -d link show x0 | sed -nE 's/.*prog\/xdp id ([0-9]+).*/\1/p'; }

# The link serves with either the old or the new program, and can be reloaded or deleted.
reload_is_killed() {
	local n=1 was is changed=0

	was=$(program_on)
	while killed $n link reload dev x0; do
		is=$(program_on)
		[ "$is" ] || not_so "reload, step $n: a program is attached"
		[ "$is" = "$was" ] || changed=$((changed + 1))
		xr -d link show dev x0 | grep -q " prog $is .*pins .*/x0$" ||
			not_so "reload, step $n: $(xr link show)"
		if [ $((n % 2)) = 0 ]; then
			xr link del dev x0
			nothing_is_left "reload, step $n, del"
			add_mends "reload, step $n"
		else
			xr link reload dev x0 >"$work/made"
			[ "$(cd /sys/fs/bpf/xroce/x0; echo *)" = \
				"drop_lease drops events link mpt mr_stat netdev prog qp rd stat" ] ||
				not_so "step $n: $(ls /sys/fs/bpf/xroce/x0)"
			[ "$(program_on)" != "$is" ] || not_so "step $n: it is reloaded"
		fi
		was=$(program_on)
		n=$((n + 1))
	done
	echo "# reload has $((n - 1)) steps, $changed behind the exchange"
	# A new pin, the module, the device, and renaming the pin.
	[ $n -gt 4 ] || not_so "reload has so many steps"
	[ $changed -gt 0 ] || not_so "it was killed behind the exchange"
}

# The pins of a link were removed; the link itself is still in the module.
pins_removed() {
	rm -r /sys/fs/bpf/xroce/x0
	fails 1 "but no program; 'xroce link del' deletes the link" "${add[@]}"
	fails 1 "no program, or its pins are missing; 'xroce link del' and" link reload dev x0
	del_mends 'pins removed'
	xr "${add[@]}" >"$work/made"
}

# A device of that name in another network namespace does not affect the link.
serving_stays() {
	local id

	id=$(makes bpf_link link show dev x0)
	ip link add x0 type dummy
	! "$xroce" link add dev x0 >"$work/out" 2>"$work/err" ||
		not_so "add takes the name"
	grep -q "x0 belongs to another device's link" "$work/err" ||
		not_so "add: $(cat "$work/err")"
	! "$xroce" link del dev x0 >"$work/out" 2>"$work/err" ||
		not_so "del takes it away"
	grep -q 'it has no link' "$work/err" || not_so "del: $(cat "$work/err")"
	ip link del x0
	[ "$(makes bpf_link link show dev x0)" = "$id" ] ||
		not_so "it is as it was: $(xr link show)"
}

# Remains of a link hold the module until they are removed. Before step six there are none.
module_goes() {
	local n=6

	xr link del dev x0
	until [ -e /sys/fs/bpf/xroce/x0/link ]; do
		killed $n "${add[@]}" || not_so "add is killed at step $n"
		n=$((n + 1))
	done
	! rmmod xroce 2>"$work/err" || not_so "what is left keeps the module"
	xr link del dev x0
	nothing_is_left "step $n"
	module_down
	module_up
	packets
	add_mends "step $n, with the program itself"
}

command_up

run add_is_killed 'U1 D1'
run del_is_killed 'U1 D1'
run reload_is_killed 'U1 D1'
run pins_removed 'U1 D1'
run serving_stays 'U1 D1'
run module_goes 'U1 D1'
command_passed
