# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Tests of perftest between two verbs devices, at least one of them of xroce. Source it after
# verbs.sh, which runs the programs. A test checks the rows that perftest prints, and counters.

work_up

# Of each end: the namespace and the netdev of its link; empty for rxe, which has no counters.
client_link=()
server_link=(xr x0)
[ "$server_dev" != rxe0 ] || server_link=()

# Counters of requests that were executed, of requests that were sent, and those that must not
# move. An RNR NAK (nak_rnr) only says that the server, on a busy machine, was slow to post
# receives.
moves='write_bytes send_bytes read read_bytes atomic'
asks='req_tx req_rx req_rx_bytes'
zeros='nak_inv nak_acc nak_op drop_length drop_checksum drop_icrc drop_addr
	drop_error drop_state drop_response drop_recv drop_qkey'

# ends_counted COUNTER...: the server's values and the client's, in two lines
ends_counted() {
	if [ ${#server_link[@]} = 0 ]; then
		echo
	else
		stats_in "${server_link[@]}" "$@"
	fi
	if [ ${#client_link[@]} = 0 ]; then
		echo
	else
		stats_in "${client_link[@]}" "$@"
	fi
}

explain() {
	both_ends_said "$work"
	# shellcheck disable=SC2086 # names without blanks
	echo "#" $moves $asks $zeros "$perf_losses: of the server, of the client"
	# shellcheck disable=SC2086
	ends_counted $moves $asks $zeros $perf_losses | sed 's/^/# /'
	dmesg | tail -n 20 | sed 's/^/# /'
}

# sizes WORD...: the sizes of messages that perftest takes for these words, in bytes
sizes() {
	local size=65536 kind=RC mtu=1024 all=

	[[ $program != ib_atomic_* ]] || { echo 8; return; }
	[[ $program != *_lat ]] || size=2
	while [ $# -gt 0 ]; do
		case $1 in
		-a)	all=1 ;;
		-s)	size=$2 ;;
		-c)	kind=$2 ;;
		-m)	mtu=$2 ;;
		esac
		shift
	done
	[ -n "$all" ] || { echo "$size"; return; }
	[ "$kind" = UD ] || mtu=8388608
	for ((size = 2; size <= mtu; size *= 2)); do
		echo "$size"
	done
}

# value OPTION DEFAULT WORD...: the word after an option
value() {
	local option=$1 value=$2

	shift 2
	while [ $# -gt 1 ]; do
		[ "$1" != "$option" ] || value=$2
		shift
	done
	echo "$value"
}

# times WORD...: how often the server's device executes what one end requests: the requests
# of both ends, if both are on one device and both send
times() {
	[ "$server_dev" = "$client_dev" ] || { echo 1; return; }
	case " $program $* " in
	*' -b '* | *' ib_write_lat '* | *' ib_send_lat '*) echo 2 ;;
	*) echo 1 ;;
	esac
}

# executed WRITE_BYTES SEND_BYTES READ READ_BYTES ATOMIC: whether counters of the server moved
# by the requests of the program. A READ may be sent again after a loss.
executed() {
	local got="$*" want

	case $program in
	ib_write_*)	want="$bytes 0 0 0 0" ;;
	ib_send_*)	want="0 $bytes 0 0 0" ;;
	ib_read_*)	want="0 0 $requests $bytes 0" ;;
	ib_atomic_*)	want="0 0 0 0 $requests" ;;
	esac
	[ "$got" != "$want" ] || return 0
	echo "# $moves: $got, not $want"
	[[ $program = ib_read_* ]] && [ "$3" -ge "$requests" ] && [ "$1$2$5" = 000 ]
}

# requested TX RX RX_BYTES: whether counters of the client moved by the requests. Only those of
# reliable connections have responses.
requested() {
	local read=0 responses=$2

	[[ $program != ib_read_* ]] || read=$bytes
	[ "$service" = RC ] || responses=$((responses == 0))
	[ "$1" -gt 0 ] && [ "$responses" -gt 0 ] && [ "$3" = "$read" ] && return
	echo "# $asks: $*, not $read bytes"
	return 1
}

# counters_moved BEFORE AFTER END: whether counters of an end moved as they must: $moves, $asks
# and $zeros
counters_moved() {
	local -a before after moved=()
	local i status=0

	read -ra before <<<"$1"
	read -ra after <<<"$2"
	[ ${#before[@]} -gt 0 ] || return 0
	for ((i = 0; i < ${#before[@]}; i++)); do
		moved+=($((after[i] - before[i])))
	done
	case $3 in
	server)	executed "${moved[@]:0:5}" || status=1 ;;
	client)	requested "${moved[@]:5:3}" || status=1 ;;
	esac
	[[ "${moved[*]:8}" =~ ^[0\ ]*$ ]] || {
		# shellcheck disable=SC2086
		echo "# $3:" $zeros ": ${moved[*]:8}"
		status=1
	}
	return $status
}

# Sets $before of perf(): an attempt that is given up has moved counters, too.
both_ends_begin() {
	# shellcheck disable=SC2086 # names without blanks
	mapfile -t before < <(ends_counted $moves $asks $zeros)
}

# perf PROGRAM WORD...: run a program of perftest with these words on both ends; check its
# rows and the counters
perf() {
	local program=$1 size different=0 bytes=0 requests iters service status=0
	local -a before after

	iters=$(value -n 1000 "$@")
	service=$(value -c RC "$@")
	for size in $(sizes "$@"); do
		different=$((different + 1))
		bytes=$((bytes + size))
	done
	iters=$((iters * $(value -q 1 "$@") * $(times "$@")))
	requests=$((different * iters))
	bytes=$((bytes * iters))
	both_ends_calm "$work" "$@" || { explain; return 1; }
	for size in $(sizes "$@"); do
		grep -qE "^ *$size +[0-9]+ " "$work/client" || { explain; return 1; }
	done
	# shellcheck disable=SC2086
	mapfile -t after < <(ends_counted $moves $asks $zeros)
	counters_moved "${before[0]}" "${after[0]}" server || status=1
	counters_moved "${before[1]}" "${after[1]}" client || status=1
	[ $status = 0 ] || explain
	return $status
}

# kinds NAME IDS WORD...: WRITE, SEND and READ, of bandwidth; a test is named after $subject
kinds() {
	local name=$1 ids=$2 kind

	shift 2
	for kind in write send read; do
		run "${subject}_${kind}_$name" "$ids" perf ib_${kind}_bw "$@"
	done
}
