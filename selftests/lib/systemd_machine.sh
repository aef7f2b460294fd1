# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# A running systemd in a shell test: process 1 of its own namespaces, with a udev of its own. Source
# it after net.sh.

# Not in a home directory or /tmp, which units cannot see.
systemd_work=/opt/xroce-systemd
process=
booted=

# These tests change the system: only in a disposable machine.
needs_systemd() {
	[ "${XROCE_VM:-}" = 1 ] && [ -x /lib/systemd/systemd ] &&
		[ -x /lib/systemd/systemd-udevd ] && return
	echo '1..0 # SKIP needs systemd and a virtual machine'
	exit 4
}

# systemd_etc: make $systemd_work, with the command, and an /etc that lasts as long as the test. No
# unit is enabled there but the one that mounts what fstab says. It has our units and the rule of
# udev.
systemd_etc() {
	local unit name

	mkdir -p "$systemd_work"
	mount -t tmpfs tmpfs "$systemd_work"
	undo+=(systemd_work_down)
	mkdir "$systemd_work/user" "$systemd_work/bpf" "$systemd_work/etc" "$systemd_work/etc.work"
	mount -t overlay etc /etc \
		-o "lowerdir=/etc,upperdir=$systemd_work/etc,workdir=$systemd_work/etc.work"
	undo+=(systemd_etc_down)
	rm -rf /etc/systemd/system
	mkdir -p /etc/systemd/system/multi-user.target.wants /etc/udev/rules.d /etc/xroce
	ln -s /lib/systemd/system/remote-fs.target /etc/systemd/system/multi-user.target.wants/
	systemd_without
	: >/etc/fstab
	cp "$top/build/user/xroce" "$systemd_work/user"
	systemd_packets
	for unit in "$top"/user/systemd/xroce-*; do
		name=${unit##*/}
		sed "s,@SBIN@,$systemd_work/user," "$unit" >"/etc/systemd/system/${name%.in}"
	done
	cp "$top/kmod/60-xroce.rules" /etc/udev/rules.d
	getent group xroce >/dev/null || groupadd --system xroce
}

# What takes a boot, or each reload of the units, much time, and no unit of ours uses: log-ins, foreign
# programs, drivers of graphics and of other hardware that udev would find, scripts of System V, and
# generators but for those of mounts.
systemd_without() {
	local name dir=/etc/systemd/system

	for name in getty.target systemd-logind.service modprobe@drm.service \
		systemd-binfmt.service proc-sys-fs-binfmt_misc.automount \
		systemd-update-utmp.service systemd-update-utmp-runlevel.service \
		systemd-user-sessions.service systemd-tmpfiles-clean.timer; do
		ln -s /dev/null $dir/$name
	done
	mkdir $dir/systemd-udev-trigger.service.d
	cat >$dir/systemd-udev-trigger.service.d/few.conf <<-END
	[Service]
	ExecStart=
	ExecStart=udevadm trigger --action=add --subsystem-match=net --subsystem-match=misc
	END
	rm -rf /etc/init.d /etc/rc?.d
	mkdir -p /etc/systemd/system-generators
	for name in /lib/systemd/system-generators/*; do
		case ${name##*/} in
		systemd-fstab-generator | nfs-* | rpc-*) ;;
		*) ln -s /dev/null "/etc/systemd/system-generators/${name##*/}" ;;
		esac
	done
}

# The program of links from here on: see packets() and no_packets() of tap.sh. The command looks for
# its BPF object there.
systemd_packets() { cp "$top/build/bpf/xroce.bpf.o" "$systemd_work/bpf"; }
systemd_no_packets() {
	cp "$top/build/selftests/lib/small.bpf.o" "$systemd_work/bpf/xroce.bpf.o"
}

systemd_etc_down() { umount /etc; }

systemd_work_down() { umount "$systemd_work"; }

# systemd_boot TARGET [COMMAND...]: run it, by COMMAND, until TARGET is reached
systemd_boot() {
	local target=$1

	shift
	cat >"$systemd_work/boot" <<-END
	mount -t proc proc /proc
	# systemd 257 would take it for mounted, though the new /sys hides it.
	! mountpoint -q /sys/kernel/config || umount /sys/kernel/config
	mount -t sysfs sysfs /sys
	mount -t cgroup2 cgroup2 /sys/fs/cgroup
	mount -t bpf bpf /sys/fs/bpf
	for dir in /run /tmp; do mount -t tmpfs tmpfs \$dir; done
	mkdir /run/lock
	mount --make-rshared /
	exec env container=other /lib/systemd/systemd --system --unit=$target
	END
	"$@" unshare --pid --fork --mount --cgroup bash "$systemd_work/boot" >"$systemd_work/log" 2>&1 &
	booted=$!
	undo+=(systemd_halt)
	wait_until 300 systemd_is_up "$target"
}

systemd_is_up() { process=$(pgrep -o -x systemd) && is_active "$1" active; }

# As "systemctl poweroff", which would ask the service of log-ins first.
systemd_poweroff() {
	sd systemctl -q --no-block --job-mode=replace-irreversibly start poweroff.target
}

# unshare ends behind systemd, and has the log open until then. Its status says only how systemd was
# ended, which is killed here or told to power off by a row.
systemd_halt() {
	process=$(pgrep -o -x systemd) && kill -9 "$process"
	wait "$booted" || true
}

# sd COMMAND...: run it in the namespaces of that systemd
sd() { nsenter -t "$process" -a "$@"; }

start() {
	timeout 200 nsenter -t "$process" -a systemctl start "$1" >"$systemd_work/said" 2>&1 &&
		return
	sed 's/^/# /' "$systemd_work/said"
	sd systemctl status "$1" --no-pager -l | sed 's/^/# /'
	return 1
}

is_active() { [ "$(sd systemctl is-active "$1")" = "$2" ]; }
