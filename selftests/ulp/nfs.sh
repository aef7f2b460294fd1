#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# NFS over RDMA: the kernel's client and server on verbs devices, xroce with xroce and with rxe.
#
# usage: nfs.sh [PART]...   only tests whose name has one of the PARTs
# XROCE_ULP_MIB: MiB of the large files
set -eu

here=$(realpath "$(dirname "$0")")
. "$here/../lib/ulp.sh"

rows=("$@")
work_up

export=$work/export
at=$work/mnt
mkdir "$export" "$at"

threads() { echo "$1" >/proc/fs/nfsd/threads; }

# tell CACHE LINE: answer a question of the server before it asks, as rpc.mountd(8) does. It is
# valid until 2038.
tell() { echo "$2" >"/proc/net/rpc/$1/channel"; }

# The export is the root of NFSv4: for clients of any port, whose root is root, without subtree
# check, with a file system id (2, 0x400, 0x2000).
exports() {
	tell auth.unix.ip "nfsd $host4 2147483647 ulp"
	tell nfsd.export "ulp $export 2147483647 $((0x2402)) 65534 65534 0"
	tell nfsd.fh "ulp 1 \\x00000000 2147483647 $export"
}

server_up() {
	undo+=(server_down)
	server_begins
}

server_begins() {
	modprobe nfsd
	modprobe rpcrdma
	mountpoint -q /proc/fs/nfsd || mount -t nfsd nfsd /proc/fs/nfsd
	exports
	echo '-2 -3 +4 +4.1 +4.2' >/proc/fs/nfsd/versions 2>/dev/null ||
		echo '-3 +4 +4.1 +4.2' >/proc/fs/nfsd/versions
	# Nobody has locks to reclaim; these are the shortest times.
	echo 10 >/proc/fs/nfsd/nfsv4leasetime
	echo 10 >/proc/fs/nfsd/nfsv4gracetime
	listens
}

# Linux 7.3 starts no thread before there is a listener.
listens() {
	echo 'rdma 20049' >/proc/fs/nfsd/portlist
	threads 4
}

server_down() {
	threads 0
	umount /proc/fs/nfsd
	modprobe -r nfsd
}

# Without mount.nfs(8): the options are those that it passes on.
client_up_again() {
	timeout 60 mount -i -t nfs4 \
		-o "vers=4.2,proto=rdma,port=20049,hard,addr=$target4,clientaddr=$host4" \
		"$target4:/" "$at"
}

client_up() {
	undo+=(client_down)
	client_up_again
}

# The client forgets what it has read.
client_again() { umount "$at" && client_up_again; }

client_down() { umount "$at"; }

# A tree of small files.
copies_tree() {
	cp -r "$ulp_tree" "$at/" && client_again && diff -r "$ulp_tree" "$at/${ulp_tree##*/}" &&
		diff -r "$ulp_tree" "$export/${ulp_tree##*/}" && rm -r "$at/${ulp_tree##*/}"
}

# A large file, by reads and writes of many sizes: buffered, and direct.
copies_file() {
	local size

	head -c "${ulp_mib}M" /dev/urandom >"$work/data"
	for size in 512 4k 64k 1M; do
		dd if="$work/data" of="$at/data" bs=$size conv=fsync status=none &&
			client_again && cmp "$work/data" "$at/data" &&
			cmp "$work/data" "$export/data" || return 1
	done
	for size in 4k 256k; do
		dd if="$work/data" of="$at/data" bs=$size oflag=direct status=none &&
			dd if="$at/data" bs=$size iflag=direct status=none |
			cmp - "$work/data" || return 1
	done
	rm "$at/data"
	ulp_worked
}

# fio writes, reads and compares; the client's cache is not used.
verifies() { ulp_verify "$at/fio" && rm "$at/fio"; }

# upset COMMAND...: COMMAND disturbs a job.
upset() { ulp_upset "$at/upset" "$@" && rm "$at/upset"; }

server_restarts() {
	threads 0
	sleep 2
	exports
	listens
}

# The server's module goes, and comes again. The client is on the same machine and uses rpcrdma,
# which both have in common: that one stays.
module_gone() {
	server_down
	sleep 2
	server_begins
}

needs_module
needs_verbs
ulp_needs fio nfsd.ko rpcrdma.ko
echo 'TAP version 13'
module_up
verbs_module_up
for pair in 'xroce xroce' 'xroce rxe' 'rxe xroce'; do
	name=nfs_${pair/ /_}
	some_wanted "${name}_"{tree,file,verify} || continue
	undo_mark
	# shellcheck disable=SC2086
	ulp_up $pair
	server_up
	client_up
	if [ "$pair" = 'xroce xroce' ] || is_long; then
		run "${name}_tree" 'K3 K1' copies_tree
	fi
	run "${name}_file" 'K3 K1' copies_file
	run "${name}_verify" 'K3' verifies
	undo_to_mark || result 1 "${name}_down" 'K3'
done
if some_wanted nfs_fault_{link_down,restart,module_gone,loss}; then
	undo_mark
	ulp_up xroce xroce wire
	server_up
	client_up
	run nfs_fault_link_down 'K5' upset ulp_link_goes
	! is_long || run nfs_fault_restart 'K5' upset server_restarts
	run nfs_fault_module_gone 'K5' upset module_gone
	ulp_loses 1
	run nfs_fault_loss 'K5' copies_file
	undo_to_mark || result 1 nfs_fault_down 'K5'
fi
results
