# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Two verbs devices for consumers in the kernel ("upper layer protocols"), both in the initial
# namespace, because NVMe over Fabrics works in no other.
#
#   +----------------------------+            +-----------------------------+
#   | verbs device hr, the host  |    veth    | verbs device tr, the target |
#   | on h0, 10.81.0.1, fd81::1  |------------| on t0, 10.81.0.2, fd81::2   |
#   +----------------------------+            +-----------------------------+
#
# With a wire that loses packets: h0 and m1, and m2 and t0, are pairs, and m1 and m2 pass on each
# frame to each other, as in verbs_pair.sh.
#
# Rules of routing put what is sent to the other address on the wire, although both addresses are
# local.

. "$(dirname "${BASH_SOURCE[0]}")/verbs_pair.sh"	# pair_middle

host4=10.81.0.1 host6=fd81::1
target4=10.81.0.2 target6=fd81::2

# MiB that each test of a disk writes and compares, and a tree of small files to copy. With 2 MiB,
# requests of each size still wrap the queues.
ulp_mib=${XROCE_ULP_MIB:-$(amount 2 8)}
ulp_tree=$(amount /usr/include/linux/netfilter /usr/include/linux)

# ulp_needs WORD...: skip the test without a program, or a kernel module named MODULE.ko
ulp_needs() {
	local word

	for word; do
		case $word in
		*.ko)	modinfo "${word%.ko}" >/dev/null 2>&1 ;;
		*)	command -v "$word" >/dev/null ;;
		esac && continue
		printf 'TAP version 13\n1..0 # SKIP no %s\n' "$word"
		exit 4
	done
}

# ulp_end NETDEV HOST PEER PEER-NETDEV TABLE: configure an end; HOST and PEER end its addresses and
# its peer's
ulp_end() {
	local dev=$1 table=$5 mac family from to

	mac=$(cat "/sys/class/net/$4/address")
	sysctl -q -w "net.ipv4.conf.$dev.rp_filter=0" "net.ipv4.conf.$dev.accept_local=1"
	ip addr add "10.81.0.$2/24" dev "$dev" noprefixroute
	ip addr add "fd81::$2/64" dev "$dev" noprefixroute nodad
	ip link set "$dev" mtu 4300 up
	for family in 4 6; do
		from=10.81.0.$2 to=10.81.0.$3
		[ $family = 4 ] || from=fd81::$2 to=fd81::$3
		ip -$family rule add pref "$table" iif "$dev" lookup local
		ip -$family rule add pref "1$table" to "$to" lookup "$table"
		ip -$family route add "$to" dev "$dev" src "$from" table "$table"
		ip -$family neigh add "$to" lladdr "$mac" dev "$dev" nud permanent
	done
}

# ulp_wire direct|wire
ulp_wire() {
	if [ "$1" = direct ]; then
		ip link add h0 type veth peer name t0
		return
	fi
	ip link add h0 type veth peer name m1
	ip link add t0 type veth peer name m2
	pair_middles
}

# ulp_loses PER-CENT: the wire loses packets, in each direction
ulp_loses() {
	local dev

	for dev in m1 m2; do
		tc qdisc replace dev $dev root netem limit 20000 loss "$1%"
	done
}

# ulp_device xroce|rxe|none NAME NETDEV OTHER-NETDEV HOST
ulp_device() {
	case $1 in
	none)	return ;;
	xroce)	"$xroce" link add dev "$3" >/dev/null ;;
	rxe)	modprobe crc32-pclmul 2>/dev/null || :
		modprobe rdma_rxe
		tc qdisc replace dev "$3" root pfifo limit 20000 ;;
	esac
	ulp_verbs "$2" "$3" "$1" "$5"
	wait_until 10 verbs_has_gid "$2" "$(gid6_of "$5" fd81)"
}

# ulp_verbs NAME NETDEV TYPE HOST: a verbs device, with its IPv4 address
ulp_verbs() {
	rdma link add "$1" type "$3" netdev "$2"
	wait_until 10 verbs_has_gid "$1" "$(gid4_of "10.81.0.$4")"
}

# ulp_net HOST TARGET [WIRE]: the network of ulp_up(), without its devices
ulp_net() {
	undo+=(ulp_down)
	sysctl -q -w net.ipv4.conf.all.rp_filter=0
	ulp_wire "${3:-direct}"
	ip -4 rule add pref 200 lookup local
	ip -6 rule add pref 200 lookup local
	ulp_end h0 1 2 t0 20
	ulp_end t0 2 1 h0 21
	ip -4 rule del pref 0
	ip -6 rule del pref 0
	# See net.sh: frames of ndo_xdp_xmit() need a program at the other end.
	[ "$1" = xroce ] || ip link set h0 xdpdrv object "$ulp_pass" section xdp.frags
	[ "$2" = xroce ] || ip link set t0 xdpdrv object "$ulp_pass" section xdp.frags
}

# ulp_up HOST TARGET [WIRE]: HOST and TARGET are xroce, rxe or none, WIRE as for ulp_wire()
ulp_up() {
	ulp_host=$1 ulp_target=$2
	ulp_net "$@"
	ulp_device "$1" hr h0 t0 1
	ulp_device "$2" tr t0 h0 2
}

ulp_pass=$top/build/selftests/lib/pass.bpf.o

ulp_down() {
	local status=0 dev family

	for dev in hr tr; do
		! verbs_exists $dev || rdma link delete $dev || status=1
	done
	for dev in h0 t0; do
		[ ! -e /sys/fs/bpf/xroce/$dev ] || "$xroce" link del dev $dev || status=1
	done
	[ ! -e /sys/class/net/t0 ] || ip link del t0 || status=1
	[ ! -e /sys/class/net/h0 ] || ip link del h0 || status=1
	for family in 4 6; do
		ip -$family rule add pref 0 lookup local
		for dev in 20 21 120 121 200; do
			ip -$family rule del pref $dev || status=1
		done
	done
	return $status
}

# ulp_count NETDEV COUNTER: print a counter of a link
ulp_count() { "$xroce" -j stat show dev "$1" | jq ".[0].$2"; }

# ulp_counts NETDEV COUNTER: a link has counted something: it was xroce that did it
ulp_counts() { [ "$(ulp_count "$@")" -gt 0 ]; }

# Each side that is xroce has done its part.
ulp_worked() {
	[ "$ulp_host" != xroce ] || ulp_counts h0 req_tx &&
		{ [ "$ulp_target" != xroce ] || ulp_counts t0 req_tx; }
}

# What the devices and the kernel say about a failure.
ulp_explain() {
	local dev

	{
		rdma resource show qp
		rdma resource show cm_id
		for dev in h0 t0; do
			[ ! -e /sys/fs/bpf/xroce/$dev ] || "$xroce" stat show dev $dev
		done
		ulp_explain_job
		grep -H . /sys/block/nvme*/inflight
		dmesg | tail -n 20
	} 2>&1 | cut -c 1-160 | sed 's/^/# /'
}

# What each thread of fio does, if it is there: state, ticks of user space and of the kernel, bytes,
# and where it waits.
ulp_explain_job() {
	local task

	for task in $(pgrep -x fio | sed 's,.*,/proc/&/task/*,'); do
		echo "$task: $(cut -d ' ' -f 3,14,15 "$task/stat")" \
			"$(grep -E '^[rw].*_bytes' "$task/io" | tr '\n' ' ')"
		cat "$task/stack"
	done
}

# The target's link comes up again. Routes and neighbours went with it.
ulp_link_up() {
	ip link set t0 up
	ip route replace $host4 dev t0 src $target4 table 21
	ip neigh replace $host4 lladdr "$(cat /sys/class/net/h0/address)" dev t0 nud permanent
}

# The target's link is away for a while: longer than the connection's attempts to send again.
ulp_link_goes() {
	ip link set t0 down
	sleep 8
	ulp_link_up
}

# The job lasts four seconds at least, and is disturbed after the first mebibyte.
ulp_job_size=$(amount 8m 16m)

# ulp_job FILE SEED [WORD...]: a job of fio that writes each block of FILE once, a few hundred in a
# second, and then compares all of them. Data and order depend on SEED.
ulp_job() {
	local file=$1 seed=$2
	shift 2

	timeout $((600 * ${XROCE_SLOW:-1})) fio --name upset --filename "$file" \
		--ioengine libaio --direct 1 --rw randwrite --bs 4k --iodepth 16 --size "$ulp_job_size" \
		--randseed "$seed" --rate_iops ,500 --verify crc32c --do_verify 1 --verify_fatal 1 \
		--output-format terse "$@" >"$work/fio" 2>&1 ||
		{ tail -n 3 "$work/fio" | cut -c 1-200 | sed 's/^/# /'; ulp_explain; return 1; }
}

# The job has written 1 MiB, so that some of it, which is more than its queue, was acknowledged.
ulp_job_writes() {
	local pid bytes

	for pid in $(pgrep -x fio); do
		bytes=$(sed -n 's/^write_bytes: //p' "/proc/$pid/io")
		[ "${bytes:-0}" -lt 1048576 ] || return 0
	done
	return 1
}

# ulp_upset FILE COMMAND...: while a job writes and compares, COMMAND disturbs it. The job ends
# well, and all that it has written is read and compared again.
ulp_upset() {
	local file=$1 job status=0 seed=$((SECONDS * 100 + RANDOM % 100))
	shift

	ulp_job "$file" $seed &
	job=$!
	# On a busy machine whose caches were dropped it takes minutes to load fio.
	wait_until 120 ulp_job_writes || { ulp_explain; status=1; }
	"$@" || status=1
	wait $job && ulp_job "$file" $seed --verify_only || status=1
	return $status
}

# undo_mark; ...; undo_to_mark: undo what was set up in between
undo_mark() { undo_marked=${#undo[@]}; }

undo_to_mark() {
	local last status=0

	while [ ${#undo[@]} -gt "$undo_marked" ]; do
		last=${undo[-1]}
		unset 'undo[-1]'
		"$last" || status=1
	done
	return $status
}

# some_wanted NAME...: whether rows selects one of the tests
some_wanted() {
	local name

	for name in "$@"; do
		! wanted "$name" || return 0
	done
	return 1
}

# configfs is where targets are configured.
ulp_configfs() {
	modprobe configfs
	mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
}

# ulp_disk NAME MIB: a disk in memory; prints its path. With ulp_disk_backed=0 it keeps nothing.
ulp_disk() {
	local dir=/sys/kernel/config/nullb/$1

	modprobe null_blk nr_devices=0
	mkdir "$dir"
	echo "${ulp_disk_backed:-1}" >"$dir/memory_backed"
	echo "$2" >"$dir/size"
	echo 512 >"$dir/blocksize"
	echo 1 >"$dir/power"
	echo "/dev/$1"
}

ulp_disk_down() {
	echo 0 >"/sys/kernel/config/nullb/$1/power"
	rmdir "/sys/kernel/config/nullb/$1"
	modprobe -r null_blk
}

# ulp_verify DISK [WORD...]: write all kinds of requests, read them back and compare
ulp_verify() {
	local disk=$1 job jobs=()
	shift

	for job in '512 randwrite 64' '4k randwrite 32' '64k randwrite 8' '64k write 16' \
		'1m write 4' '4k write 1'; do
		# shellcheck disable=SC2086
		set -- $job "$@"
		jobs+=(--name "$1-$2-$3" --bs "$1" --rw "$2" --iodepth "$3")
		shift 3
		jobs+=(--size "$(ulp_size "${job%% *}")" --offset 0 --stonewall "$@")
	done
	fio --filename "$disk" --ioengine libaio --direct 1 --verify crc32c --do_verify 1 \
		--verify_fatal 1 --randseed 1 --output-format terse "${jobs[@]}" \
		>"$work/fio" 2>&1 || { tail -n 5 "$work/fio" | cut -c 1-200 | sed 's/^/# /'; return 1; }
}

# ulp_size BLOCK: small blocks are slow, so fewer of them
ulp_size() {
	case $1 in
	512)	echo "$((ulp_mib * 64))k" ;;
	4k)	echo "$((ulp_mib * 256))k" ;;
	# As many as are outstanding at a time.
	1m)	echo "$((ulp_mib < 4 ? 4 : ulp_mib))m" ;;
	*)	echo "${ulp_mib}m" ;;
	esac
}

# ulp_files DISK TYPE: a file system on the disk: copy a tree, check, compare
ulp_files() {
	local at=$work/mnt tree=$ulp_tree

	mkdir -p "$at"
	"mkfs.$2" -q "$1" >"$work/mkfs" 2>&1 || { sed 's/^/# /' "$work/mkfs"; return 1; }
	mount "$1" "$at" && cp -r $tree "$at/" && umount "$at" &&
		mount "$1" "$at" && diff -r $tree "$at/${tree##*/}" && umount "$at" || return 1
	case $2 in
	ext4)	e2fsck -fn "$1" >"$work/fsck" 2>&1 ;;
	xfs)	xfs_repair -n "$1" >"$work/fsck" 2>&1 ;;
	esac || { sed 's/^/# /' "$work/fsck"; return 1; }
}

# Of the disk $drive: all kinds of requests; a file system of TYPE.
disk_verifies() { ulp_verify "$drive" && ulp_worked; }

# srq_verifies MODULE: the same, and the target's module has a shared receive queue
srq_verifies() {
	rdma resource show srq dev tr >"$work/srqs"
	grep -q "comm \[$1\]" "$work/srqs" || { sed 's/^/# /' "$work/srqs"; return 1; }
	disk_verifies
}

disk_files() { ulp_files "$drive" "$1"; }
