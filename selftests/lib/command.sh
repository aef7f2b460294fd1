# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Functions for tests of the command xroce(8). Source it after net.sh. A test is a
# function; the script runs each with a line that begins with "run ". With arguments, a
# script runs only tests whose name has one of them.

xroce=$top/build/user/xroce
work=$(mktemp -d /dev/shm/cli-XXXXXX)
subject=$(basename "$0" .sh)
rows=("$@")

xr() { in_xr "$xroce" "$@"; }

# holds EXPRESSION NAME[=FILE]...: evaluate an expression of Python, in which NAME is the
# content of a JSON file, $work/NAME if none is named. Not of jq, whose numbers have 53 bits on
# Debian 12: addresses and keys of counters have 64.
holds() {
	python3 -SI - "$work" "$@" <<-'END' || not_so "$1"
	import json, os, sys
	names = dict((a.split("=") + [f"{sys.argv[1]}/{a}"])[:2] for a in sys.argv[3:])
	values = {n: json.load(open(f)) for n, f in names.items()}
	if not eval("(" + sys.argv[2] + ")", {"os": os, **values}):
	    for n, v in values.items():
	        print("#", n, "is", json.dumps(v))
	    sys.exit(1)
	END
}

# shows EXPRESSION NOUN WORD...: holds() of what the command prints as JSON, named as the noun
shows() {
	local expression=$1

	shift
	xr -j "$@" >"$work/$1"
	holds "$expression" "$1"
}

# fails STATUS PATTERN WORD...: the command exits with this status, prints an error that
# matches, and prints no output
fails() {
	local want=$1 pattern=$2 status=0

	shift 2
	xr "$@" >"$work/out" 2>"$work/err" || status=$?
	[ "$status" = "$want" ] || not_so "exit status $want: $status: xroce $*"
	grep -qE -e "$pattern" "$work/err" ||
		not_so "'$pattern' in '$(cat "$work/err")': xroce $*"
	[ ! -s "$work/out" ] || not_so "no output: xroce $*"
}

# makes NAME WORD...: run the command and print the value after NAME in its output
makes() {
	local name=$1

	shift
	xr "$@" | sed -nE "s/(^|.* )$name ([^ ]+).*/\2/p"
}

# with_a_pd FUNCTION: call it with a protection domain
with_a_pd() {
	local pd

	pd=$(makes pd pd add)
	"$1" "$pd"
	xr pd del pd "$pd"
}

# send_write CLIENT SERVER CLIENT-IP SERVER-IP QPN RKEY: an RDMA WRITE of "xxxxxxxx" to
# 0x1000 with its invariant CRC, from one device to the other
send_write() {
	python3 -SI - "$@" "$(in_xr ip -o link show "$2" |
		sed -E 's/.* link\/ether ([^ ]+).*/\1/')" <<-'END'
	import socket, struct, sys, zlib
	dev, _, client, server, qpn, rkey, mac = sys.argv[1:]
	mac = bytes.fromhex(mac.replace(":", ""))
	bth = struct.pack(">BBHII", 10, 0x40, 0xffff, int(qpn, 16), 0x80000000)
	body = bth + struct.pack(">QII", 0x1000, int(rkey, 16), 8) + b"x" * 8
	udp = struct.pack(">HHHH", 49152, 4791, 8 + len(body) + 4, 0)
	ip = struct.pack(">BBHHHBBH", 0x45, 0, 28 + len(body) + 4, 0, 0x4000, 64, 17, 0)
	ip += socket.inet_aton(client) + socket.inet_aton(server)
	s = sum(struct.unpack(">10H", ip))
	ip = ip[:10] + struct.pack(">H", ~(s % 0xffff) & 0xffff) + ip[12:]
	f = b"\xff"
	masked = (f * 8 + ip[:1] + f + ip[2:8] + f + ip[9:10] + f * 2 + ip[12:] +
	          udp[:6] + f * 2 + body[:4] + f + body[5:])
	crc = struct.pack("<I", zlib.crc32(masked))
	s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
	s.bind((dev, 0))
	s.send(mac + s.getsockname()[4] + b"\x08\x00" + ip + udp + body + crc)
	END
}

clean_up() {
	local status=$?

	[ ! -e /sys/fs/bpf/xroce/x0 ] || xr link del dev x0 force || status=1
	module_down || status=1
	net_down || status=1
	rm -rf "$work"
	exit $status
}

# From here on use a copy of the command, with its BPF object beside it, that any user may
# run: the checkout may be in a directory that only root can enter.
for_any_user() {
	local built=$top/build

	chmod 711 "$work"
	install -d -m 755 "$work/user" "$work/bpf"
	install -m 755 -t "$work/user" "$built/user/xroce"
	install -m 644 -t "$work/bpf" "$built/bpf/xroce.bpf.o" ${XROCE_BPF_OBJECT:+"$XROCE_BPF_OBJECT"}
	[ -z "${XROCE_BPF_OBJECT:-}" ] || export XROCE_BPF_OBJECT=$work/bpf/${XROCE_BPF_OBJECT##*/}
	xroce=$work/user/xroce
}

# Replace the link, so that leftovers of a failed test do not fail the next test.
start_anew() {
	xr link del dev x0 force
	xr link add dev x0 mpt 64 qp 16 >"$work/made"
}

# skip WHY: end a test that cannot run here
skip() {
	echo "$*" >"$work/skip"
	exit 4
}

# run NAME IDS [COMMAND...]: run a test, the function NAME or the command; x0 has a link
run() {
	local name=$1 ids=$2 status skipped=

	wanted "$name" || return 0
	shift 2
	rm -f "$work/skip"
	set +e
	(set -e; "${@:-$name}")
	status=$?
	set -e
	if [ $status = 4 ] && [ -e "$work/skip" ]; then
		status=0
		skipped=" # SKIP $(cat "$work/skip")"
	fi
	result $status "${subject}_$name" "$ids$skipped"
	[ $status = 0 ] || start_anew
}

# Print how many tests will run.
command_plan() {
	local name planned=0

	# shellcheck disable=SC2013 # names without blanks
	for name in $(sed -nE 's/^run ([a-z][^ ]*) .*/\1/p' "$0"); do
		! wanted "$name" || planned=$((planned + 1))
	done
	echo "1..$planned"
}

# Set up namespaces, module and a link, and print the plan.
command_up() {
	echo 'TAP version 13'
	command_plan
	trap clean_up EXIT
	net_up
	module_up
	xr link add dev x0 mpt 64 qp 16 >"$work/made"
}

# Whether all tests have passed.
command_passed() { [ $failed = 0 ]; }
