# SPDX-License-Identifier: GPL-2.0-only
# Everything is built in build/; "make help" lists the targets.

# The version of the newest changelog entry.
VERSION   := $(shell sed -n '1s/.*(\(.*\)).*/\1/p' debian/changelog)
SOVERSION := 0
PREFIX    ?= /usr/local
LIBDIR    ?= $(PREFIX)/lib
# Where the library finds its BPF object; one directory for each SOVERSION.
BPFDIR    := $(LIBDIR)/libxroce$(SOVERSION)

CC     ?= gcc
CLANG  ?= $(firstword $(foreach v,19 $(shell seq 30 -1 14),\
	    $(shell command -v clang-$(v))) clang)
lib_pkgs := libbpf libmnl
PKGS   := $(lib_pkgs) json-c libelf
cli_pkgs := ncursesw librdmacm libibverbs
CACHE  := $(or $(XROCE_CACHE),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/xroce)
B      := build

CFLAGS ?= -O2 -g
flags  := -std=gnu11 -Wall -Wextra -Wno-missing-field-initializers -Werror \
	-D_GNU_SOURCE -Iinclude -Iuser/lib -Iuser/cmd -MMD -MP
flags  += -DXROCE_VERSION='"$(VERSION)"'
flags  += -DXROCE_BPF_OBJ='"$(BPFDIR)/xroce.bpf.o"'
LIBS    = $(shell pkg-config --libs $(PKGS))
cli_libs = $(shell pkg-config --libs $(cli_pkgs))

BPF_CFLAGS = -target bpf -mcpu=v3 -O2 -g -Wall -Werror -Iinclude \
	-ffile-prefix-map=$(CURDIR)=. \
	-I/usr/include/$(shell $(CC) -print-multiarch) -MMD -MP

lib_src := $(wildcard user/lib/*.c)
cli_src := $(wildcard user/cmd/*.c user/cmd/*/*.c)
lib_obj := $(lib_src:%.c=$(B)/%.o)
cli_obj := $(cli_src:%.c=$(B)/%.o)
# Private parts of the library that the command also uses.
cli_lib := $(patsubst %,$(B)/user/lib/%.o,bpf_object counter map netdev netlink vlan xdp_feature)
kmod_src := $(wildcard kmod/*.[ch] kmod/*/*.[ch] kmod/*/*/*.[ch]) kmod/Kbuild kmod/Makefile
kmod_dirs := $(sort $(dir $(kmod_src)))
kmod_in = $(foreach f,$(kmod_src),$(if $(filter $(1),$(dir $(f))),$(f)))

kmod    := $(B)/kmod$(KERNEL:%=-%)
module  := $(kmod)/xroce.ko
object  := $(B)/bpf/xroce.bpf.o
library := $(B)/user/libxroce.a $(B)/user/libxroce.so.$(SOVERSION)
command := $(B)/user/xroce
test_bpf := $(patsubst %.c,$(B)/%.o,$(wildcard selftests/*/*.bpf.c))

# "make V=1" shows the commands.
say = $(if $(filter 1,$(V)),,@printf '  %-7s %s\n' $(1) $@;)

.PHONY: all module bpf user man selftests examples deps deps-root demo check check-long check-deb check-debug soak soak-nvme lint lint-quick \
	bench bench-check bench-save bench-plot bench-native bench-networks \
	install install-module install-device install-user install-dkms uninstall uninstall-check uninstall-dkms deb clean help
.DELETE_ON_ERROR:

all: module bpf user man selftests examples
	@:
module: $(module)
bpf: $(object)
user: $(library) $(command)

# --- The modules: xroce.ko and, if the kernel has InfiniBand, xroce_ib.ko beside it.

host_headers   := /usr/src/linux-headers-*/vmlinux /lib/modules/*/build/vmlinux
cached_headers := $(CACHE)/kernel/*/usr/src/linux-headers-*/vmlinux
newest = $(shell ls -U -d $(1) 2>/dev/null | \
	sed -E 's,^.*/(linux-headers-|modules/)([^/]+)(/build)?/vmlinux$$,\2 &,' | \
	sort -s -V -k1,1 | tail -n 1 | sed -E 's,^[^ ]+ (.*)/vmlinux$$,\1,')
KDIR ?= $(call newest,$(host_headers) $(cached_headers))

# KERNEL=SUITE builds for the kernel of that suite's root, and inside the root, because the
# tools in its headers need its libraries.
ifdef KERNEL
KERNEL_ROOT := $(shell selftests/vm/root.sh dir $(KERNEL) 2>/dev/null)
KDIR := /usr/src/linux-headers-$(if $(KERNEL_ROOT),$(shell selftests/vm/vm-kernel.sh release $(KERNEL_ROOT)))
in_root := selftests/vm/root.sh run $(KERNEL_ROOT)
endif

$(module): $(kmod_src) $(wildcard include/*.h include/uapi/*.h include/uapi/rdma/*.h) $(kmod)/.kdir
	$(if $(KERNEL),$(if $(KERNEL_ROOT),,$(error no root of $(KERNEL): run "make deps KERNEL=$(KERNEL)")))
	@find $(kmod) -xtype l -delete
	@$(foreach d,$(kmod_dirs),mkdir -p $(d:kmod/%=$(kmod)/%) && \
		ln -srf $(call kmod_in,$(d)) $(d:kmod/%=$(kmod)/%) &&) :
	$(if $(filter 1,$(V)),,@)$(in_root) $(if $(KERNEL),make,$(MAKE)) --no-print-directory -C $(abspath $(kmod)) \
		KDIR='$(KDIR)' VERSION=$(VERSION) W=1
	@touch $@

# For "make bench": parts of the module as separate modules.
in_bench   := $(B)/selftests/bench
pool_bench := $(in_bench)/pool/pool_bench.ko
pool_src   := $(wildcard selftests/bench/pool/*) kmod/mem/pool.c
$(pool_bench): $(pool_src) kmod/mem/pool.h $(in_bench)/pool/.kdir
bytes_bench := $(in_bench)/bytes/bytes_bench.ko
bytes_src   := $(wildcard selftests/bench/bytes/*) \
	$(patsubst %,kmod/bytes/%.c,icrc clmul vector vcopy) kmod/bytes/clmul_wide.h
$(bytes_bench): $(bytes_src) $(in_bench)/bytes/.kdir
bench_modules := $(pool_bench) $(bytes_bench)
$(bench_modules):
	@ln -sf $(patsubst %,../../../../%,$(filter selftests/% kmod/%.c,$^)) $(@D)/
	$(if $(filter 1,$(V)),,@)$(MAKE) --no-print-directory -C $(KDIR) M=$(abspath $(@D)) W=1 modules
	@touch $@

# Delete objects that were built for another kernel.
$(B)/%/.kdir: FORCE
	@mkdir -p $(@D)
	@echo '$(KDIR)' | cmp -s - $@ || \
		{ rm -rf $(@D); mkdir -p $(@D); echo '$(KDIR)' >$@; }
FORCE:

# For tests: a consumer of verbs in the kernel.
kverbs := $(B)/selftests/kverbs$(KERNEL:%=-%)/kverbs.ko
$(kverbs): $(wildcard selftests/ulp/kverbs/*) $(B)/selftests/kverbs$(KERNEL:%=-%)/.kdir
	@ln -sf $(patsubst %,../../../%,$(filter selftests/ulp/%,$^)) $(@D)/
	$(if $(filter 1,$(V)),,@)$(in_root) $(if $(KERNEL),make,$(MAKE)) --no-print-directory -C $(KDIR) \
		M=$(abspath $(@D)) W=1 modules
	@touch $@

# --- The program.

$(B)/%.bpf.o: %.bpf.c Makefile
	@mkdir -p $(@D)
	$(call say,CLANG)$(CLANG) $(BPF_CFLAGS) -c $< -o $@

# --- The library and the command. In the build tree the command is linked with the static
# library. With SHARED=1, for packages, it uses the shared library, which knows the path of
# the BPF object.

$(lib_obj): flags += -fPIC
$(B)/user/%.o: user/%.c Makefile
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(flags) $(shell pkg-config --cflags $(PKGS)) $(CPPFLAGS) $(CFLAGS) -c $< -o $@

$(B)/user/libxroce.a: $(lib_obj)
	$(call say,AR)rm -f $@; $(AR) rcs $@ $^

# The version script lists the exported functions; it must match the library.
$(B)/user/libxroce.so.$(SOVERSION): $(lib_obj) user/lib/libxroce.map
	$(call say,LD)$(CC) -shared -Wl,-soname,$(@F) -Wl,-z,defs \
		-Wl,--version-script=user/lib/libxroce.map $(CFLAGS) $(LDFLAGS) \
		$(lib_obj) $(shell pkg-config --libs $(lib_pkgs)) -o $@
	@nm -g --defined-only $(lib_obj) | sed -n 's/.* T //p' | sort >$@.all
	@readelf -sW $(lib_obj) | awk '$$6 == "HIDDEN" { print $$8 }' | sort -u >$@.hidden
	@sed -n 's/^\t*\(xroce_[a-z_0-9]*\);$$/\1/p' user/lib/libxroce.map | sort >$@.map
	@comm -23 $@.all $@.hidden | diff - $@.map >&2 || { rm $@; \
		echo "user/lib/libxroce.map (>) is not what the library has (<)" >&2; exit 1; }

$(command): $(cli_obj) $(if $(SHARED),$(B)/user/libxroce.so.$(SOVERSION) $(cli_lib),$(B)/user/libxroce.a)
	$(call say,LD)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LIBS) $(cli_libs) -o $@

# --- The provider: the part of libibverbs for verbs devices of xroce that have their own. It needs
# private headers of rdma-core, which headers.sh fetches, so "all" does not build it.

provider_src := $(wildcard user/provider/*.c)
provider_obj := $(provider_src:%.c=$(B)/%.o)
# Private headers of libibverbs: fetched once, also for packages.
PROVIDER_HEADERS ?= $(abspath $(B))/provider/include
# The number of the private ABI of libibverbs, which looks for it in the name.
pabi         := $(shell sed -n 's/^\#define IBVERBS_PABI_VERSION //p' user/provider/config.h)
provider     := $(B)/user/provider/libxroce-rdmav$(pabi).so $(B)/user/provider/xroce.driver
# Those of an older and of a newer module, for the test that each says so: they are not installed.
foreign_abi  := 0 2
foreign      := $(foreign_abi:%=$(B)/provider/abi%/libxroce-rdmav$(pabi).so)

.PHONY: provider provider-headers install-provider uninstall-provider
provider: $(provider) $(foreign)
provider-headers:
	@CC='$(CC)' user/provider/headers.sh $(PROVIDER_HEADERS)

$(provider_obj): | provider-headers
$(provider_obj): flags := -std=gnu11 -Wall -Wextra -Wno-missing-field-initializers -Werror \
	-D_GNU_SOURCE -fPIC -Iuser/provider -isystem $(PROVIDER_HEADERS) -Iinclude -MMD -MP

# All symbols are private but for the constructor, which registers it.
$(B)/user/provider/libxroce-rdmav$(pabi).so: $(provider_obj) user/provider/provider.map
	$(call say,LD)$(CC) -shared -Wl,-z,defs -Wl,--version-script=user/provider/provider.map \
		$(CFLAGS) $(LDFLAGS) $(provider_obj) $(shell pkg-config --libs libibverbs) -lpthread -o $@

# The same, with another number of the ABI.
$(foreign): $(B)/provider/abi%/libxroce-rdmav$(pabi).so: $(provider_obj) user/provider/provider.map
	$(call say,LD)mkdir -p $(@D)
	@printf '#include "uapi/rdma/xroce-abi.h"\n#undef XROCE_ABI_VERSION\n#define XROCE_ABI_VERSION %s\n' \
		$* >$(@D)/abi.h
	@$(CC) -std=gnu11 -D_GNU_SOURCE -fPIC -Iuser/provider -isystem $(PROVIDER_HEADERS) -Iinclude \
		$(CFLAGS) -include $(@D)/abi.h -c user/provider/provider.c -o $(@D)/provider.o
	@$(CC) -shared -Wl,-z,defs -Wl,--version-script=user/provider/provider.map $(CFLAGS) $(LDFLAGS) \
		$(@D)/provider.o $(filter-out %/provider.o,$(provider_obj)) \
		$(shell pkg-config --libs libibverbs) -lpthread -o $@

$(B)/user/provider/xroce.driver:
	@mkdir -p $(@D)
	@echo 'driver xroce' >$@

# --- The manual.

# libxroce*.rst belong to section 3 and include text from the headers, and an example (see
# kdoc.py); each function gets a link to its page.
man_src   := $(wildcard doc/man/*.rst)
man_3     := $(patsubst %.rst,$(B)/%.3,$(filter doc/man/libxroce%,$(man_src)))
man_8     := $(patsubst %.rst,$(B)/%.8,$(filter-out doc/man/libxroce%,$(man_src)))
man_pages := $(man_3) $(man_8)
RST2MAN   ?= $(firstword $(foreach c,rst2man rst2man.py,$(shell command -v $(c))))

man: $(if $(RST2MAN),$(man_pages))
	$(if $(RST2MAN),@:,@echo "no rst2man: no manual pages (Debian: python3-docutils)" >&2)

man_of_3  := user/lib/libxroce.h include/uapi/xroce.h include/xroce_counter.h \
	     include/xroce_cc.h $(wildcard examples/manual/*.c examples/*.bpf.c)
$(B)/doc/man/%.rst: doc/man/%.rst doc/man/kdoc.py $(man_of_3)
	@mkdir -p $(@D)
	@doc/man/kdoc.py $< >$@

.SECONDARY: $(man_src:%=$(B)/%)
# Without syntax highlighting, which needs pygments.
define man_rule
$(B)/doc/man/%.$(1): $(B)/doc/man/%.rst
	$$(call say,MAN)$$(RST2MAN) --halt=warning --syntax-highlight=none $$< $$@
endef
$(foreach n,3 8,$(eval $(call man_rule,$(n))))

selftests: $(object) $(test_bpf) $(B)/user/libxroce.a $(kverbs)
	+@$(MAKE) --no-print-directory -C selftests

# Built like by users of the packages, but with the headers and library of this tree.
examples: $(B)/user/libxroce.a $(patsubst %.c,$(B)/%.o,$(wildcard examples/*.bpf.c))
	+$(if $(filter 1,$(V)),,@)$(MAKE) $(if $(filter 1,$(V)),,-s) --no-print-directory -C examples \
		O=../$(B)/examples XROCE_CFLAGS='-I../include -I../user/lib' XROCE_DEPS=../$< \
		XROCE_LIBS='../$< $(shell pkg-config --libs $(lib_pkgs))'

# --- Dependencies, by purpose.

deps_build := make gcc clang-19 libbpf-dev libelf-dev libmnl-dev zlib1g-dev \
	libjson-c-dev libncurses-dev librdmacm-dev libibverbs-dev pkgconf libc6-dev python3-docutils
deps_module := gcc-12 pahole kmod
deps_vm := qemu-system-x86 cpio xz-utils busybox-static
# For roots of Debian suites, see root.sh.
deps_root := debootstrap debian-archive-keyring git tar util-linux
deps_test := $(if $(KERNEL),$(deps_root)) bpftool g++ iproute2 ethtool perftest rdma-core ibverbs-providers \
	ibverbs-utils rdmacm-utils python3-pyverbs tcpdump strace python3 jq tmux util-linux procps \
	nvme-cli fio open-iscsi xfsprogs e2fsprogs bpftrace linux-perf
# For virtual machines only: see guest-packages.sh.
deps_guest := nfs-kernel-server python3-rtslib-fb
# Those of make check-long.
deps_guest_programs := ucx-utils openmpi-bin librpma0

deps_lint_quick := sparse cppcheck
deps_lint := $(deps_lint_quick) clang-tidy coccinelle
# What takes a minute or two.
lint_quick := checkpatch sparse cppcheck includes folders columns functions messages
deps_bench := gnuplot-nox

debian := $(shell . /etc/os-release 2>/dev/null; echo "$$ID$$VERSION_ID")
ifneq ($(debian),debian12)
deps_module := $(filter-out gcc-12,$(deps_module))
endif
needed := $(deps_build) $(deps_module) $(deps_vm) $(deps_test)
missing = $(filter-out $(shell dpkg-query -W \
	-f='$${db:Status-Status} $${binary:Package}\n' 2>/dev/null | \
	sed -nE 's/^installed ([^:]*).*/\1/p'),$(needed))

deps:
ifeq ($(filter debian12 debian13,$(debian)),)
	@echo "deps: only Debian 12 and 13 are known here. Needed, by Debian's names:" >&2
	@printf '  %s\n' $(needed) linux-image-amd64 linux-headers-amd64 >&2
	@exit 1
else
	@$(if $(missing),$(call install_packages,$(missing)),:)
	@selftests/vm/guest-packages.sh fetch $(deps_guest)
	@$(if $(XROCE_LONG),XROCE_PACKAGES=programs selftests/vm/guest-packages.sh fetch $(deps_guest_programs))
	@selftests/vm/vm-kernel.sh fetch
	@$(if $(KERNEL),selftests/vm/root.sh fetch $(KERNEL),:)
endif

deps-root: needed := $(deps_root)
deps-root:
	@$(if $(missing),$(call install_packages,$(missing)),:)

# A package source that does not answer is not fatal.
define install_packages
set -e; [ $$(id -u) = 0 ] && sudo= || sudo=sudo; \
	echo "deps: apt-get will install, with what these packages depend on: $(1)"; \
	wait='-o DPkg::Lock::Timeout=300'; \
	$$sudo apt-get -q $$wait update || echo "deps: going on with old package lists"; \
	$$sudo env DEBIAN_FRONTEND=noninteractive \
		apt-get -q -y $$wait --no-install-recommends install $(1)
endef

# --- Tests. They run in a virtual machine; VM=0 runs them on this host, with the module in
# this host's kernel.

VM ?= 1
in_vm := $(if $(filter 0,$(VM)),XROCE_NET=veth,selftests/vm.sh $(KERNEL:%=--kernel %) --)
test_headers = $(if $(filter 0,$(VM)),/lib/modules/$(shell uname -r)/build,$(call newest,$(cached_headers)))
test_kdir = $(if $(KERNEL)$(filter command environment,$(origin KDIR)),,KDIR=$(test_headers))

demo: deps
	@$(MAKE) --no-print-directory -j$(shell nproc) all $(test_kdir)
	@$(in_vm) selftests/targets/demo.sh

# check-long has the rows and sizes, too, that check leaves out: see doc/testing.md.
check-long: export XROCE_LONG := 1
# Without the headers of the provider its rows are skipped.
check check-long: deps
	@$(MAKE) --no-print-directory -j$(shell nproc) all $(test_kdir)
	@$(MAKE) --no-print-directory -j$(shell nproc) provider || echo "check: going on without the provider"
	@VM=$(VM) KERNEL=$(KERNEL) selftests/run.sh all

# The tests that need the module, on a debug kernel, which is built once and kept.
check-debug: deps
	@kernel=$$(selftests/vm/vm-kernel-debug.sh build) || exit 1; \
	kdir=$$kernel/usr/src/linux-headers-$${kernel##*/}; \
	$(MAKE) --no-print-directory -j$(shell nproc) all KDIR=$$kdir && \
	XROCE_CACHE=$(CACHE)/debug XROCE_MEMORY=$${XROCE_MEMORY:-4G} \
		XROCE_SLOW=$${XROCE_SLOW:-10} selftests/run.sh machines

# For an hour, or $XROCE_SOAK seconds.
soak soak-nvme: deps
	@$(MAKE) --no-print-directory -j$(shell nproc) all $(test_kdir)
	@$(patsubst --,--timeout $$(($${XROCE_SOAK:-3600} + 900)) --,$(in_vm)) selftests/targets/$(subst -,_,$@).sh

# Static checks only.
lint: needed += $(deps_lint)
lint-quick: needed += $(deps_lint_quick)
lint-quick: linters := $(lint_quick)
lint lint-quick: deps
	@$(MAKE) --no-print-directory -j$(shell nproc) module bpf $(test_kdir)
	@KDIR=$(or $(KDIR),$(test_headers)) selftests/targets/lint.sh $(linters)

# On one CPU whose clock counts instructions, so always in a virtual machine.
bench: deps
	@$(MAKE) --no-print-directory -j$(shell nproc) all $(bench_modules) $(test_kdir)
	@rm -f $(B)/bench.json $(B)/bench-*.json
	@selftests/vm.sh --icount -- selftests/bench/bench.sh -o $(B)/bench.json
	@selftests/vm.sh --icount --net virtio -- selftests/bench/bench.sh -o $(B)/bench.json
	@selftests/vm.sh --icount -- selftests/bench/bench.sh other -o $(B)/bench-other.json
	@selftests/vm.sh --icount -- selftests/bench/bench.sh scale -o $(B)/bench-scale.json
	@selftests/vm.sh --icount --timeout 1800 -- selftests/bench/perftest.sh -o $(B)/bench-perftest.json
	@selftests/vm.sh --icount --timeout 1800 -- selftests/bench/pair.sh -o $(B)/bench-pair.json
	@selftests/vm.sh --icount --timeout 1800 -- selftests/bench/storage.sh -o $(B)/bench-storage.json
	@selftests/vm.sh --icount --memory 4G -- selftests/bench/bench.sh regions -o $(B)/bench-regions.json
	@selftests/vm.sh --timeout 600 -- selftests/bench/memory.sh -o $(B)/bench-memory.json
	@selftests/vm.sh --icount -- selftests/bench/pool.sh -o $(B)/bench-pool.json
	@selftests/vm.sh --icount -- selftests/bench/bench.sh windows -o $(B)/bench-windows.json
	@selftests/vm.sh --icount -- selftests/bench/bench.sh pagein -o $(B)/bench-pagein.json
	@selftests/vm.sh --icount --memory 4G --timeout 1200 -- selftests/bench/bench.sh implicit -o $(B)/bench-implicit.json 1 4 64

# Compare with selftests/bench/figures.json; and update that file.
bench-check: bench
	@selftests/bench/figures.py check $(B)
bench-save:
	@selftests/bench/figures.py save $(B)

# Draw doc/*.svg from that file.
bench-plot: needed += $(deps_bench)
bench-plot: deps
	@selftests/bench/plot.sh all

# Goodput on links that delay, lose and reorder, and of flows that share one, with rxe and TCP beside
# it.
bench-networks: deps
	@$(MAKE) --no-print-directory -j$(shell nproc) all $(test_kdir)
	@selftests/vm.sh --icount --timeout 1800 -- selftests/bench/networks.sh -o $(B)/bench-networks.json
	@for who in xroce rxe cubic dctcp; do \
		selftests/vm.sh --icount --timeout 1800 -- selftests/bench/flows.sh -w $$who \
			-o $(B)/bench-flows-$$who.json || exit 1; done

# Congestion control on networks that no machine here has, simulated: all rows.
.PHONY: sim sim-save
sim:
	@$(MAKE) --no-print-directory -C selftests ../build/selftests/sim/sim
	@$(B)/selftests/sim/sim table

# Keep the table of doc/networks.md, and draw doc/simulation.svg.
sim-save: needed += $(deps_bench)
sim-save: deps
	@$(MAKE) --no-print-directory -C selftests ../build/selftests/sim/sim
	@selftests/sim/sim.sh save
	@selftests/bench/plot.sh simulation

# On this host, in nanoseconds: cost of the program without its module; speed of the CRC.
bench-native: deps
	@$(MAKE) --no-print-directory -j$(shell nproc) bpf user selftests
	@XROCE_BPF_OBJECT=$(object) $(B)/selftests/bench/native -o $(B)/bench-native.json
	@$(B)/selftests/bench/crc

# --- Installation.

# Not everybody has these directories in the path.
export PATH := $(PATH):/usr/sbin:/sbin
release = $(or $(firstword $(shell PATH="$(PATH)" modinfo -F vermagic $(module))), \
	$(error modinfo does not know the kernel of $(module)))
modules_dir = $(DESTDIR)/lib/modules/$(release)/updates
include_dir = $(DESTDIR)$(PREFIX)/include/xroce
man_dir = $(DESTDIR)$(PREFIX)/share/man
unit_dir = $(DESTDIR)$(PREFIX)/lib/systemd/system
units := $(wildcard user/systemd/xroce-*)
example_dir = $(DESTDIR)$(PREFIX)/share/doc/xroce/examples
settings := $(wildcard user/systemd/*.conf)
examples := $(patsubst examples/%,%,$(wildcard examples/Makefile examples/*.[ch] examples/*/*))
completion := user/bash-completion/xroce
headers := user/lib/libxroce.h include/xroce_cc.h
dkms_dir = $(DESTDIR)/usr/src/xroce-$(VERSION)

install: install-module install-user
	$(if $(DESTDIR),,depmod $(release) && ldconfig)
	$(if $(DESTDIR),,getent group xroce >/dev/null || groupadd --system xroce)

install-module: module install-device
	for ko in $(kmod)/*.ko; do install -D -m 644 -t $(modules_dir) $$ko || exit 1; done

# udev rule and group for the module's device.
install-device:
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/lib/udev/rules.d kmod/60-xroce.rules
	install -D -m 644 kmod/xroce.sysusers $(DESTDIR)$(PREFIX)/lib/sysusers.d/xroce.conf

install-user: bpf user man
	install -D -m 644 $(object) $(DESTDIR)$(BPFDIR)/xroce.bpf.o
	install -D -m 755 $(command) $(DESTDIR)$(PREFIX)/sbin/xroce
	install -D -m 644 -t $(DESTDIR)$(LIBDIR) $(library)
	ln -sf libxroce.so.$(SOVERSION) $(DESTDIR)$(LIBDIR)/libxroce.so
	install -D -m 644 -t $(include_dir) $(headers)
	install -D -m 644 -t $(include_dir)/uapi include/uapi/xroce.h
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig
	sed 's,@PREFIX@,$(PREFIX),; s,@LIBDIR@,$(LIBDIR),; s,@VERSION@,$(VERSION),' \
		user/lib/libxroce.pc.in >$(DESTDIR)$(LIBDIR)/pkgconfig/libxroce.pc
	$(if $(RST2MAN),$(foreach n,3 8,install -D -m 644 -t $(man_dir)/man$(n) $(man_$(n)) &&) :)
	$(if $(RST2MAN),cd $(man_dir)/man3 && for page in $(notdir $(man_3:%.3=%)); do \
		for f in $$(sed -nE '/^\.SH FUNCTIONS/,/^\.SH STRUCT/s/^\.SS (.*)\(\)$$/\1/p' $$page.3); do \
			ln -sf $$page.3 $$f.3; done; done)
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/bash-completion/completions $(completion)
	install -D -m 644 -t $(example_dir) $(settings)
	for f in $(examples); do install -D -m $$([ -x examples/$$f ] && echo 755 || echo 644) \
		examples/$$f $(example_dir)/$$f || exit 1; done
	install -d $(unit_dir)
	$(foreach u,$(units),sed 's,@SBIN@,$(PREFIX)/sbin,' $(u) >$(unit_dir)/$(patsubst %.in,%,$(notdir $(u))) &&) :

# Both or none: libibverbs warns of a .driver file without its library, in every program.
provider_dir = $(DESTDIR)$(shell pkg-config --variable=libdir libibverbs)/libibverbs
install-provider: provider
	install -D -m 644 -t $(provider_dir) $(filter %.so,$(provider))
	install -D -m 644 -t $(DESTDIR)/etc/libibverbs.d $(filter %.driver,$(provider))

uninstall-provider:
	rm -f $(DESTDIR)/etc/libibverbs.d/xroce.driver $(provider_dir)/$(notdir $(filter %.so,$(provider)))

# The module's source, for "dkms install xroce/VERSION".
install-dkms:
	$(foreach d,$(kmod_dirs),install -D -m 644 -t $(dkms_dir)/$(d) $(call kmod_in,$(d)) &&) :
	install -D -m 644 -t $(dkms_dir)/include $(wildcard include/*.h)
	install -D -m 644 -t $(dkms_dir)/include/uapi $(wildcard include/uapi/*.h)
	install -D -m 644 -t $(dkms_dir)/include/uapi/rdma $(wildcard include/uapi/rdma/*.h)
	sed 's,#MODULE_VERSION#,$(VERSION),' kmod/dkms.conf >$(dkms_dir)/dkms.conf

# A link serves until it is deleted, and its program keeps the module loaded: without the command
# nothing could stop it. Unload the modules if there is no link; the kernel frees a program some
# time after its link.
uninstall-check:
	@links=$$($(firstword $(wildcard $(PREFIX)/sbin/xroce) $(command)) -j link show 2>/dev/null | \
		sed 's/},{/\n/g' | sed -n 's/.*"dev":"\([^"]*\)".*/\1/p' | xargs); \
	[ -z "$$links" ] || { printf '%s\n' "uninstall: there are links, on $$links. First, in this order:" \
		"  stop the programs that use them, and unmount what is mounted over them" \
		"  systemctl disable --now 'xroce-serve@*' 'xroce-link@*'" \
		"  xroce link del dev DEV        for each of them, in its network namespace" \
		"  make uninstall" >&2; exit 1; }
	@for m in xroce_ib xroce; do for n in 1 2 3 4 5 6 7 8 9 last; do \
		[ -e /sys/module/$$m ] || break; \
		! rmmod $$m 2>/dev/null || break; \
		[ $$n != last ] || { echo "uninstall: module $$m is in use by a program" >&2; exit 1; }; \
		sleep 0.5; done; done

uninstall: $(if $(DESTDIR),,uninstall-check) uninstall-provider
	rm -f $(DESTDIR)/lib/modules/*/updates/xroce.ko $(DESTDIR)/lib/modules/*/updates/xroce_ib.ko
	rm -f $(DESTDIR)$(PREFIX)/lib/udev/rules.d/60-xroce.rules
	rm -f $(DESTDIR)$(PREFIX)/lib/sysusers.d/xroce.conf
	rm -f $(DESTDIR)$(PREFIX)/sbin/xroce
	rm -f $(DESTDIR)$(LIBDIR)/libxroce.a $(DESTDIR)$(LIBDIR)/libxroce.so*
	rm -f $(DESTDIR)$(LIBDIR)/pkgconfig/libxroce.pc
	rm -rf $(DESTDIR)$(BPFDIR) $(include_dir)
	rm -f $(foreach n,3 8,$(addprefix $(man_dir)/man$(n)/,$(notdir $(man_$(n)))))
	find $(man_dir)/man3 -xtype l -lname 'libxroce_*.3' -delete 2>/dev/null || :
	rm -f $(DESTDIR)$(PREFIX)/share/bash-completion/completions/xroce
	rm -f $(patsubst %.in,%,$(addprefix $(unit_dir)/,$(notdir $(units))))
	rm -f $(addprefix $(example_dir)/,$(notdir $(settings)) $(examples))
	find $(dir $(example_dir)) -depth -type d -empty -delete 2>/dev/null || :
	$(if $(DESTDIR),,depmod -a && ldconfig)
	$(if $(DESTDIR),,[ -e /usr/lib/sysusers.d/xroce.conf ] || ! getent group xroce >/dev/null || groupdel xroce)

# After "dkms remove xroce/VERSION --all".
uninstall-dkms:
	rm -rf $(dkms_dir)

# --- Debian packages, from a copy of the sources in build/deb.

deps_deb := build-essential debhelper dh-dkms lintian
deb_src  := $(B)/deb/xroce-$(VERSION)
# Whoever distributes the packages is their maintainer: see doc/operations.md.
builder   = $(or $(DEBFULLNAME),xroce maintainers)

deb: needed := $(deps_build) $(deps_deb)
deb:
	@$(if $(missing),$(call install_packages,$(missing)),:)
	@rm -rf $(B)/deb
	@mkdir -p $(deb_src)
	@cp -a CHANGELOG.md CONTRIBUTING.md COPYING LICENSES MAINTAINERS Makefile README.md \
		SECURITY.md bpf debian doc examples include kmod selftests user $(deb_src)
	@$(if $(DEBEMAIL),sed -i 's|^Maintainer:.*|Maintainer: $(builder) <$(DEBEMAIL)>|' $(deb_src)/debian/control)
	@profile=-Ppkg.xroce.provider; $(MAKE) --no-print-directory provider-headers || { profile=; \
		echo "deb: going on without the package of the provider"; }; \
	echo "dpkg-buildpackage -us -uc $$profile"; cd $(deb_src) && \
		PROVIDER_HEADERS=$(PROVIDER_HEADERS) dpkg-buildpackage -us -uc $$profile
	lintian --display-info --fail-on error,warning,info $(B)/deb/xroce_$(VERSION)_*.changes
	@rm -rf $(deb_src)

# In a clean root, and in a virtual machine with that root: see selftests/targets/deb.sh.
SUITE ?= bookworm
check-deb: needed += $(deps_root)
check-deb: deps deb
	@$(MAKE) --no-print-directory -j$(shell nproc) all $(test_kdir)
	@selftests/vm/root.sh fetch $(SUITE)
	@selftests/targets/deb.sh $(SUITE)

clean:
	rm -rf $(B)

help:
	@echo 'all        modules, BPF object, library, command and selftests, in build/'
	@echo 'deps       install what is missing (Debian 12 and 13)'
	@echo 'demo       deps, then ib_write_bw against xroce, in a virtual machine'
	@echo 'check      deps, then every test; ends with the counts'
	@echo 'check-long before a release: with the rows and sizes that check leaves out'
	@echo 'check-debug those in a virtual machine, on a kernel with KASAN and lockdep'
	@echo 'soak       traffic, losses and churn for an hour; memory must not grow'
	@echo 'soak-nvme  the same of NVMe over Fabrics, whose connections are disturbed'
	@echo 'lint       checkpatch, sparse, coccinelle, cppcheck, clang-tidy, includes, messages'
	@echo 'lint-quick  what of it takes a minute or two'
	@echo 'bench      instructions an operation of xroce and rxe; build/bench.json'
	@echo 'bench-check  bench, and compare with selftests/bench/figures.json'
	@echo 'bench-save  keep the figures of the last bench there; bench-plot draws them'
	@echo 'bench-networks  goodput on links that delay, lose, reorder or are shared; and of rxe, TCP'
	@echo 'sim        congestion control on simulated networks; sim-save keeps table and picture'
	@echo 'bench-native  nanoseconds a packet of the verdict, speed of the CRC, on this host'
	@echo 'install    under DESTDIR and PREFIX ($(PREFIX))'
	@echo 'provider   the part of libibverbs for devices with their own; fetches headers of rdma-core'
	@echo 'install-provider  where libibverbs looks for it'
	@echo 'uninstall  remove what install put there'
	@echo 'deb        Debian packages, in build/deb/; installs what builds and checks them'
	@echo 'check-deb  install, use, upgrade and purge them in a root of Debian $(SUITE)'
	@echo 'clean      remove build/'
	@echo
	@echo 'KDIR=DIR   kernel headers with a vmlinux (the newest on this machine)'
	@echo 'KERNEL=SUITE  demo, check: with the newest kernel of trixie-backports, say'
	@echo "VM=0       demo, check: use this host's kernel, no virtual machine"
	@echo 'V=1        show the commands; CC=, CLANG=, CFLAGS= as usual'

-include $(wildcard $(lib_obj:.o=.d) $(cli_obj:.o=.d) $(provider_obj:.o=.d) $(B)/bpf/*.d $(B)/selftests/*/*.bpf.d)
