#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# headers.sh DIR: the private headers of libibverbs, which no package has, in DIR.
#
# They are those of Debian's source package: apt fetches it and verifies its signature, with a list
# of sources of its own, so that those of the machine stay as they are. XROCE_RDMA_CORE=DIR names an
# unpacked source tree of rdma-core instead. Nothing of it is copied into this tree.
#
# One number, IBVERBS_PABI_VERSION in config.h, says with which libibverbs a provider works: it is
# part of the name of a symbol. Debian 12 (44.0) and 13 (56.1) have the same.
set -eu

version=56.1
out=$1
here=$(cd "$(dirname "$0")" && pwd)

fail()
{
	printf 'provider: %s\n' "$@" >&2
	exit 1
}

# The mirror of Debian that apt uses here.
mirror()
{
	apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' 'Label: Debian' \
		'Created-By: Packages' 2>/dev/null | head -n 1
}

# Fetch the source package into the present directory.
fetch()
{
	command -v apt-get >/dev/null || return 1
	uri=$(mirror) || :
	printf 'Types: deb-src\nURIs: %s\nSuites: trixie\nComponents: main\nSigned-By: %s\n' \
		"${uri:-http://deb.debian.org/debian}" \
		/usr/share/keyrings/debian-archive-keyring.gpg >apt.sources
	mkdir -p lists/partial archives/partial
	set -- -q -o "Dir::Etc::SourceList=$PWD/apt.sources" -o Dir::Etc::SourceParts=- \
		-o "Dir::State::Lists=$PWD/lists" -o "Dir::Cache=$PWD" \
		-o Debug::NoLocking=1 -o "APT::Sandbox::User=$(id -un)"
	apt-get "$@" update && apt-get "$@" source --tar-only "rdma-core=$version-1"
}

# Unpack the headers of the source tree $1 as they are included.
unpack()
{
	mkdir -p "$out.new/infiniband" "$out.new/ccan" "$out.new/util" "$out.new/rdma" \
		"$out.new/kernel-abi"
	for f in driver kern-abi cmd_ioctl verbs verbs_api tm_types; do
		cp "$1/libibverbs/$f.h" "$out.new/infiniband/"
	done
	for f in list container_of check_type str str_debug; do
		cp "$1/ccan/$f.h" "$out.new/ccan/"
	done
	cp "$1/util/compiler.h" "$out.new/util/"
	for f in ib_user_verbs ib_user_ioctl_verbs rdma_user_ioctl_cmds; do
		cp "$1/kernel-headers/rdma/$f.h" "$out.new/rdma/"
	done
	cp "$out.new/rdma/ib_user_ioctl_verbs.h" "$out.new/infiniband/"
	python3 "$1/buildlib/make_abi_structs.py" "$out.new/rdma/ib_user_verbs.h" \
		"$out.new/kernel-abi/ib_user_verbs.h"
}

# The installed libibverbs must accept a provider with the number of config.h.
check()
{
	pabi=$(sed -n 's/^#define IBVERBS_PABI_VERSION[[:space:]]*//p' "$here/config.h")
	library=$(${CC:-gcc} -print-file-name=libibverbs.so)
	[ -e "$library" ] || fail "no libibverbs.so (Debian: libibverbs-dev)"
	has=$(nm -D --defined-only "$library" | sed -n 's/.* verbs_register_driver_\([0-9]*\).*/\1/p')
	[ "$has" = "$pabi" ] || fail \
		"the private ABI of the installed libibverbs is ${has:-unknown}; this provider is for $pabi" \
		"($library; rdma-core before 57)"
}

check
[ ! -e "$out/infiniband/driver.h" ] || exit 0
rm -rf "$out.new" "$out.tmp"
if [ -n "${XROCE_RDMA_CORE:-}" ]; then
	[ -e "$XROCE_RDMA_CORE/libibverbs/driver.h" ] ||
		fail "XROCE_RDMA_CORE=$XROCE_RDMA_CORE is no source tree of rdma-core"
	unpack "$XROCE_RDMA_CORE"
else
	mkdir -p "$out.tmp"
	(cd "$out.tmp" && fetch) >"$out.log" 2>&1 || {
		tail -n 5 "$out.log" >&2
		fail "the headers of rdma-core $version could not be fetched with apt ($out.log)" \
			"XROCE_RDMA_CORE=DIR names an unpacked source tree of rdma-core instead"
	}
	tar -xf "$out.tmp/rdma-core_$version.orig.tar.gz" -C "$out.tmp"
	unpack "$out.tmp/rdma-core-$version"
	rm -rf "$out.tmp"
fi
rm -rf "$out"
mv "$out.new" "$out"
