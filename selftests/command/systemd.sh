#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The units under a running systemd, which is process 1 of its own namespaces, with the
# network of the server. Its udev gives the device to the group. A client's connection
# starts the server, which has none of root's capabilities.
#
#   client --TCP--> xroce-serve@x0.socket --> xroce-serve@x0.service
#                                                 '--> xroce-link@x0.service
set -eu

here=$(realpath "$(dirname "$0")")
. "$here/../lib/net.sh"
. "$here/../lib/systemd_machine.sh"

work=$systemd_work
state=/var/lib/private/xroce-serve

needs_systemd

install_units() {
	systemd_etc
	echo 'SERVE="--clients 2 region scratch size 64K region disk size 1M file disk odp"' \
		>/etc/xroce/serve-x0.conf
	head -c 300000 /dev/urandom >"$work/file"
}

# bad_conf PATTERN LINE...: the unit fails with these settings, its journal says why, and
# nothing is left
bad_conf() {
	local pattern=$1

	shift
	printf '%s\n' "$@" >/etc/xroce/link-x0.conf
	! sd systemctl start xroce-link@x0.service >"$work/said" 2>&1 || return 1
	sd journalctl --no-pager -o cat -u xroce-link@x0.service >"$work/said" 2>&1
	sd systemctl reset-failed xroce-link@x0.service
	grep -q "$pattern" "$work/said" && [ -z "$(sd "$work/user/xroce" link show)" ] &&
		[ ! -e /proc/"$process"/root/sys/fs/bpf/xroce/x0 ] || {
		sed 's/^/# /' "$work/said"
		return 1
	}
}

bad_confs() {
	mkdir -p /etc/xroce
	printf 'pd add dev x0\npd del dev x0 pd 7\n' >/etc/xroce/link-x0.batch
	bad_conf '^xroce: /etc/xroce/link-x0.conf:2: nonsense: no such argument$' \
		'mpt 64' 'nonsense 1' &&
		bad_conf '^xroce: /etc/xroce/link-x0.conf:1: mpt "65": must be a power of two' \
			'mpt 65' &&
		bad_conf '^xroce: /etc/xroce/link-x0.conf:2: batch /etc/xroce/none: No such file' \
			'mpt 64' 'batch /etc/xroce/none' &&
		bad_conf '^xroce: /etc/xroce/link-x0.batch:2: pd 7: no such protection domain$' \
			'batch /etc/xroce/link-x0.batch'
}

# Valid settings apply until the unit is stopped.
good_conf() {
	printf 'pd add dev x0\n' >/etc/xroce/link-x0.batch
	printf '%s\n' 'mode generic' 'mpt 128' 'qp 32' 'limit qp 7' 'limit user mr 9' \
		'batch /etc/xroce/link-x0.batch' >/etc/xroce/link-x0.conf
	start xroce-link@x0.service &&
		sd "$work/user/xroce" -d link show >"$work/links" &&
		grep -q 'dev x0 .* mode generic mpt 128 qp 32 paths 1 cc none moderation auto pds 1 ' "$work/links" &&
		sd "$work/user/xroce" link limit >"$work/links" &&
		grep -q 'limit of qp used 0 link 7$' "$work/links" &&
		grep -q 'limit of mr used 0 user 9$' "$work/links" || {
		sed 's/^/# /' "$work/links"
		return 1
	}
	sd systemctl stop xroce-link@x0.service &&
		[ -z "$(sd "$work/user/xroce" link show)" ] && rm /etc/xroce/link-x0.*
}

# The unit may make a verbs device. It goes with the link.
verbs() {
	insmod "$verbs_module" && echo 'verbs xr0' >/etc/xroce/link-x0.conf &&
		start xroce-link@x0.service && [ -e /sys/class/infiniband/xr0 ] &&
		sd "$work/user/xroce" link show >"$work/links" &&
		grep -q 'dev x0 .* verbs xr0 ' "$work/links" || {
		sed 's/^/# /' "$work/links"
		return 1
	}
	sd systemctl stop xroce-link@x0.service && [ ! -e /sys/class/infiniband/xr0 ] &&
		rmmod xroce_ib && rm /etc/xroce/link-x0.conf
}

link_unit() {
	start xroce-link@x0.service &&
		sd "$work/user/xroce" link show >"$work/links" &&
		grep -q 'dev x0 mode native' "$work/links"
}

# Units ordered after xroce-link find a device that its group may open, even if udev is
# slow: load the module again while udev is held back.
udev_late() {
	local status=0

	sd systemctl stop xroce-link@x0.service && sd udevadm settle && rmmod xroce || return 1
	sd udevadm control --stop-exec-queue
	insmod "$core_module" || status=1
	timeout 200 nsenter -t "$process" -a systemctl start xroce-link@x0.service \
		>"$work/said" 2>&1 &
	wait_until 60 link_made || status=1
	! is_active xroce-link@x0.service active && ! has_group || status=1
	sd udevadm control --start-exec-queue
	wait $! && has_group || status=1
	[ $status = 0 ] || {
		stat -c '# /dev/xroce: %U %G %a' /dev/xroce
		sd systemctl status xroce-link@x0.service --no-pager -l | sed 's/^/# /'
	}
	return $status
}

# The command has ended: the unit waits for udev, or is up.
link_made() {
	case $(sd systemctl show -p SubState --value xroce-link@x0.service) in
	start-post | exited) ;;
	*) return 1 ;;
	esac
}

has_group() { [ "$(stat -c '%U %G %a' /dev/xroce)" = 'root xroce 660' ]; }

device() {
	has_group || {
		stat -c '# /dev/xroce: %U %G %a' /dev/xroce
		return 1
	}
}

client() {
	timeout 120 "$top/build/examples/memory_client" -r disk rxe0 10.77.0.2 \
		"$work/file" >"$work/client" 2>&1 &&
		grep -q 'written, read back, and the same' "$work/client" || {
		sed 's/^/# /' "$work/client"
		sd systemctl status xroce-serve@x0.service --no-pager -l | sed 's/^/# /'
		return 1
	}
}

# The server starts only when the first client connects.
socket_unit() {
	start xroce-serve@x0.socket && is_active xroce-serve@x0.service inactive &&
		client && is_active xroce-serve@x0.service active
}

# The service has its own user, no capabilities, and no other devices.
sandboxed() {
	local pid

	pid=$(sd systemctl show -p MainPID --value xroce-serve@x0.service)
	sd cat "/proc/$pid/status" >"$work/status"
	grep -qE '^CapEff:\s+0+$' "$work/status" &&
		! grep -qE '^Uid:\s+0\s' "$work/status" &&
		grep -qE '^NoNewPrivs:\s+1$' "$work/status" || {
		sed 's/^/# /' "$work/status"
		return 1
	}
}

# Written bytes are in the file after the service has stopped, and are served again.
again() {
	sd systemctl stop xroce-serve@x0.service 2>"$work/said" &&
		cmp -n 300000 "$work/file" "$state/disk" &&
		head -c 300000 /dev/urandom >"$work/file" && client
}

# A new link takes the server along.
restarted() {
	sd systemctl restart xroce-link@x0.service &&
		is_active xroce-link@x0.service active && wait_until 60 client || {
		sd systemctl status 'xroce-*' --no-pager -l | sed 's/^/# /'
		return 1
	}
}

pair_add() { in_xr ip link add v0 type veth peer name v1; }

# The link, and its server, go with the device and come back with it.
comes_back() {
	local status=0

	printf 'mpt 64\nqp 16\n' >/etc/xroce/link-v0.conf
	echo 'SERVE="--port 18600 region scratch size 64K"' >/etc/xroce/serve-v0.conf
	pair_add
	sd systemctl -q enable --now xroce-link@v0.service xroce-serve@v0.service &&
		is_active xroce-serve@v0.service active || status=1
	in_xr ip link del v0
	wait_until 60 is_active xroce-link@v0.service inactive &&
		is_active xroce-serve@v0.service inactive || status=1
	pair_add
	wait_until 60 is_active xroce-serve@v0.service active &&
		sd "$work/user/xroce" link show dev v0 >"$work/links" || status=1
	[ $status = 0 ] ||
		sd systemctl status '*@v0.service' --no-pager -l | sed 's/^/# /'
	sd systemctl -q disable --now xroce-serve@v0.service xroce-link@v0.service
	in_xr ip link del v0
	return $status
}

stopped() {
	sd systemctl stop xroce-serve@x0.socket xroce-serve@x0.service \
		xroce-link@x0.service 2>"$work/said" &&
		is_active xroce-serve@x0.service inactive &&
		is_active xroce-link@x0.service inactive &&
		[ -z "$(sd "$work/user/xroce" link show)" ] &&
		cmp -n 300000 "$work/file" "$state/disk"
}

net_up
rxe_up
module_up
install_units
systemd_no_packets
run systemd_boots 'U4' systemd_boot basic.target in_xr
run systemd_bad_conf 'U1 U6' bad_confs
run systemd_conf 'U1 U6' good_conf
if [ -e "$verbs_module" ]; then
	run systemd_verbs 'U1 U6' verbs
else
	result 0 systemd_verbs "# SKIP no ${verbs_module#"$top/"}"
fi
run systemd_link 'U1 U6' link_unit
run systemd_device 'U6' device
# From here on, the link has clients.
systemd_packets
run systemd_udev_late 'U6' udev_late
run systemd_socket 'U4 U6' socket_unit
run systemd_sandboxed 'U4 U6' sandboxed
run systemd_again 'U4 U6' again
run systemd_restarted 'U4 U6' restarted
systemd_no_packets
run systemd_comes_back 'U4 U6' comes_back
run systemd_stopped 'U4 U6' stopped
results
