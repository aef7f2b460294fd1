# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Tests of "xroce serve" with perftest, on the network of net.sh.

. "$(dirname "${BASH_SOURCE[0]}")/net.sh"

xroce=${XROCE_COMMAND:-$top/build/user/xroce}
serve_pid=

serve_listens() {
	in_xr ss -Hltn 'sport = 18515' | grep -q .
}

# Seconds. The kernel verifies the programs first, which took over a minute on a busy machine.
serve_limit=300

# serve_up [OPTION]...: start the server in its namespace; not by in_xr, so that $! is the
# server and not a subshell
serve_up() {
	# stderr is a pipe, as on a terminal the server would show its progress.
	nsenter --net=/run/netns/xr "$xroce" serve --netdev x0 "$@" \
		2> >(exec cat >&2) &
	serve_pid=$!
	undo+=(serve_down)
	wait_until $serve_limit serve_listens
}

serve_down() {
	kill -TERM "$serve_pid"
	wait "$serve_pid"
}

# rxe_gid ADDRESS: print the index of the RoCEv2 GID with this address, in the format of
# sysfs
rxe_gid() {
	local dir=/sys/class/infiniband/rxe0/ports/1 file

	for file in "$dir"/gids/*; do
		if [ "$(cat "$file" 2>/dev/null)" = "$1" ] &&
		   [ "$(cat "$dir/gid_attrs/types/${file##*/}")" = 'RoCE v2' ]; then
			echo "${file##*/}"
			return
		fi
	done
	return 1
}

rxe_gid4() { rxe_gid 0000:0000:0000:0000:0000:ffff:0a4d:0001; }
rxe_gid6() { rxe_gid fd77:0000:0000:0000:0000:0000:0000:0001; }

# stats_of COUNTER...: print the values of counters of x0 in a line, including zeros
stats_of() { stats_in xr x0 "$@"; }

# stats_in NAMESPACE NETDEV COUNTER...: the same of another link
stats_in() {
	local netns=$1 netdev=$2

	shift 2
	nsenter --net="/run/netns/$netns" "$xroce" -j stat show dev "$netdev" all |
		tr -d '[]{}"\n' | awk -v RS=, -F: -v wanted="$*" '
		{ value[$1] = $2 }
		END {
			n = split(wanted, name, " ")
			for (i = 1; i <= n; i++) {
				if (!(name[i] in value)) {
					print "no counter " name[i] >"/dev/stderr"
					exit 1
				}
				printf "%s%s", value[name[i]], i < n ? " " : "\n"
			}
		}'
}

# Counters that the programs move, counters that move if a slow machine loses packets, and
# counters that must stay zero.
perf_moves='write_bytes read read_bytes atomic duplicate'
perf_losses='nak_seq drop_psn'
perf_zeros='nak_inv nak_acc nak_op nak_rnr drop_length drop_checksum drop_icrc
	drop_addr drop_error drop_state drop_busy drop_response'

# perf_moved PROGRAM SIZE REQUESTS WRITE_BYTES READ READ_BYTES ATOMIC DUPLICATE:
# whether the counters moved as the requests of the program require. On a slow machine,
# READs may be sent again.
perf_moved() {
	local size=$2 requests=$3 want=0,0,0,0 got=$4,$5,$6,$7

	case $1 in
	ib_write_*)	want=$((size * requests)),0,0,0 ;;
	ib_read_*)	want=0,$requests,$((size * requests)),0 ;;
	ib_atomic_*)	want=0,0,0,$requests ;;
	esac
	[ "$got" != "$want" ] || return 0
	echo "# $8 duplicates, ${perf_moves% *}: $got, not $want"
	[[ $1 = ib_read_* ]] && [ "$8" -gt 0 ] && [ "$5" -gt "$requests" ] &&
		[ "$4,$7" = 0,0 ]
}

# The timeout of rxe, 4.096 us * 2^perf_timeout: half a second, and two on a slow kernel. If
# the timer expires again before all retransmissions have left, rxe loses its place: it
# sends a FIRST within a message, or one more LAST after the last one, each with the
# expected PSN. These are refused.
perf_timeout=17
[ "${XROCE_SLOW:-1}" = 1 ] || perf_timeout=19
# Time limit of a program, in seconds.
perf_limit=$((60 * ${XROCE_SLOW:-1}))

# perf PROGRAM MTU SIZE ITERATIONS QPS GID [OPTION]...: run a program of perftest, and check
# its output and the counters
perf() {
	local program=$1 mtu=$2 size=$3 iters=$4 qps=$5 gid=$6
	local -a before after zeros lost moved=()
	local out status i many=()

	shift 6
	[ "$qps" = 1 ] || many=(-q "$qps")
	[[ $program = ib_atomic_* ]] || set -- -s "$size" "$@"
	for i in 1 2 3; do
		# shellcheck disable=SC2086 # names without blanks
		read -ra before < <(stats_of $perf_moves $perf_losses)
		status=0
		out=$(timeout $perf_limit "$program" -d rxe0 \
		      -x "$gid" -m "$mtu" -n "$iters" -u $perf_timeout \
		      ${many[@]+"${many[@]}"} "$@" 10.77.0.2 2>&1) || status=$?
		# It found no CPU time to calibrate its clock: try again.
		[[ $out = *"Can't produce a report"* ]] || break
	done
	[ "$status" = 0 ] && grep -qE "^ *$size +[0-9]+ " <<<"$out" || {
		sed 's/^/# /' <<<"$out"
		# shellcheck disable=SC2086
		echo "# $perf_losses $perf_zeros: $(stats_of $perf_losses $perf_zeros)"
		dmesg | tail -n 20 | sed 's/^/# /'
		return 1
	}
	# shellcheck disable=SC2086
	read -ra after < <(stats_of $perf_moves $perf_losses $perf_zeros)
	for ((i = 0; i < ${#before[@]}; i++)); do
		moved+=($((after[i] - before[i])))
	done
	lost=("${moved[@]:5}")
	[ "${lost[*]}" = '0 0' ] ||
		echo "# ${program} $size: $perf_losses: ${lost[*]}"
	perf_moved "$program" "$size" $((iters * qps)) "${moved[@]:0:5}" ||
		return 1
	zeros=("${after[@]:${#before[@]}}")
	[[ ${zeros[*]} =~ ^[0\ ]*$ ]] || {
		echo "# $perf_zeros: ${zeros[*]}"
		return 1
	}
}

forget_served() { rm -f "$served"; }

# Set up the network, rxe, and a server.
perf_up() {
	net_up
	module_up
	rxe_up
	gid4=$(rxe_gid4)
	served=$(mktemp)	# what the server says of its clients
	undo+=(forget_served)
	serve_up --max-qps 16 >"$served"
}

# perf_sizes KIND: ib_KIND with path MTUs, all in "make check-long", and with long messages
perf_sizes() {
	local kind=$1 mtu size

	for mtu in 256 512 1024 2048 4096; do
		[ $mtu = 256 ] || [ $mtu = 4096 ] || is_long || continue
		for size in 2 64 "$mtu" $((mtu + 1)) 65536; do
			run "${kind}_mtu${mtu}_$size" 'U4 D1 D2' \
				perf "ib_$kind" $mtu $size 50 1 "$gid4"
		done
	done
	run "${kind}_1m" 'U4 D2' perf "ib_$kind" 4096 1048576 20 1 "$gid4"
	run "${kind}_8m" 'U4 D2' perf "ib_$kind" 4096 8388608 5 1 "$gid4"
}

# perf_qps KIND: ib_KIND with several queue pairs, and over IPv6
perf_qps() {
	run "$1_4_qps" 'U4' perf "ib_$1" 1024 4096 50 4 "$gid4"
	run "$1_16_qps" 'U4' perf "ib_$1" 1024 4096 50 16 "$gid4"
	run "$1_ipv6" 'U4 D1' perf "ib_$1" 1024 4096 50 1 "$(rxe_gid6)"
}
