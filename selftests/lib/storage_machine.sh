# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# A machine with systemd and the network of ulp.sh, as doc/storage.md describes it, without the
# devices. Source it after ulp.sh and systemd_machine.sh.

# storage_needs: unpack programs whose services a host should not have; skip the test without a
# program or a module
storage_needs() {
	"$top/selftests/vm/guest-packages.sh" unpack >/dev/shm/guest-packages 2>&1 ||
		sed 's/^/# /' /dev/shm/guest-packages
	storage_users
	ulp_needs nvme iscsid mkfs.ext4 targetctl mount.nfs rpc.nfsd nvmet-rdma.ko nvme-rdma.ko \
		ib_isert.ko ib_iser.ko nfsd.ko rpcrdma.ko
}

# The users of rpcbind and rpc.statd, which the scripts of their packages make.
storage_users() {
	local user

	for user in _rpc statd; do
		getent passwd $user >/dev/null || useradd --system --no-create-home $user
	done
	[ ! -d /var/lib/nfs/sm ] || chown -R statd: /var/lib/nfs/sm /var/lib/nfs/sm.bak
}

# The network, /srv, which outlives a boot, the examples of the package, and the names of the host.
storage_up() {
	verbs_module_up
	ulp_configfs
	ulp_net rxe xroce
	tc qdisc replace dev h0 root pfifo limit 20000
	mount -t tmpfs tmpfs /srv
	undo+=(storage_down)
	systemd_etc
	mkdir -p /usr/share/doc/xroce
	ln -sfn "$top/examples" /usr/share/doc/xroce/examples
	echo nqn.2014-08.org.nvmexpress:uuid:6b1f2a3c-0d4e-4f5a-8b6c-7d8e9f0a1b2c >/etc/nvme/hostnqn
	echo 6b1f2a3c-0d4e-4f5a-8b6c-7d8e9f0a1b2c >/etc/nvme/hostid
	echo InitiatorName=iqn.2026-11.net.example:host >/etc/iscsi/initiatorname.iscsi
}

storage_down() { umount /srv; }
