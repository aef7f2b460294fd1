#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Cost of a request for its responder, in instructions: "make bench", or
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
# "regions" measures registering and deregistering memory; see the end of this comment.
# "windows" measures binding and revoking windows, "implicit" the memory that an implicit
# on-demand region takes, "pagein" the duration of a miss of on-demand memory, "scale" how
# the cost of a request depends on the number of queue pairs, regions and requests in
# flight, and "other" the cost to unrelated traffic. Each is explained in the .c file of
# that name.
#
#   initial namespace                      namespace xr
#   +-----------------------+              +--------------------------+
#   | c0 10.77.0.1          |   requests   | x0    the generator,     |
#   |    drop, floor, xroce |<-------------|       10.77.0.3, an      |
#   |    or rxe             |------------->|       unused address     |
#   +-----------------------+   responses    +--------------------------+
#
# With --icount a nanosecond of the machine is one instruction: of the kernel, the
# generator or the responder. There is one CPU, which never idles during a run, so time is
# the sum of all executed instructions.
#
# - The generator builds all frames beforehand, with valid invariant CRCs and increasing
#   PSNs. It sends 64 with one sendmmsg(2) on a packet socket, yields until all are
#   answered, and repeats.
# - An XDP program on its interface judges each response (destination, opcode, ACK, PSN,
#   bytes), counts it, and drops everything. After the run the region is checked. A wrong
#   or missing response is an error, not a number.
# - "drop" is an XDP program that drops: the cost of the generator and of the path to the
#   responder. It is subtracted from the others, and so is the cost of judging the
#   responses.
#   Where a sent frame arrives later, as on virtio-net, it also counts the frames, and
#   the generator waits until all are counted.
# - The generator yields while it waits. The cost of a yield that no other task uses is
#   measured beforehand, and subtracted for all yields of a window but the first.
# - "floor" is a program that swaps the addresses and sends the request back.
# - "verbs" is xroce's verbs device, driven by libibverbs as rxe is.
# - xroce, verbs and rxe each have one queue pair to 10.77.0.3, path MTU 4096, and one region;
#   requests access its first bytes. Receives for SENDs are posted beforehand.
# - "crc" and "copy" are the cost of CRC and copy of the bytes alone, with the module's
#   functions: bytes/bench.c.
#
# A number is the median of five segments of 2,000 operations, after a warm-up of 500; of
# fewer if a response takes several packets. Then fewer are in flight, too: 256 KiB of
# responses. A remark on stderr names rows whose segments differ by more than 1%.
#
# On virtio-net a batch of frames leaves 150 us after the first of them, so that one
# interrupt serves many. The cost of receiving the responses on the generator's own NIC is
# subtracted: the cost of "drop" for frames of their length, minus the cost of the same
# frames sent to an Ethernet address that nobody has, which the NIC drops.
#
# rxe's worker shares the CPU with the generator. By default the scheduler would switch to
# it at every large packet, which is 5,300 instructions that a machine with more CPUs does
# not spend. Therefore wake-ups do not preempt here, and the worker runs when the generator
# yields, on the packets of a whole window: its minimum cost. XROCE_BENCH_PREEMPT=1 leaves
# the scheduler as it is.
#
# With XROCE_BENCH_DEMAND in the environment xroce's region is on demand and completely
# resident; with the value "all" it is the whole address space.
#
# With XROCE_BENCH_SQ in the environment xroce's program has a window, and its queue pair a
# send queue, which each packet checks; nothing is posted to it.
#
# veth copies socket buffers for an XDP program. xroce gets copies of the generator's
# frames, which is part of "drop". rxe gets the frames uncopied, but the program that
# judges its responses gets copies. Therefore another "drop" is subtracted from rxe's
# figures: that of a stack that drops frames for another host, plus the additional cost of
# copying its responses, by frames of their length.
#
# Regions: ibv_reg_mr() and ibv_dereg_mr() on rxe, and xroce_mr_reg() and xroce_mr_dereg(),
# of the same resident memory, one after the other. A number is the median of five after
# two to warm up: instructions of the system call and of the library around it. "a page" is
# the sum of both divided by 4 KiB pages of memory, whatever the actual page size.
set -eu

. "$(dirname "$0")/../lib/verbs.sh"

programs=$top/build/selftests/bench
export XROCE_BPF_OBJECT=${XROCE_BPF_OBJECT:-$top/build/bpf/xroce.bpf.o}

# "rep movsb" counts one instruction for each byte here, unlike on a real CPU.
! grep -qwE 'erms|fsrm' /proc/cpuinfo || {
	echo "bench: the CPU has erms or fsrm" >&2
	exit 1
}

# A page is allocated and freed for each packet. When the CPU's list of free pages is full,
# this reaches the buddy allocator and takes 450 more instructions: make the list large.
sysctl -q vm.percpu_pagelist_high_fraction=8

# pagein makes its own network.
[ "${1:-}" != pagein ] || {
	shift
	exec "$programs/../pagein" "$@"
}

[ -n "${XROCE_BENCH_PREEMPT:-}" ] ||
	echo NO_WAKEUP_PREEMPTION >/sys/kernel/debug/sched/features

net_up
# Free the hook for the responder's program.
ip link set c0 xdpdrv off
ip neigh replace 10.77.0.3 dev c0 nud permanent lladdr \
	"$(in_xr ip -o link show x0 | sed -E 's,.*link/ether ([^ ]+).*,\1,')"
rxe_up
# The generator has no more in flight than veth takes: avoid the cost of a queue.
[ "${XROCE_NET:-veth}" != veth ] || tc qdisc del dev c0 root
module_up

# Print the cost of CRC and copy of a payload: "SIZE CRC COPY" lines
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
*)		verbs_module_up; bytes >/dev/shm/bytes; "$programs/bench" -b /dev/shm/bytes "$@" ;;
esac
