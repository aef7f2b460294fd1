// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "sibling_path.h"
#include "counters.h"
#include "harness.h"
#include "native.h"
#include "template.h"

#define CPUS_MAX	256

static struct {
	struct bpf_object *obj;
	int prog;
	uint32_t vlan_ifindex;
	int mpt;
	int qp;
	int rd;
	int stat;
	int mr_stat;
	struct ring_buffer *events;
	struct xroce_event event;
	uint32_t n_events;
} native;

static bool object_path(char *path)
{
	const char *given = getenv("XROCE_BPF_OBJECT");

	if (given)
		return snprintf(path, PATH_MAX, "%s", given) < PATH_MAX;
	return sibling_path("../bpf/xroce.bpf.o", path);
}

/* Set a "const volatile" variable before the program is loaded. */
static bool set_constant(const char *name, const void *value, size_t value_size)
{
	const struct btf *btf = bpf_object__btf(native.obj);
	const struct btf_type *section;
	const struct btf_var_secinfo *var;
	struct bpf_map *map;
	char *bytes;
	size_t size;
	int id, i;

	map = bpf_object__find_map_by_name(native.obj, ".rodata");
	id = btf__find_by_name_kind(btf, ".rodata", BTF_KIND_DATASEC);
	if (!map || id < 0)
		return false;
	bytes = (char *)bpf_map__initial_value(map, &size);
	section = btf__type_by_id(btf, id);
	var = btf_var_secinfos(section);
	for (i = 0; i < btf_vlen(section); i++, var++) {
		const struct btf_type *type = btf__type_by_id(btf, var->type);

		if (strcmp(btf__name_by_offset(btf, type->name_off), name))
			continue;
		if (var->size != value_size || var->offset + var->size > size)
			return false;
		memcpy(bytes + var->offset, value, var->size);
		return true;
	}
	return false;
}

static int quiet(enum libbpf_print_level level, const char *fmt, va_list args)
{
	if (level > LIBBPF_WARN)
		return 0;
	return vfprintf(stderr, fmt, args);
}

static int map_fd(const char *name)
{
	struct bpf_map *map = bpf_object__find_map_by_name(native.obj, name);

	check(map, "no map \"%s\" in the object", name);
	return map ? bpf_map__fd(map) : -1;
}

static bool resize(const char *name, uint32_t entries)
{
	struct bpf_map *map = bpf_object__find_map_by_name(native.obj, name);

	return check(map, "no map \"%s\" in the object", name) &&
	       check(!bpf_map__set_max_entries(map, entries), "%s", name);
}

static int note_event(void *ctx, void *data, size_t size)
{
	(void)ctx;
	check(size == sizeof(native.event), "event of %zu bytes", size);
	memcpy(&native.event, data, sizeof(native.event));
	native.n_events++;
	return 0;
}

static bool open_events(void)
{
	native.events = ring_buffer__new(map_fd("events"), note_event, NULL,
					 NULL);
	return check(native.events, "events: %s", strerror(errno));
}

/* Whether the kernel has the kfunc that reads VLAN tags; if not, the test is skipped. */
static bool has_vlan_kfunc(void)
{
	static const char kfunc[] = "bpf_xdp_metadata_rx_vlan_tag";
	struct btf *btf = btf__load_vmlinux_btf();
	bool has = btf && btf__find_by_name_kind(btf, kfunc, BTF_KIND_FUNC) > 0;

	btf__free(btf);
	if (!has)
		skip("the kernel has no %s()", kfunc);
	return has;
}

/* Prepare the program that reads VLAN tags, which is bound to the device's driver. */
static bool bind_vlan(void)
{
	struct bpf_program *prog;

	prog = bpf_object__find_program_by_name(native.obj, "xroce_vlan");
	if (!check(prog, "no program \"xroce_vlan\" in the object"))
		return false;
	bpf_program__set_ifindex(prog, native.vlan_ifindex);
	/* BPF_F_XDP_DEV_BOUND_ONLY */
	bpf_program__set_flags(prog, bpf_program__flags(prog) | 1u << 6);
	bpf_program__set_autoload(prog, true);
	return true;
}

/* The Ethernet address to which the golden packets are sent. */
static bool set_addr(void)
{
	static const uint8_t addr[6] = { 2, 0, 0, 0, 0, 2 };
	const struct xroce_netdev netdev = { .addr = xroce_netdev_addr(addr) };
	uint32_t zero = 0;

	return check(!bpf_map_update_elem(map_fd(".data.netdev"), &zero, &netdev,
					  BPF_ANY),
		     "address: %s", strerror(errno));
}

static bool load(void)
{
	const uint32_t link = 0, qp_mask = NATIVE_QP_ENTRIES - 1;
	uint32_t crc[XROCE_CRC_BEHIND][256];
	struct bpf_program *prog;
	const bool kfuncs = false;
	int err;

	template_crc(crc);
	if (!check(set_constant("xroce_kfuncs", &kfuncs, sizeof(kfuncs)) &&
		   set_constant("xroce_link", &link, sizeof(link)) &&
		   set_constant("xroce_qp_mask", &qp_mask, sizeof(qp_mask)) &&
		   set_constant("xroce_crc", crc, sizeof(crc)),
		   "no such constant"))
		return false;
	if (!resize("mpt", NATIVE_MPT_ENTRIES) ||
	    !resize("mr_stat", NATIVE_MPT_ENTRIES) ||
	    !resize("qp", NATIVE_QP_ENTRIES) ||
	    !resize("rd", NATIVE_QP_ENTRIES))
		return false;

	if (native.vlan_ifindex && (!has_vlan_kfunc() || !bind_vlan()))
		return false;
	err = bpf_object__load(native.obj);
	if (err == -EPERM) {
		skip("not allowed to load a BPF program");
		return false;
	}
	if (!check(!err, "load: %s", strerror(-err)))
		return false;

	prog = bpf_object__find_program_by_name(native.obj, "xroce");
	if (!check(prog, "no program \"xroce\" in the object"))
		return false;
	native.prog = bpf_program__fd(prog);
	native.mpt = map_fd("mpt");
	native.qp = map_fd("qp");
	native.rd = map_fd("rd");
	native.stat = map_fd("stat");
	native.mr_stat = map_fd("mr_stat");
	return native.mr_stat >= 0 && native.mpt >= 0 && native.qp >= 0 && native.rd >= 0 &&
	       native.stat >= 0 && open_events() && set_addr() &&
	       native_keep_frags(false);
}

bool native_keep_frags(bool keep)
{
	uint32_t zero = 0;

	/* The only variable in this section. */
	return check(!bpf_map_update_elem(map_fd(".data"), &zero, &keep,
					  BPF_ANY),
		     "keep_frags: %s", strerror(errno));
}

static void unload(void)
{
	ring_buffer__free(native.events);
	bpf_object__close(native.obj);
	memset(&native, 0, sizeof(native));
}

bool native_open(void)
{
	char path[PATH_MAX];

	if (native.obj)
		return true;
	libbpf_set_print(quiet);
	if (!check(object_path(path), "cannot tell the object"))
		return false;
	native.obj = bpf_object__open_file(path, NULL);
	if (!check(native.obj, "%s: %s", path, strerror(errno)))
		return false;
	if (load())
		return true;
	unload();
	return false;
}

bool native_open_vlan(uint32_t ifindex)
{
	native.vlan_ifindex = ifindex;
	return native_open();
}

int native_vlan_prog(void)
{
	struct bpf_program *prog;

	prog = bpf_object__find_program_by_name(native.obj, "xroce_vlan");
	return bpf_program__fd(prog);
}

int native_main(int argc, char **argv)
{
	int status = harness_main(argc, argv);

	unload();
	return status;
}

int native_prog(void)
{
	return native.prog;
}

void native_put_mpt(uint32_t index, const struct xroce_mpt *mpt)
{
	check(!bpf_map_update_elem(native.mpt, &index, mpt, BPF_ANY),
	      "mpt %#x: %s", index, strerror(errno));
}

void native_put_qp(const struct xroce_qp *qp)
{
	uint32_t slot = qp->qpn & (NATIVE_QP_ENTRIES - 1);

	check(!bpf_map_update_elem(native.qp, &slot, qp, BPF_ANY),
	      "qp %#x: %s", qp->qpn, strerror(errno));
}

void native_get_qp(uint32_t qpn, struct xroce_qp *qp)
{
	uint32_t slot = qpn & (NATIVE_QP_ENTRIES - 1);

	check(!bpf_map_lookup_elem(native.qp, &slot, qp),
	      "qp %#x: %s", qpn, strerror(errno));
}

void native_put_rd(uint32_t qpn, const struct xroce_rd_ring *ring)
{
	uint32_t slot = qpn & (NATIVE_QP_ENTRIES - 1);

	check(!bpf_map_update_elem(native.rd, &slot, ring, BPF_ANY),
	      "rd %#x: %s", qpn, strerror(errno));
}

void native_get_rd(uint32_t qpn, struct xroce_rd_ring *ring)
{
	uint32_t slot = qpn & (NATIVE_QP_ENTRIES - 1);

	check(!bpf_map_lookup_elem(native.rd, &slot, ring),
	      "rd %#x: %s", qpn, strerror(errno));
}

void native_clear(void)
{
	static const struct xroce_mpt no_mpt;
	static const struct xroce_qp no_qp;
	static const struct xroce_rd_ring no_rd;
	uint32_t i;

	for (i = 0; i < NATIVE_MPT_ENTRIES; i++)
		native_put_mpt(i, &no_mpt);
	for (i = 0; i < NATIVE_QP_ENTRIES; i++) {
		check(!bpf_map_update_elem(native.qp, &i, &no_qp, BPF_ANY),
		      "qp slot %u: %s", i, strerror(errno));
		native_put_rd(i, &no_rd);
	}
}

static void get_all(int map, uint32_t entries, void *values)
{
	uint32_t keys[NATIVE_MPT_ENTRIES];
	uint32_t n = entries, next;
	int err;

	err = bpf_map_lookup_batch(map, NULL, &next, keys, values, &n, NULL);
	check((!err || errno == ENOENT) && n == entries,
	      "read %u of %u entries: %s", n, entries, strerror(errno));
}

void native_get_mpts(struct xroce_mpt *mpts)
{
	get_all(native.mpt, NATIVE_MPT_ENTRIES, mpts);
}

void native_get_qps(struct xroce_qp *qps)
{
	get_all(native.qp, NATIVE_QP_ENTRIES, qps);
}

void native_get_rds(struct xroce_rd_ring *rings)
{
	get_all(native.rd, NATIVE_QP_ENTRIES, rings);
}

uint32_t native_get_events(struct xroce_event *last)
{
	int n;

	native.n_events = 0;
	n = ring_buffer__consume(native.events);
	check(n == (int)native.n_events, "events: %d", n);
	*last = native.event;
	return native.n_events;
}

int native_map(const char *name)
{
	return map_fd(name);
}

uint64_t native_get_refused(uint32_t index)
{
	static struct xroce_mr_stat percpu[CPUS_MAX];
	int cpu, cpus = libbpf_num_possible_cpus();
	uint64_t sum = 0, others = 0;

	if (!check(cpus > 0 && cpus <= CPUS_MAX, "%d CPUs", cpus) ||
	    !check(!bpf_map_lookup_elem(native.mr_stat, &index, percpu),
		   "mr_stat %#x: %s", index, strerror(errno)))
		return 0;
	for (cpu = 0; cpu < cpus; cpu++) {
		const struct xroce_mr_stat *s = &percpu[cpu];

		sum += s->refused;
		others |= s->in_requests | s->in_packets | s->in_bytes |
			  s->out_requests | s->out_packets | s->out_bytes |
			  s->atomics;
	}
	check(!others, "the program has counted for the module");
	return sum;
}

void native_get_stat(struct xroce_stat *stat)
{
	counters_read(native.stat, stat);
}

int native_run(struct native_run *run)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts,
		.data_in = run->in,
		.data_size_in = run->in_len,
		.data_out = run->out,
		.data_size_out = run->out_size,
		.repeat = 1,
	);
	int err;

	err = bpf_prog_test_run_opts(native.prog, &opts);
	run->verdict = opts.retval;
	run->out_len = opts.data_size_out;
	return err;
}
