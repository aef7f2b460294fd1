#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What a request costs its responder, in instructions: "make bench", or
#
#   vm.sh --icount [--net virtio] -- bench/bench.sh [-o FILE] [-n COUNT] [-r RESPONDER]...
#                                    [OP[:SIZE]]...
#   vm.sh --icount --memory 4G -- bench/bench.sh regions [-o FILE] [KIB]...
#   vm.sh --icount -- bench/bench.sh windows [-o FILE]
#   vm.sh --icount --memory 4G -- bench/bench.sh implicit [-o FILE] [GIB]...
#   vm.sh --icount -- bench/bench.sh pagein [-o FILE]
#   vm.sh --icount -- bench/bench.sh scale [-o FILE] [qps|regions|window]...
#   vm.sh --icount -- bench/bench.sh other [-o FILE]
#
# The second form is of what registering and deregistering memory costs; it is
# explained at the end. The others are of what binding and revoking windows costs, of
# the memory that an address space on demand takes, of what many queue pairs,
# regions and requests under way do to the cost of one, and of what traffic pays that
# is not ours: windows.c, implicit.c, scale.c and other.c say how; and pagein.c how long a
# miss of on-demand memory takes.
#
#   initial namespace                      namespace xr
#   +-----------------------+              +--------------------------+
#   | c0 10.77.0.1          |   requests   | x0    the generator,     |
#   |    drop, floor, xroce |<-------------|       10.77.0.3, which   |
#   |    or rxe             |------------->|       there is not       |
#   +-----------------------+   responses    +--------------------------+
#
# With --icount a nanosecond of the machine is an instruction, of whatever: the
# kernel, the generator, the responder. There is one CPU, and it never idles
# during a run, so time is the sum of all that is executed.
#
# - The generator makes all frames beforehand: right invariant CRCs, sequence
#   numbers that go up. It sends 64 with one sendmmsg(2) on a packet socket,
#   then yields until all are answered, and so on.
# - Its interface has an XDP program that judges each response (destination,
#   opcode, ACK, sequence number, bytes), counts it, and drops everything.
#   After the run the region is looked at. What is not answered as it should be
#   is an error and no number.
# - "drop" is an XDP program that drops: what the generator costs, and the way
#   to the responder. It is subtracted from the others, and so is what the program
#   that judges the responses takes.
#   Where what is sent arrives later, as on virtio-net, it counts them as well, and
#   the generator waits until all are counted.
# - While the generator waits it yields. What a yield costs that nobody has taken
#   is measured beforehand, and all but the first of a window are subtracted.
# - "floor" is one that swaps the addresses and sends the request back.
# - xroce and rxe each have one queue pair to 10.77.0.3, path MTU 4096, and one
#   region; requests go to its first bytes. SENDs find their receives posted.
# - "crc" and "copy" are what the bytes of the operation cost alone, with the
#   module's functions: bytes/bench.c.
#
# A number is the median of five segments of 2,000 operations, after 500 to
# warm up, and of fewer where a response takes several packets; then there are fewer
# under way, too, 256 KiB of responses. A remark on stderr names rows whose segments
# differ by more than 1%.
#
# On virtio-net frames leave 150 us after the first of them, so that there are so many
# to an interrupt. What the generator's own NIC does to receive the responses is
# subtracted: what "drop" costs for frames of their length, less what the same frames
# cost when they are for the Ethernet address of nobody, and their NIC drops them.
#
# rxe's worker shares the one CPU with the generator. By default it would be
# switched to at every large packet sent, which is 5,300 instructions that a
# machine of more CPUs does not spend; so wake-ups preempt nobody here, and it
# runs when the generator yields, on a window's worth of packets: the least it
# can cost. XROCE_BENCH_PREEMPT=1 leaves the scheduler as it is.
#
# With XROCE_BENCH_DEMAND in the environment xroce's region is on demand, all of it
# there; with "all" for its value it is the address space.
#
# With XROCE_BENCH_SQ in the environment xroce's program has a send queue, which
# each packet looks at; nothing is posted to it.
#
# veth copies a socket buffer for an XDP program. xroce gets copies of the generator's
# frames, and that is in "drop". rxe gets them as they are, but the program that judges
# its responses gets copies. So from rxe's figures another "drop" is subtracted: that of a
# stack that drops what is for another host, plus what the program's copies of the
# responses are dearer than that, by frames of their length.
#
# Regions: ibv_reg_mr() and ibv_dereg_mr() on rxe, and xroce_mr_reg() and
# xroce_mr_dereg(), of the same memory, all there beforehand, one after the other.
# A number is the median of five after two to warm up: the instructions of the
# system call, and of the library around it. "a page" is both together, by 4 KiB
# of memory, whatever the size of its pages.
set -eu

. "$(dirname "$0")/../lib/net.sh"

programs=$top/build/selftests/bench
export XROCE_BPF_OBJECT=${XROCE_BPF_OBJECT:-$top/build/bpf/xroce.bpf.o}

# A "rep movsb" counts an instruction a byte here, which no real CPU does.
! grep -qwE 'erms|fsrm' /proc/cpuinfo || {
	echo "bench: the CPU has erms or fsrm" >&2
	exit 1
}

# A page is allocated and freed for each packet. Whether that goes through to
# the buddy allocator depends on how full the CPU's list happens to be, and makes
# 450 instructions: let it never be full.
sysctl -q vm.percpu_pagelist_high_fraction=8

# It makes its own network.
[ "${1:-}" != pagein ] || {
	shift
	exec "$programs/../pagein" "$@"
}

[ -n "${XROCE_BENCH_PREEMPT:-}" ] ||
	echo NO_WAKEUP_PREEMPTION >/sys/kernel/debug/sched/features

net_up
# The place of the responder's program.
ip link set c0 xdpdrv off
ip neigh replace 10.77.0.3 dev c0 nud permanent lladdr \
	"$(in_xr ip -o link show x0 | sed -E 's,.*link/ether ([^ ]+).*,\1,')"
rxe_up
# The generator keeps no more under way than veth takes: without the queue's cost.
[ "${XROCE_NET:-veth}" != veth ] || tc qdisc del dev c0 root
module_up

# The CRC and the copy of a payload alone: "SIZE CRC COPY" lines
bytes() {
	insmod "$programs/bytes/bytes_bench.ko"
	grep . /sys/module/bytes_bench/parameters/result
	rmmod bytes_bench
}

case ${1:-} in
regions)	shift; "$programs/regions" "$@" ;;
windows)	shift; "$programs/windows" "$@" ;;
implicit)		shift; "$programs/implicit" "$@" ;;
other)		shift; "$programs/other" "$@" ;;
scale)		shift; "$programs/scale" "$@" ;;
*)		bytes >/dev/shm/bytes; "$programs/bench" -b /dev/shm/bytes "$@" ;;
esac
