#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Test the Debian packages in a temporary root file system (see root.sh):
#
#   build/deb  --install-->  files, DKMS  --vm.sh--> the device, the demo
#   a version  --upgrade-->  files, DKMS  --vm.sh--> the device
#   later      --purge---->  the root as it was
#
# usage: deb.sh [SUITE]            as root, after "make deb" and "make all"
#        deb.sh guest VERSION [demo]    runs in the virtual machine
set -euo pipefail

here=$(realpath "$(dirname "$0")")
cache=${XROCE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/xroce}
names='xroce libxroce0 libxroce-dev xroce-dkms'
. "$here/../lib/tap.sh"

not_so() { echo "# not so: $*"; return 1; }

# same NAME EXPECTED FOUND: compare two lists
same() {
	diff "$2" "$3" >"$work/diff" || {
		sed 's/^/# /' "$work/diff" | head -n 40
		not_so "$1"
	}
}

# quiet COMMAND...: show its output only if it fails
quiet() {
	"$@" >"$work/out" 2>&1 || {
		sed 's/^/# /' "$work/out" | tail -n 60
		not_so "$*"
	}
}

in_root() { "$top/selftests/vm/root.sh" run "$root" "$@"; }

# Print type, mode and owner of every file of the root except logs and package lists, and
# the hash of regular files. Backup files /etc/NAME- are ignored.
snapshot() {
	(cd "$root" && find . -xdev \( -path ./var/lib/dpkg -o -path ./var/log \
		-o -path ./var/cache -o -path ./var/lib/apt -o -path ".$top" \
		-o -path ./tmp -o -path ./run -o -path './etc/*-' \) -prune \
		-o \( -type f -printf '%p %m %u:%g ' -exec sha256sum {} \; \) \
		-o -printf '%p %m %u:%g %y %l\n') | sort
}

# deb_of VERSION: print the packages of a version, as arguments of apt
deb_of() {
	local dir name

	dir=$(dirname "$(find "$top/build/deb" -name "xroce_$1_*.deb")")
	for name in $names; do
		find "$dir" -name "${name}_$1_*.deb"
	done
}

apt() { in_root apt-get -y -q --no-install-recommends "$@"; }

# install VERSION: install the packages
install() {
	# shellcheck disable=SC2046 # names without blanks
	quiet apt install $(deb_of "$1")
}

# has VERSION: packages, command and modules are of this version, and no other is left
has() {
	local name release module

	for name in $names; do
		[ "$(in_root dpkg-query -W -f '${db:Status-Status} ${Version}' \
		     "$name")" = "installed $1" ] || not_so "$name is of $1" ||
			return
	done
	[ "$(in_root xroce --version)" = "xroce $1" ] || not_so "xroce is $1" ||
		return
	release=$("$top/selftests/vm/vm-kernel.sh" release "$root")
	[ "$(in_root dkms status xroce 2>"$work/err")" = "xroce/$1, $release, x86_64: installed" ] ||
		not_so "DKMS has $1 for $release only" || return
	for module in xroce xroce_ib; do
		[ "$(in_root modinfo -k "$release" -F version "$module")" = "$1" ] ||
			not_so "the module $module is $1" || return
	done
	(cd "$root/usr/src" && echo xroce-*) | grep -qx "xroce-$1" ||
		not_so "/usr/src has xroce-$1 only"
}

# A program built with pkg-config's flags runs with the installed library.
builds_with_library() {
	cat >"$root/tmp/p.c" <<-'END'
	#include <errno.h>
	#include <libxroce.h>
	int main(void)
	{
		return xroce_open("lo") || errno != ENXIO;
	}
	END
	# shellcheck disable=SC2016 # for the other shell
	quiet in_root sh -ec 'cd /tmp && cc -Wall -Werror -o p p.c \
		$(pkg-config --cflags --libs libxroce) && ./p
		cc -o q p.c $(pkg-config --cflags libxroce) -l:libxroce.a -lbpf -lmnl && ./q' ||
		return
	in_root objdump -p /tmp/p | grep -q LIBXROCE_0.1 ||
		not_so 'the program wants symbols of a version'
	rm "$root"/tmp/[pq] "$root/tmp/p.c"
}

# "make install" installs the same files as the packages, except that the packages have
# libraries in another directory and the module's source instead of the module.
agrees_with_make_install() {
	local dir=$work/install name

	quiet make -C "$top" install DESTDIR="$dir" || return
	(cd "$dir" && find . ! -type d) | sed -E "s,^\./,/,
		s,^/usr/local/lib/(libxroce|pkgconfig),/usr/lib/$(gcc -print-multiarch)/\1,
		s,^/usr/local,/usr,; /^\/(lib\/modules|usr\/share\/doc)\//d" |
		sort >"$work/made"
	for name in $names; do
		in_root dpkg -L "$name"
	done | sort -u | while read -r name; do
		[ -d "$root$name" ] || echo "${name%.gz}"
	done | grep -vE '^/usr/(share/(doc|lintian)|src)/' >"$work/packaged"
	same 'make install and the packages agree' "$work/packaged" "$work/made" ||
		return
	quiet make -C "$top" uninstall DESTDIR="$dir" || return
	[ -z "$(find "$dir" ! -type d)" ] || not_so 'make uninstall leaves nothing'
}

# Without vmlinux there is no BTF: DKMS must stop and say why.
stops_without_vmlinux() { # VERSION
	local release status=0

	release=$("$top/selftests/vm/vm-kernel.sh" release "$root")
	mv "$root/usr/src/linux-headers-$release/vmlinux" "$root/vmlinux"
	in_root dkms build -m xroce -v "$1" -k "$release" --force \
		>"$work/out" 2>&1 || status=$?
	mv "$root/vmlinux" "$root/usr/src/linux-headers-$release/vmlinux"
	[ $status != 0 ] || not_so 'dkms fails without vmlinux' || return
	grep -q 'has no vmlinux' "$root/var/lib/dkms/xroce/$1/build/make.log" ||
		not_so 'make.log says that there is no vmlinux' || return
	quiet in_root dkms build -m xroce -v "$1" -k "$release" --force
	quiet in_root dkms install -m xroce -v "$1" -k "$release" --force
}

# Shell completion loads, and the manual is installed.
has_completion_and_manual() {
	# shellcheck disable=SC2016 # for the other shell
	[ "$(in_root bash -ec '. /usr/share/bash-completion/bash_completion
		_completion_loader xroce || :
		COMP_WORDS=(xroce m) COMP_CWORD=1
		_xroce
		echo ${COMPREPLY[*]}')" = 'mr mw mpt mtt monitor' ] ||
		not_so 'xroce m TAB' || return
	in_root sh -c 'zcat /usr/share/man/man8/xroce.8.gz' | grep -q '^\.TH ' ||
		not_so 'xroce.8'
}

# Files that README.md and SECURITY.md link to are installed beside them.
has_documents() {
	local dir=$root/usr/share/doc/xroce link seen=0 status=0

	for link in $(grep -ohE '\]\([^)#]+' "$dir/README.md" "$dir/SECURITY.md" |
		      sed 's/^](//' | sort -u); do
		case $link in *://*) continue ;; esac
		seen=$((seen + 1))
		[ -e "$dir/$link" ] || { not_so "$link is in the package" || status=1; }
	done
	[ $seen -ge 9 ] || not_so "$seen links" || return
	[ -e "$dir/SECURITY.md" ] || not_so 'SECURITY.md is in the package' || return
	return $status
}

# The maintainer is the builder's address, or the placeholder address.
has_maintainer() {
	local name want="xroce maintainers <no-address@xroce.invalid>" is

	[ -z "${DEBEMAIL:-}" ] || want="${DEBFULLNAME:-xroce maintainers} <$DEBEMAIL>"
	for name in $names; do
		# shellcheck disable=SC2016 # dpkg-query expands it
		is=$(in_root dpkg-query -W -f '${Maintainer}' "$name")
		[ "$is" = "$want" ] || not_so "$name is of $want, not $is" || return
	done
}

# "make deb" first lists the packages that it installs; here one that does not exist.
says_what_it_installs() {
	local status=0

	make --no-print-directory -C "$top" deb missing=xroce-no-such-package \
		>"$work/out" 2>"$work/err" || status=$?
	[ $status != 0 ] || not_so 'make deb fails for want of a package' || return
	head -n 1 "$work/out" |
		grep -q '^deps: apt-get will install.*: xroce-no-such-package$' ||
		not_so "make deb says what it installs: $(head -n 1 "$work/out")" || return
	find "$top/build/deb" -name 'xroce_*.deb' | grep -q . ||
		not_so 'what was built is still there'
}

in_machine() { # VERSION [demo]
	"$top/selftests/vm.sh" --root "$root" -- "$here/deb.sh" guest "$@" \
		>"$work/out" 2>&1 || {
		sed 's/^/# /' "$work/out" | tail -n 60
		return 1
	}
}

# Build the same sources with a later version, from the source package.
later_version() { # VERSION LATER
	local dir=$top/build/deb/later

	rm -rf "$dir"
	quiet dpkg-source -x "$top/build/deb/xroce_$1.dsc" "$dir" || return
	{
		printf 'xroce (%s) unstable; urgency=medium\n\n' "$2"
		printf '  * Next release.\n\n'
		echo "$(sed -n '/^ -- /{s/>.*/>/p;q}' "$dir/debian/changelog")  $(date -R)"
		echo
		cat "$dir/debian/changelog"
	} >"$work/changelog"
	cp "$work/changelog" "$dir/debian/changelog"
	quiet make -C "$dir" deb
}

purges() {
	local name

	# Including packages installed as dependencies.
	# shellcheck disable=SC2086 # names without blanks
	quiet apt purge --autoremove $names || return
	for name in $names; do
		! in_root dpkg-query -W "$name" >/dev/null 2>&1 ||
			not_so "dpkg knows nothing of $name" || return
	done
	snapshot >"$work/after"
	same 'all is as before' "$work/before" "$work/after"
}

host() { # SUITE
	local base version later

	base=$("$top/selftests/vm/root.sh" dir "$1")
	version=$(sed -n '1s/.*(\(.*\)).*/\1/p' "$top/debian/changelog")
	later=${version%.*}.$((${version##*.} + 1))
	work=$(mktemp -d "$cache/deb.XXXXXX")
	trap 'umount "$root"; rm -rf --one-file-system "$work"' EXIT
	root=$work/root
	mkdir "$work/upper" "$work/work" "$root"
	mount -t overlay -o "lowerdir=$base,upperdir=$work/upper,workdir=$work/work" \
		overlay "$root"
	in_root true
	snapshot >"$work/before"

	echo 'TAP version 13'
	run deb_install 'U6' install "$version"
	run deb_installed 'U1 U6' has "$version"
	run deb_make_install 'U6' agrees_with_make_install
	run deb_completion 'U1' has_completion_and_manual
	run deb_documents 'U6' has_documents
	run deb_maintainer 'U6' has_maintainer
	run deb_says 'U6' says_what_it_installs
	run deb_library 'U3' builds_with_library
	run deb_no_vmlinux 'U6' stops_without_vmlinux "$version"
	run deb_machine 'U4 U6' in_machine "$version" demo
	run deb_later 'U6' later_version "$version" "$later"
	run deb_upgrade 'U6' install "$later"
	run deb_upgraded 'U6' has "$later"
	run deb_machine_later 'U6' in_machine "$later"
	run deb_purge 'U6' purges
	results
}

# may_open GROUP...: a user of these groups may open the device
may_open() {
	setpriv --reuid=65534 --regid=65534 "$@" \
		bash -c ': <>/dev/xroce' 2>/dev/null
}

# The kernel finds the module of verbs devices by itself.
verbs_device() {
	ip link add d0 type dummy
	ip link set d0 up
	xroce link add dev d0 mpt 64 qp 16 verbs xr0 >/dev/null
	[ "$(cat /sys/module/xroce_ib/version)" = "$1" ] || not_so "xroce_ib of $1 is loaded"
	[ -e /sys/class/infiniband/xr0 ] || not_so 'the verbs device is there'
	xroce link show dev d0 | grep -q ' verbs xr0 ' || not_so 'the link has a verbs device'
	xroce link del dev d0
	ip link del d0
	rmmod xroce_ib
}

# The kernel frees a program some time after its last pin is removed.
unload() {
	local try

	for try in $(seq 100); do
		! rmmod xroce 2>/dev/null || return 0
		sleep 0.1
	done
	not_so "the module is unloaded after $try tries"
}

guest() { # VERSION [demo]
	local udevd=/usr/lib/systemd/systemd-udevd

	"$udevd" --daemon
	modprobe xroce
	udevadm settle
	[ "$(cat /sys/module/xroce/version)" = "$1" ] ||
		not_so "the module of $1 is loaded"
	[ "$(stat -c '%a %U:%G' /dev/xroce)" = '660 root:xroce' ] ||
		not_so "/dev/xroce is $(stat -c '%a %U:%G' /dev/xroce)"
	may_open --groups "$(getent group xroce | cut -d: -f3)" ||
		not_so 'who is in the group may open it'
	! may_open --clear-groups || not_so 'who is not may not'
	verbs_device "$1"
	unload
	[ "${2:-}" = demo ] || return 0
	XROCE_MODULE=$(modinfo -n xroce) XROCE_COMMAND=/usr/sbin/xroce \
		"$here/demo.sh"
}

if [ "${1:-}" = guest ]; then
	shift
	guest "$@"
elif [ "$(id -u)" != 0 ]; then
	exec sudo XROCE_CACHE="$cache" "$here/deb.sh" "$@"
elif [ -z "${XROCE_DEB:-}" ]; then
	# Mounts end with this process.
	XROCE_DEB=1 exec unshare --mount --propagation private "$here/deb.sh" "$@"
else
	host "${1:-bookworm}"
fi
