#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The part of mutate.sh that runs in the virtual machine.
#
# usage: mutate-guest.sh reach WORK SET [PROGRAM]...   which checks refuse something in each row
#        mutate-guest.sh run WORK SET                  WORK/plan: a line a check: its number,
#                                                      PROGRAM/ROW:MILLISECONDS...
#
# SET is what programs share: "link", the link of one_link.c; a script that calls programs() or
# programs_by(), and its programs; or "alone", nothing. What sets that up starts this script again:
#
#        mutate-guest.sh with PROGRAM...
set -eu

here=$(realpath "$(dirname "$0")")
top=${here%/selftests/*}
parameter=/sys/module/xr_mutant/parameters/mutant
hits=/sys/kernel/debug/xr_mutant_hit
log=/run/mutate.log

# program NAME [ROW]...
program() {
	local name=$1

	shift
	case $name in
	*.sh)	name=$(echo "$top"/selftests/*/"$name") ;;
	*)	name=$top/build/selftests/$name ;;
	esac
	"$name" "$@"
}

# Names of the rows of a program. A script that no set is made of is one row, all of it.
rows() {
	case $1 in
	kverbs.sh)	awk '/^for name in / { on = 1 } on { print } /; do$/ { on = 0 }' \
				"$top/selftests/ulp/$1" |
				sed 's/^for name in//; s/; do$//; s/\\$//' |
				xargs -n 1 printf 'kverbs_%s\n' ;;
	*.sh)		echo all ;;
	*)		program "$1" -l | sed 's/ .*//' ;;
	esac
}

# row_passes SECONDS PROGRAM ROW
row_passes() {
	local row=$3 status=0

	: >$log
	touch /run/mutate.alive
	[ "$row" != all ] || row=''
	# shellcheck disable=SC2086 # a name without blanks, or none
	timeout -k 5 "$1" "$here/mutate-guest.sh" row "$2" $row >"$log" 2>&1 </dev/null || status=$?
	[ $status = 0 ] || [ $status = 4 ] || return 1
	! grep -q '^not ok' "$log"
}

complains() {
	dmesg >/run/mutate.dmesg
	dmesg -C
	"$top/selftests/vm/vm-complaints.sh" /run/mutate.dmesg >/run/mutate.complaints
}

reach() { # SET PROGRAM...
	local set=$1 name row began

	shift
	for name; do
		# shellcheck disable=SC2013 # names without blanks
		for row in $(rows "$name"); do
			[[ $name/$row = "${XROCE_MUTATE_ONLY:-}"* ]] || continue
			echo 0 >$parameter	# forgets what was noted
			began=${EPOCHREALTIME/./}
			row_passes 300 "$name" "$row" || {
				echo "$name $row fails without any change:" >&2
				tail -n 5 "$log" >&2
				continue
			}
			echo "$name/$row $(((${EPOCHREALTIME/./} - began) / 1000))" \
				"$(od -An -v -t u1 -w1 "$hits" | awk '$1 { print NR - 1 }' | xargs)"
		done >>"$work/reach/$set"
	done
}

# With what a broken module has left behind, the next row may fail for no reason of its own: then
# the machine ends, and mutate.sh starts another one.
run() {
	local number rows row limit result

	complains || :
	while read -r number rows; do
		echo "$number" >"$work/trying"
		result=survived
		for row in $rows; do
			# Its milliseconds are behind the last colon.
			limit=$((6 + ${row##*:} / 125))
			row=${row%:*}
			echo "$number" >"$parameter"
			row_passes $limit "${row%%/*}" "${row#*/}" || result="noticed $row"
			echo 0 >"$parameter"
			[ "$result" = survived ] || break
		done
		! complains || [ "$result" != survived ] || result="noticed kernel log, $row"
		printf '%s\t%s\n' "$number" "$result" >>"$work/results.set"
		[ "$result" = survived ] || row_passes $((2 * limit)) "${row%%/*}" "${row#*/}" ||
			row_passes $((2 * limit)) "${row%%/*}" "${row#*/}" || break
	done <"$work/plan"
	rm -f "$work/trying"
}

# Without a sign of life for minutes, which a broken module may cause, the machine ends.
watch() {
	while sleep 10; do
		[ $(($(date +%s) - $(stat -c %Y /run/mutate.alive))) -lt 400 ] ||
			echo b >/proc/sysrq-trigger
	done
}

# Start "mutate-guest.sh with PROGRAM..." with what these programs share.
set_up() { # PROGRAM...
	case $MUTATE_SET in
	link)	"$top/build/selftests/one_link" "$here/mutate-guest.sh" with "$@" ;;
	*.sh)	XROCE_PROGRAMS_BY=$here/mutate-guest.sh program "$MUTATE_SET" ;;
	alone)	"$here/mutate-guest.sh" with "$@" ;;
	esac
}

case $1 in
with)
	unset XROCE_PROGRAMS_BY
	shift
	work=$MUTATE_WORK
	case $MUTATE_WHAT in
	reach)	reach "$MUTATE_SET" "$@" ;;
	run)	run ;;
	esac
	exit ;;
row)
	shift
	program "$@"
	exit ;;
esac

export MUTATE_WHAT=$1 MUTATE_WORK=$2 MUTATE_SET=$3
mountpoint -q /sys/kernel/debug || mount -t debugfs none /sys/kernel/debug
sysctl -q -w kernel.softlockup_panic=1 kernel.panic_on_oops=1 2>/dev/null || :
touch /run/mutate.alive
watch &
insmod "$MUTATE_WORK/kmod/xr_mutant.ko"
set_up "${@:4}"
kill $!
