#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Run a command as root in a virtual machine that shares the host's files.
#
#   host                               guest
#   /            9p, read-only   --->  /        under a tmpfs overlay
#   build/       9p, read-write  --->  build/   at the same path; its programs read-only
#   cache/.../lib/modules        --->  /lib/modules/RELEASE
#   stdout       <---  virtio console  <---  the command's stdout and stderr
#   build/vm/dmesg-*.log  <---  ttyS0  <---  the kernel's log
#
# With --root DIR that directory is the guest's / instead of the host's, with its own
# kernel, and the checkout is also shared, read-only, at the same path.
#
#   --net veth     no NIC, the tests make their own veth pair
#   --net virtio   two NICs on one hub:   nic 1 ---[ hub ]--- nic 2
#                  With --icount they send 150 us of guest time after a request,
#                  not when QEMU gets to it, so that figures are reproducible.
#
# The exit status is that of the command. It is 1 if the kernel complained meanwhile (see
# vm-complaints.sh), 124 after a timeout, 125 if the machine failed.
set -euo pipefail

here=$(realpath "$(dirname "$0")")
top=${here%/*}
cache=${XROCE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/xroce}
export XROCE_CACHE=$cache	# for guest-packages.sh

usage() {
	cat >&2 <<-END
	usage: vm.sh [OPTION]... -- COMMAND [ARG]...
	  --icount            guest time counts instructions (one CPU, no KVM)
	  --smp N             CPUs (2)
	  --parallel          a thread a CPU without KVM: real races, but QEMU
	                      before 8 now and then crashes the guest this way
	  --memory SIZE       memory (\$XROCE_MEMORY, or 2G)
	  --kernel KERNEL     a cached release, a suite that root.sh has fetched,
	                      or a directory (the one the module is built for)
	  --root DIR          the guest's files (the host's)
	  --net veth|virtio   network interfaces (veth: none)
	  --plugin FILE[,ARG=VALUE]...  a plugin of QEMU, without KVM
	  --timeout SEC       time limit (600)
	END
	exit 2
}

die() { echo "vm: $*" >&2; exit 125; }

parse_options() {
	icount='' threads=single smp=2 memory=${XROCE_MEMORY:-2G} wanted='' root=/ net=veth
	limit=600 plugin=''
	while [ $# -gt 0 ]; do
		case $1 in
		--icount)	icount=1; shift; continue ;;
		--parallel)	threads=multi; shift; continue ;;
		--)		shift; break ;;
		esac
		[ $# -ge 2 ] || usage
		case $1 in
		--smp)		smp=$2 ;;
		--memory)	memory=$2 ;;
		--kernel)	wanted=$2 ;;
		--root)		root=$(realpath "$2") ;;
		--net)		net=$2 ;;
		--plugin)	plugin=$2 ;;
		--timeout)	limit=$2 ;;
		*)		usage ;;
		esac
		shift 2
	done
	case $net in veth|virtio) ;; *) usage ;; esac
	[ $# -gt 0 ] || usage
	[ -z "$icount" ] || smp=1
	[ "$root" = / ] || wanted=${wanted:-$root}
	command=("$@")
}

# Boot the kernel that the module was built for.
module_release() {
	local ko=$top/build/kmod/xroce.ko magic

	[ -e "$ko" ] || return 0
	magic=$(modinfo -F vermagic "$ko")
	echo "${magic%% *}"
}

make_initramfs() {
	local out=$1 dir line module

	[ ! -e "$out" ] || [ "$here/vm/vm-initramfs.sh" -nt "$out" ] || return 0
	dir=$run/initramfs
	mkdir -p "$dir/bin" "$dir/modules"
	: >"$dir/modules/order"
	cp "$(command -v busybox)" "$dir/bin/busybox"
	cp "$here/vm/vm-initramfs.sh" "$dir/init"
	for module in 9pnet_virtio 9p overlay virtio-rng; do
		modprobe -d "$kernel" -S "$release" --show-depends "$module"
	done | while read -r line module; do
		[ "$line" = insmod ] || continue # otherwise built in
		line=${module##*/} line=${line%%.ko*}.ko
		! grep -qx "$line" "$dir/modules/order" 2>/dev/null || continue
		echo "$line" >>"$dir/modules/order"
		case $module in
		*.xz)	xz -dc "$module" ;;
		*.zst)	zstd -dc "$module" ;;
		*)	cat "$module" ;;
		esac >"$dir/modules/$line"
	done
	(cd "$dir" && find . | cpio -o -H newc -R 0:0 --quiet) >"$run/cpio"
	mv "$run/cpio" "$out"
}

# The guest runs this: the environment, then the command.
write_command() {
	local name

	for name in $(compgen -e XROCE_); do
		printf 'export %s=%q\n' "$name" "${!name}"
	done
	printf 'export XROCE_VM=1 XROCE_NET=%q\n' "$net"
	[ -n "${XROCE_MODULE:-}" ] || [ ! -e "$module" ] ||
		printf 'export XROCE_MODULE=%q\n' "$module"
	printf 'cd %q\n' "$top"
	printf 'exec'
	printf ' %q' "${command[@]}"
	echo
}

accel_options() { # kvm|tcg
	# -erms,-fsrm: when emulated, "rep movsb" costs one instruction for each byte
	local cpu=max,-erms,-fsrm

	# -la57: with five levels of page tables, KASAN takes the memory of an interrupt for
	# unmapped while the kernel identifies its first CPU again.
	! grep -qs ^CONFIG_KASAN=y "$kernel/boot/config-$release" || cpu+=,-la57
	if [ "$1" = kvm ]; then
		echo -accel kvm -cpu host
	elif [ -n "$icount" ]; then
		# With cx16 (see below): a kernel without it executes more instructions.
		# This rarely ends in a double fault, in an allocation.
		echo -accel tcg -icount shift=0,sleep=off -cpu "$cpu"
	else
		# -cx16: before 8.0 that instruction leaves random flags, which the return
		# from an interrupt right after it restores: trap flag, nested task.
		! qemu-system-x86_64 --version | grep -q 'version [1-7]\.' || cpu+=,-cx16
		# One thread: with more, QEMU 7.2 lets a CPU run a stale int3 after the
		# kernel has patched its code, in about one boot of ten.
		echo -accel tcg,thread=$threads -cpu "$cpu"
	fi
}

share() { # TAG DIR OPTIONS
	echo "-virtfs local,path=$2,mount_tag=$1,security_model=none$3"
}

shares() {
	share root "$root" ,readonly=on,multidevs=remap
	share build "$top/build" ,multidevs=remap
	[ "$root" = / ] || {
		share top "$top" ,readonly=on
		share modules "$kernel/lib/modules/$release" ,readonly=on
	}
}

net_options() {
	local i nic=guest_csum=off,guest_tso4=off,guest_tso6=off

	nic+=,guest_ecn=off,guest_ufo=off,mrg_rxbuf=on,romfile=
	[ "$net" = virtio ] || return 0
	[ -z "$icount" ] || nic+=,tx=timer
	for i in 1 2; do
		echo -netdev hubport,id=hub$i,hubid=0
		echo -device virtio-net-pci,netdev=hub$i,mac=52:54:00:77:00:0$i,$nic
	done
}

# On a busy host the kernel measures a wrong frequency of the time stamp counter, once 53 MHz
# instead of 2,594: its clock was fast, and whatever has a timeout failed. That of an emulated
# machine is the host's, unless guest time counts instructions.
clock_parameters() { # ACCEL
	local tool=$top/build/selftests/tsc_khz khz

	echo tsc=reliable
	if [ "$1" = tcg ] && [ -z "$icount" ] && [ -x "$tool" ]; then
		khz=$("$tool")
		[ -z "$khz" ] || echo "tsc_early_khz=$khz"
	fi
}

# QEMU finds the code that it has translated by virtual address, too: without random addresses, the
# next process of a program uses what the first one left, and starts in less than half the time (QEMU
# 7.2: /bin/true in 15 ms instead of 37).
speed_parameters() { # ACCEL
	[ "$1" != tcg ] || [ -n "$icount" ] || echo norandmaps
}

qemu() { # ACCEL LIMIT KERNEL-PARAMETER...
	local accel=$1 limit=$2

	shift 2
	# shellcheck disable=SC2046 # words
	set -- $(clock_parameters "$accel") $(speed_parameters "$accel") "$@"
	# shellcheck disable=SC2046 # options without blanks
	timeout --foreground -k 5 "$limit" qemu-system-x86_64 \
		-nodefaults -no-user-config -display none -no-reboot \
		-pidfile "$run/pid" -machine q35 $(accel_options "$accel") \
		-smp "$smp" -m "$memory" \
		-kernel "$kernel/boot/vmlinuz-$release" -initrd "$initramfs" \
		-append "console=ttyS0 loglevel=8 printk.devkmsg=on panic=-1 oops=panic nokaslr $*" \
		-serial "file:$log" \
		-chardev stdio,id=out,signal=off \
		-device virtio-serial-pci -device virtconsole,chardev=out \
		-device virtio-rng-pci \
		$(shares) $(net_options) ${plugin:+-plugin "$plugin"} </dev/null
}

# A /dev/kvm that can be opened may still be unable to start a kernel (emulated nested
# virtualisation). Try it, once per boot of the host.
pick_accel() {
	local verdict boot

	accel=tcg
	[ -z "$icount$plugin" ] && [ -w /dev/kvm ] || return 0
	read -r boot </proc/sys/kernel/random/boot_id
	verdict=$cache/kvm-$boot
	if [ -e "$verdict" ]; then
		read -r accel <"$verdict"
		return
	fi
	if qemu kvm 15 XROCE_PROBE=1 2>/dev/null | grep alive >/dev/null; then
		accel=kvm
	fi
	echo "$accel" >"$run/verdict"
	find "$cache" -maxdepth 1 -name 'kvm-*' ! -name "kvm-$boot" -delete
	mv "$run/verdict" "$verdict"
}

finish() {
	if [ -s "$run/pid" ]; then
		kill "$(cat "$run/pid")" 2>/dev/null || :
	fi
	wait
	rm -rf "$run"
}

parse_options "$@"
wanted=${wanted:-$(module_release)}
kernel=$("$here/vm/vm-kernel.sh" dir "$wanted") || exit 125
release=$("$here/vm/vm-kernel.sh" release "$kernel") || exit 125
module=$top/build/kmod-${wanted##*/}/xroce.ko # built with make KERNEL=
mkdir -p "$top/build/vm"
run=$(mktemp -d "$top/build/vm/run-XXXXXX")
log=$top/build/vm/dmesg-${run##*-}.log
trap finish EXIT
trap 'exit 130' INT TERM HUP

initramfs=$top/build/vm/initramfs-$release.cpio
make_initramfs "$initramfs"
pick_accel
write_command >"$run/command"

# In the background: bash runs no trap while it waits for a foreground command. The pipe
# prevents QEMU from making the caller's stdout non-blocking.
{
	status=0
	qemu "$accel" "$limit" XROCE_TOP="$top" XROCE_RUN="$run" \
		XROCE_KERNEL="$kernel" XROCE_ROOT="$root" \
		2>"$run/qemu.err" || status=$?
	echo "$status" >"$run/qemu.status"
} | cat &
wait $!

if [ "$(cat "$run/qemu.status")" -ge 124 ]; then
	echo "vm: no end within $limit s, kernel log: $log" >&2
	status=124
elif [ -s "$run/status" ]; then
	status=$(cat "$run/status")
else
	cat "$run/qemu.err" >&2
	tail -n 80 "$log" | tr -d '\r' >&2
	echo "vm: the machine stopped early, kernel log: $log" >&2
	status=125
fi
if "$here/vm/vm-complaints.sh" "$log" >"$run/complaints"; then
	echo "vm: the kernel complained, kernel log: $log" >&2
	cat "$run/complaints" >&2
	[ "$status" -ne 0 ] || status=1
fi
exit "$status"
