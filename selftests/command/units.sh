#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The units pass systemd's checks, and match the command and the example. Needs no module.
set -eu

. "$(dirname "$0")/../lib/tap.sh"
from=$top/user/systemd
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The units as installed, with the command and the scripts of the tree.
installed() {
	local file name

	ln -s "$(realpath "$top/build/user/xroce")" "$work/xroce"
	for file in "$from"/xroce-*; do
		name=${file##*/}
		sed "s,@SBIN@,$work," "$file" >"$work/${name%.in}"
	done
	for file in "$top"/examples/storage/*.service; do
		sed "s,/usr/local/sbin/,$top/examples/storage/," "$file" >"$work/${file##*/}"
	done
	! grep -l @SBIN@ "$work"/xroce-*
}

accepted() {
	local unit status=0

	for unit in xroce-link@x0.service xroce-serve@x0.service xroce-serve@x0.socket \
		nvme-target@x0.service nvme-host@x0.service rxe@x0.service; do
		systemd-analyze verify --man=no "$work/$unit" >"$work/said" 2>&1 &&
			! grep -F "$work" "$work/said" >/dev/null || {
			sed "s/^/# $unit: /" "$work/said"
			status=1
		}
	done
	return $status
}

# The check detects mistakes.
mistaken() {
	mkdir "$work/wrong"
	sed 's/^ProtectHome=yes/ProtectHome=perhaps/' "$work/xroce-serve@.service" \
		>"$work/wrong/xroce-serve@.service"
	! systemd-analyze verify --man=no "$work/wrong/xroce-serve@x0.service" \
		>"$work/said" 2>&1 || grep -q 'perhaps' "$work/said"
}

# The command accepts the words of the example, and fails only because there is no such
# device; with one word too many it is a usage error.
example() {
	local SERVE='' status=0

	. "$from/serve.conf"
	# shellcheck disable=SC2086 # words
	"$work/xroce" serve --netdev nosuchdev $SERVE >"$work/said" 2>&1 || status=$?
	[ $status = 1 ] && grep -q 'nosuchdev' "$work/said" || {
		echo "# $status: $(cat "$work/said")"
		return 1
	}
	status=0
	# shellcheck disable=SC2086
	"$work/xroce" serve --netdev nosuchdev $SERVE odd >"$work/said" 2>&1 || status=$?
	[ $status = 2 ]
}

# conf LINE...: print the status of "link add" with these settings, for a missing device
conf() {
	local status=0

	[ $# = 0 ] || printf '%s\n' "$@" >"$work/link.conf"
	"$work/xroce" link add nosuchdev conf "$work/link.conf" >"$work/said" 2>&1 || status=$?
	echo $status
}

# conf_fails STATUS LINE PATTERN TEXT...: these settings are refused, with that line number
conf_fails() {
	local status=$1 line=$2 pattern=$3

	shift 3
	[ "$(conf "$@")" = "$status" ] &&
		grep -qE "^xroce: $work/link.conf:$line: $pattern" "$work/said" || {
		echo "# $*: $(cat "$work/said")"
		return 1
	}
}

# The example is accepted with all its settings; wrong ones are refused with the line
# number.
link_conf() {
	: >"$work/batch"
	sed -E -e 's/^#(batch|verbs|paths|cc|moderation)/\1/' -e "s|^batch .*|batch $work/batch|" \
		"$from/link.conf" >"$work/link.conf"
	grep -qxF "batch $work/batch" "$work/link.conf" || return 1
	[ "$(conf)" = 1 ] && grep -q 'dev nosuchdev: no such network device' "$work/said" || {
		cat "$work/said"
		return 1
	}
	conf_fails 2 2 'nonsense: no such argument' 'mpt 64' 'nonsense 1' &&
		conf_fails 2 1 'mode "x": must be native' 'mode x' &&
		conf_fails 2 3 'mpt: given twice' 'mpt 64' '# none' 'mpt 32' &&
		conf_fails 2 1 'qp "many": must be' 'qp many' &&
		conf_fails 2 2 'paths "17": must be a number from 1 to 16' 'qp 64' 'paths 17' &&
		conf_fails 2 2 'paths: given twice' 'paths 2' 'paths 2' &&
		conf_fails 2 1 'cc "a:b": must be 1 to 15 letters' 'cc a:b' &&
		conf_fails 2 2 'cc: given twice' 'cc none' 'cc none' &&
		conf_fails 2 1 'moderation "1/9": must be auto, off, or COUNT/USEC from 2/1' 'moderation 1/9' &&
		conf_fails 2 2 'moderation: given twice' 'moderation off' 'moderation 2/1' &&
		conf_fails 2 1 'verbs "a%d": must be 1 to 63 letters' 'verbs a%d' &&
		conf_fails 2 2 'verbs: given twice' 'verbs a' 'verbs b' &&
		conf_fails 2 1 'batch: a value must follow' 'batch' &&
		conf_fails 1 2 "batch $work/none: No such file" 'qp 64' "batch $work/none" &&
		conf_fails 2 1 'link limit: no limit is given' 'limit user' &&
		conf_fails 2 1 'dev: no such argument' 'limit dev x0 qp 1' &&
		conf_fails 2 1 'show: no such argument' 'limit show' &&
		conf_fails 2 1 'link: no such argument' 'link del dev x0' || return 1
	rm "$work/link.conf"
	[ "$(conf)" = 1 ] && grep -q 'link.conf: No such file' "$work/said" || return 1
	! "$work/xroce" link add nosuchdev conf "$work/link.conf" optional >"$work/said" 2>&1 &&
		grep -q 'dev nosuchdev: no such network device' "$work/said"
}

# "make install-user" installs the examples that pages of the manual and of doc/ name.
examples_installed() {
	local file status=0 seen=0

	env -u MAKEFLAGS make -s -C "$top" install-user DESTDIR="$work/root" >"$work/said" 2>&1 ||
		{ tail -n 5 "$work/said" | sed 's/^/# /'; return 1; }
	for file in $(cd "$top" && grep -hoE '\b(examples/)?(grafana|prometheus|storage|manual)/[-a-z@_]+\.\w+|examples/[a-z_]+\.c' \
			doc/*.md doc/man/*.rst | sed 's,^examples/,,' | sort -u); do
		[ -e "$top/examples/$file" ] || continue
		seen=$((seen + 1))
		[ -e "$work/root/usr/local/share/doc/xroce/examples/$file" ] ||
			{ echo "# not installed: $file"; status=1; }
	done
	[ -x "$work/root/usr/local/share/doc/xroce/examples/storage/nvme-host" ] || status=1
	[ $seen -ge 6 ] && return $status
}

uninstall_leaves() {
	env -u MAKEFLAGS make -s -C "$top" uninstall DESTDIR="$work/root" >"$work/said" 2>&1 || return
	! find "$work/root" ! -type d -o -path '*/share/doc/*' | sed 's/^/# left: /' | grep .
}

run units_installed U6 installed
run units_link_conf 'U1 U6' link_conf
run units_example 'U1 U6' example
run units_examples_installed 'U3 U6' examples_installed
run units_uninstall_leaves 'U6' uninstall_leaves
if command -v systemd-analyze >/dev/null; then
	run units_accepted U6 accepted
	run units_mistaken U6 mistaken
else
	result 0 units_accepted '# SKIP no systemd-analyze'
fi
results
