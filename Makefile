# SPDX-License-Identifier: GPL-2.0-only
# All that is built lies in build/; "make help" lists the targets.

VERSION   := 0.1.0
SOVERSION := 0
PREFIX    ?= /usr/local
LIBDIR    ?= $(PREFIX)/lib

CC     ?= gcc
CLANG  ?= $(firstword $(foreach v,19 $(shell seq 30 -1 14),\
	    $(shell command -v clang-$(v))) clang)
PKGS   := libbpf json-c libelf
CACHE  := $(or $(XROCE_CACHE),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/xroce)
B      := build

CFLAGS ?= -O2 -g
flags  := -std=gnu11 -Wall -Wextra -Wno-missing-field-initializers -Werror \
	-D_GNU_SOURCE -Iinclude -Iuser -MMD -MP
flags  += -DXROCE_VERSION='"$(VERSION)"'
flags  += -DXROCE_BPF_OBJ='"$(LIBDIR)/xroce/xroce.bpf.o"'
LIBS    = $(shell pkg-config --libs $(PKGS))

BPF_CFLAGS := -target bpf -mcpu=v3 -O2 -g -Wall -Werror -Iinclude \
	-I/usr/include/$(shell $(CC) -print-multiarch) -MMD -MP

lib_src := $(wildcard user/libxroce*.c)
cli_src := $(filter-out $(lib_src),$(wildcard user/*.c))
lib_obj := $(lib_src:%.c=$(B)/%.o)
cli_obj := $(cli_src:%.c=$(B)/%.o)
kmod_src := $(wildcard kmod/*.[ch] kmod/Kbuild)

module  := $(B)/kmod/xroce.ko
object  := $(B)/bpf/xroce.bpf.o
library := $(B)/user/libxroce.a $(B)/user/libxroce.so.$(SOVERSION)
command := $(B)/user/xroce
test_bpf := $(patsubst %.c,$(B)/%.o,$(wildcard selftests/*.bpf.c selftests/bench/*.bpf.c))

# "make V=1" shows the commands.
say = $(if $(filter 1,$(V)),,@printf '  %-7s %s\n' $(1) $@;)

.PHONY: all module bpf user selftests deps demo check bench bench-check bench-save bench-plot bench-native install uninstall clean help
.DELETE_ON_ERROR:

all: module bpf user selftests
	@:
module: $(module)
bpf: $(object)
user: $(library) $(command)

# --- The module. Its headers must ship vmlinux: without it the module has no
# BTF, the kernel registers its kfuncs "successfully", and no program finds them.

host_headers   := /usr/src/linux-headers-*/vmlinux /lib/modules/*/build/vmlinux
cached_headers := $(CACHE)/kernel/*/usr/src/linux-headers-*/vmlinux
newest = $(shell ls -U -d $(1) 2>/dev/null | \
	sed -E 's,^.*/(linux-headers-|modules/)([^/]+)(/build)?/vmlinux$$,\2 &,' | \
	sort -s -V -k1,1 | tail -n 1 | sed -E 's,^[^ ]+ (.*)/vmlinux$$,\1,')
KDIR ?= $(call newest,$(host_headers) $(cached_headers))

define no_vmlinux
KDIR='$(KDIR)' has no vmlinux, so the module would have no BTF. Install linux-headers of 6.12 or newer that ship it (Debian 12: linux-headers-6.12-amd64, Debian 13: linux-headers-amd64), or run "make deps"
endef

$(module): $(kmod_src) $(wildcard include/*.h include/uapi/*.h) $(B)/kmod/.kdir
	$(if $(wildcard $(KDIR)/vmlinux),,$(error $(no_vmlinux)))
	@find $(B)/kmod -xtype l -delete
	@ln -sf $(kmod_src:%=../../%) $(B)/kmod/
	$(if $(filter 1,$(V)),,@)$(MAKE) --no-print-directory -C $(KDIR) M=$(abspath $(B)/kmod) W=1 modules
	@readelf -S $@ | grep -qF .BTF || \
		{ echo "$@ has no BTF: is pahole installed?" >&2; rm $@; exit 1; }
	@touch $@

# For "make bench": parts of the module in modules of their own.
in_bench   := $(B)/selftests/bench
pool_bench := $(in_bench)/pool/pool_bench.ko
pool_src   := $(wildcard selftests/bench/pool/*) kmod/pool.c
$(pool_bench): $(pool_src) kmod/pool.h $(in_bench)/pool/.kdir
bytes_bench := $(in_bench)/bytes/bytes_bench.ko
bytes_src   := $(wildcard selftests/bench/bytes/*) \
	$(patsubst %,kmod/%.c,icrc clmul vector vcopy)
$(bytes_bench): $(bytes_src) $(in_bench)/bytes/.kdir
bench_modules := $(pool_bench) $(bytes_bench)
$(bench_modules):
	@ln -sf $(patsubst %,../../../../%,$(filter selftests/% kmod/%.c,$^)) $(@D)/
	$(if $(filter 1,$(V)),,@)$(MAKE) --no-print-directory -C $(KDIR) M=$(abspath $(@D)) W=1 modules
	@touch $@

# Objects of another kernel are of no use.
$(B)/%/.kdir: FORCE
	@mkdir -p $(@D)
	@echo '$(KDIR)' | cmp -s - $@ || \
		{ rm -rf $(@D); mkdir -p $(@D); echo '$(KDIR)' >$@; }
FORCE:

# --- The program.

$(B)/%.bpf.o: %.bpf.c Makefile
	@mkdir -p $(@D)
	$(call say,CLANG)$(CLANG) $(BPF_CFLAGS) -c $< -o $@

# --- The library and the command.

$(lib_obj): flags += -fPIC
$(B)/user/%.o: user/%.c Makefile
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(flags) $(shell pkg-config --cflags $(PKGS)) $(CFLAGS) -c $< -o $@

$(B)/user/libxroce.a: $(lib_obj)
	$(call say,AR)rm -f $@; $(AR) rcs $@ $^

$(B)/user/libxroce.so.$(SOVERSION): $(lib_obj)
	$(call say,LD)$(CC) -shared -Wl,-soname,$(@F) -Wl,-z,defs $(LDFLAGS) $^ $(LIBS) -o $@

$(command): $(cli_obj) $(B)/user/libxroce.a
	$(call say,LD)$(CC) $(LDFLAGS) $^ $(LIBS) -o $@

selftests: $(object) $(test_bpf) $(B)/user/libxroce.a
	+@$(MAKE) --no-print-directory -C selftests

# --- What is needed, by purpose.

deps_build := make gcc clang-19 libbpf-dev libelf-dev zlib1g-dev \
	libjson-c-dev pkgconf libc6-dev
deps_module := gcc-12 pahole kmod
deps_vm := qemu-system-x86 cpio xz-utils busybox-static
deps_test := bpftool iproute2 ethtool perftest rdma-core ibverbs-providers \
	libibverbs-dev ibverbs-utils tcpdump strace python3 util-linux
deps_bench := gnuplot-nox

debian := $(shell . /etc/os-release 2>/dev/null; echo "$$ID$$VERSION_ID")
ifneq ($(debian),debian12)
deps_module := $(filter-out gcc-12,$(deps_module))
endif
needed := $(deps_build) $(deps_module) $(deps_vm) $(deps_test) $(deps_bench)
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
	@selftests/vm-kernel.sh fetch
endif

# A source of the user's that does not answer need not stop us.
define install_packages
set -e; [ $$(id -u) = 0 ] && sudo= || sudo=sudo; echo "deps: installing $(1)"; \
	$$sudo apt-get -q update || echo "deps: going on with old package lists"; \
	$$sudo env DEBIAN_FRONTEND=noninteractive \
		apt-get -q -y --no-install-recommends install $(1)
endef

# --- Tests. They run in a virtual machine; VM=0 runs them on this host, with
# the module in this host's kernel.

VM ?= 1
in_vm := $(if $(filter 0,$(VM)),XROCE_NET=veth,selftests/vm.sh --)
test_headers = $(if $(filter 0,$(VM)),/lib/modules/$(shell uname -r)/build,$(call newest,$(cached_headers)))
test_kdir = $(if $(filter command environment,$(origin KDIR)),,KDIR=$(test_headers))

demo: deps
	@$(MAKE) --no-print-directory -j$(shell nproc) all $(test_kdir)
	@$(in_vm) selftests/demo.sh

check: deps
	@$(MAKE) --no-print-directory -j$(shell nproc) all $(test_kdir)
	@VM=$(VM) selftests/run.sh all

# One CPU whose clock counts instructions: not on this host.
bench: deps
	@$(MAKE) --no-print-directory -j$(shell nproc) all $(bench_modules) $(test_kdir)
	@rm -f $(B)/bench.json $(B)/bench-*.json
	@selftests/vm.sh --icount -- selftests/bench/bench.sh -o $(B)/bench.json
	@selftests/vm.sh --icount --net virtio -- selftests/bench/bench.sh -o $(B)/bench.json
	@selftests/vm.sh --icount -- selftests/bench/bench.sh other -o $(B)/bench-other.json
	@selftests/vm.sh --icount -- selftests/bench/bench.sh scale -o $(B)/bench-scale.json
	@selftests/vm.sh --icount -- selftests/bench/perftest.sh -o $(B)/bench-perftest.json
	@selftests/vm.sh --icount --memory 4G -- selftests/bench/bench.sh regions -o $(B)/bench-regions.json
	@selftests/vm.sh --icount -- selftests/bench/pool.sh -o $(B)/bench-pool.json
	@selftests/vm.sh --icount -- selftests/bench/bench.sh windows -o $(B)/bench-windows.json

# Beside selftests/bench/figures.json; and renew that.
bench-check: bench
	@selftests/bench/figures.py check $(B)
bench-save:
	@selftests/bench/figures.py save $(B)

# Of what is kept there, doc/*.svg.
bench-plot: deps
	@selftests/bench/plot.sh all

# On this host, in nanoseconds: what the program costs without its module.
bench-native: deps
	@$(MAKE) --no-print-directory -j$(shell nproc) bpf user selftests
	@XROCE_BPF_OBJECT=$(object) $(B)/selftests/bench/native -o $(B)/bench-native.json

# --- Installation.

release = $(firstword $(shell modinfo -F vermagic $(module)))
modules_dir = $(DESTDIR)/lib/modules/$(release)/updates
man_pages := $(wildcard user/doc/*.8)
completion := $(wildcard user/bash-completion/xroce)
headers := user/libxroce.h include/xroce_map.h

install: all
	install -D -m 644 $(module) $(modules_dir)/xroce.ko
	install -D -m 644 $(object) $(DESTDIR)$(LIBDIR)/xroce/xroce.bpf.o
	install -D -m 755 $(command) $(DESTDIR)$(PREFIX)/sbin/xroce
	install -D -m 644 -t $(DESTDIR)$(LIBDIR) $(library)
	ln -sf libxroce.so.$(SOVERSION) $(DESTDIR)$(LIBDIR)/libxroce.so
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/include/xroce $(headers)
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/include/xroce/uapi include/uapi/xroce.h
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig
	sed 's,@PREFIX@,$(PREFIX),; s,@LIBDIR@,$(LIBDIR),; s,@VERSION@,$(VERSION),' \
		user/libxroce.pc.in >$(DESTDIR)$(LIBDIR)/pkgconfig/libxroce.pc
	$(if $(man_pages),install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/man/man8 $(man_pages))
	$(if $(completion),install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/bash-completion/completions $(completion))
	$(if $(DESTDIR),,depmod $(release) && ldconfig)

uninstall:
	rm -f $(DESTDIR)/lib/modules/*/updates/xroce.ko
	rm -f $(DESTDIR)$(PREFIX)/sbin/xroce
	rm -f $(DESTDIR)$(LIBDIR)/libxroce.a $(DESTDIR)$(LIBDIR)/libxroce.so*
	rm -f $(DESTDIR)$(LIBDIR)/pkgconfig/libxroce.pc
	rm -rf $(DESTDIR)$(LIBDIR)/xroce $(DESTDIR)$(PREFIX)/include/xroce
	rm -f $(man_pages:user/doc/%=$(DESTDIR)$(PREFIX)/share/man/man8/%)
	rm -f $(DESTDIR)$(PREFIX)/share/bash-completion/completions/xroce
	$(if $(DESTDIR),,depmod -a && ldconfig)

clean:
	rm -rf $(B)

help:
	@echo 'all        module, BPF object, library, command and selftests, in build/'
	@echo 'deps       install what is missing (Debian 12 and 13)'
	@echo 'demo       ib_write_bw against xroce, in a virtual machine'
	@echo 'check      every test; ends with the counts'
	@echo 'bench      instructions an operation of xroce and rxe; build/bench.json'
	@echo 'bench-check  bench, and compare with selftests/bench/figures.json'
	@echo 'bench-save  keep the figures of the last bench there; bench-plot draws them'
	@echo 'bench-native  nanoseconds a packet of the verdict, on this host'
	@echo 'install    under DESTDIR and PREFIX ($(PREFIX))'
	@echo 'uninstall  remove what install put there'
	@echo 'clean      remove build/'
	@echo
	@echo 'KDIR=DIR   kernel headers with a vmlinux (the newest on this machine)'
	@echo "VM=0       demo, check: use this host's kernel, no virtual machine"
	@echo 'V=1        show the commands; CC=, CLANG=, CFLAGS= as usual'

-include $(wildcard $(B)/user/*.d $(B)/bpf/*.d $(B)/selftests/*.bpf.d \
	    $(B)/selftests/bench/*.bpf.d)
