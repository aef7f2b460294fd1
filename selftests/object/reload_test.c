// SPDX-License-Identifier: GPL-2.0-only
/*
 * Replacing the program of a link under traffic: no packet is lost or answered wrongly,
 * nothing of the old program remains, and a failure leaves it in place. XROCE_RELOADS in
 * the environment: the number of times.
 */
#include <errno.h>
#include <limits.h>
#include <linux/capability.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "sibling_path.h"
#include "siblings.h"
#include "mem.h"
#include "odp.h"
#include "setting.h"

/* The verifier takes seconds for each. */
#define RELOADS	amount(2, 4)
#define PINS	XROCE_PIN_DIR "/" LIVE_DEV "/"
#define PAGES	16

static const char *const maps[] = { "mpt", "qp", "rd", "stat", "mr_stat", "drop_lease",
				    "netdev", "events", "drops" };
#define RINGS	2	/* ring buffers, at the end of maps[]; they have no values */

/* Return: the id of the attached program. */
static __u32 program_on(void)
{
	__u32 id = 0;

	check(!bpf_xdp_query_id(if_nametoindex(LIVE_DEV), 0, &id) && id,
	      "no program is attached");
	return id;
}

/* Programs and maps in the system. */
struct loaded {
	__u32 programs;
	__u32 maps;
};

static struct loaded loaded(void)
{
	struct loaded n = {};
	__u32 id = 0;

	while (!bpf_prog_get_next_id(id, &id))
		n.programs++;
	id = 0;
	while (!bpf_map_get_next_id(id, &id))
		n.maps++;
	return n;
}

/* The kernel frees them asynchronously. */
static bool is_as_before(void *arg)
{
	const struct loaded *was = arg;
	struct loaded is = loaded();

	return is.programs == was->programs && is.maps == was->maps;
}

static void nothing_more(struct loaded was)
{
	bool same = live_wait(is_as_before, &was);
	struct loaded is = loaded();

	check(same, "%u programs and %u maps, not %u and %u", is.programs, is.maps,
	      was.programs, was.maps);
}

static int reload(struct xroce_attach_opts *opts)
{
	*opts = (struct xroce_attach_opts){ .size = sizeof(*opts) };
	return xroce_reload(LIVE_DEV, opts);
}

struct sent {
	__u64 before;
	__u64 requests;
};

static bool all_seen(void *arg)
{
	const struct sent *s = arg;

	return live_stat().rx - s->before >= s->requests;
}

/* Each request was one packet that a program handled, and none was refused or dropped. */
static void check_sent(const struct xroce_stat *was, __u64 requests)
{
	struct sent s = { was->rx, requests };
	struct xroce_stat is;

	live_wait(all_seen, &s);
	is = live_stat();
	check(is.rx - was->rx == requests, "%llu packets of %llu",
	      (unsigned long long)(is.rx - was->rx), (unsigned long long)requests);
	check(is.nak_seq == was->nak_seq && is.nak_inv == was->nak_inv &&
	      is.nak_acc == was->nak_acc && is.nak_op == was->nak_op, "a NAK");
	check(is.drop_busy == was->drop_busy && is.drop_psn == was->drop_psn &&
	      is.drop_icrc == was->drop_icrc && is.drop_qpn == was->drop_qpn &&
	      is.drop_response == was->drop_response && is.drop_length == was->drop_length,
	      "a packet was dropped");
}

TEST(reload_traffic, "U1 D1 D5", "replaced repeatedly under traffic")
{
	__u64 i, n = setting("XROCE_RELOADS", RELOADS), requests;
	struct xroce_stat before;
	struct loaded was;
	__u32 id, next;

	before = live_stat();
	if (!siblings_start())
		return;
	was = loaded();
	for (i = 0; i < n && !test_failed(); i++) {
		id = program_on();
		siblings_says("mode native prog ", true, "link reload dev " LIVE_DEV);
		next = program_on();
		check(next != id, "program %u is there still", id);
		checked_goes_on(&sibling_changed, 3);
	}
	nothing_more(was);
	checked_goes_on(&sibling_quiet, 3);
	requests = checked_stop(&sibling_changed);
	checked_stop(&sibling_quiet);
	check(!live_detach(LIVE_SPARE, 0), "detach");
	check_sent(&before, requests);
	live_check_idle(LIVE_DEV);
}

/* Several at the same time take turns. */
TEST(reload_several, "U1", "concurrent replacements take turns")
{
	struct xroce_attach_opts opts;
	struct loaded was;
	pid_t pid[3];
	int status;
	size_t i;

	if (!siblings_start())
		return;
	was = loaded();
	fflush(NULL);
	for (i = 0; i < ARRAY_SIZE(pid); i++) {
		pid[i] = fork();
		if (!pid[i])
			_exit(!!reload(&opts));
	}
	for (i = 0; i < ARRAY_SIZE(pid); i++)
		check(waitpid(pid[i], &status, 0) == pid[i] && !status,
		      "process %zu: status %#x", i, status);
	nothing_more(was);
	siblings_stop();
}

/* Deferred frames are run through the program that is current when their memory is present. */
ODP_TEST(reload_on_demand, "O3 U1", "replaced while packets are deferred", PAGES)
{
	struct xroce_attach_opts opts;
	struct loaded was;
	__u64 kept, reloads = amount(1, 3);
	unsigned int i = 0;
	int status;
	pid_t pid;

	was = loaded();
	kept = live_stat().deferred;
	fflush(NULL);
	pid = fork();
	if (!pid) {
		while (i < reloads && !reload(&opts))
			i++;
		_exit(i < reloads);
	}
	while (!waitpid(pid, &status, WNOHANG) && !test_failed()) {
		size_t at = i % PAGES * MEM_PAGE;

		madvise(o->mem + at, MEM_PAGE, MADV_DONTNEED);
		ACKED(odp_write(o, at, 512, ++i));
		check(odp_is(o->mem + at, 512, i), "write %u", i);
	}
	check(!status, "reload: status %#x", status);
	check(live_stat().deferred > kept, "none was deferred");
	note("%u pages, %llu packets deferred", i,
	     (unsigned long long)(live_stat().deferred - kept));
	nothing_more(was);
}

/*
 * Replacing fails with @want and a message with @why; the program and its pins are
 * unchanged and it serves.
 */
static void refused(int want, const char *why)
{
	struct xroce_attach_opts opts;
	struct loaded was = loaded();
	__u32 id = program_on();
	int ret = reload(&opts);

	check(ret == want && strstr(opts.error, why), "%d, not %d, and '%s': %s", ret,
	      want, why, opts.error);
	check(program_on() == id, "another program");
	check(access(PINS "prog_new", F_OK), "a pin is left");
	nothing_more(was);
	checked_goes_on(&sibling_changed, 3);
}

/* Replacing is refused while @fd is pinned in the place of @pin. */
static void swapped(const char *pin, int fd, int want, const char *why)
{
	char at[64];

	snprintf(at, sizeof(at), PINS "%s", pin);
	if (!check(!rename(at, PINS "aside"), "%s: %s", at, strerror(errno)))
		return;
	check(fd < 0 || !bpf_obj_pin(fd, at), "pin %s: %s", at, strerror(errno));
	refused(want, why);
	check(!rename(PINS "aside", at), "back: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
}

/* Return: a map like that of this link, larger by @value and @entries, without BTF. */
static int map_like(const char *pin, int value, int entries)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts);
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	int fd = xroce_pin_open(LIVE_DEV, pin);

	check(fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &len), "%s", pin);
	close(fd);
	opts.map_flags = info.map_flags;
	fd = bpf_map_create(info.type, pin, info.key_size, info.value_size + value,
			    info.max_entries + entries, &opts);
	check(fd >= 0, "%s: %s", pin, strerror(errno));
	return fd;
}

TEST(reload_maps, "U1 U2", "maps of another shape or another link are refused")
{
	size_t i;

	if (!siblings_start())
		return;
	for (i = 0; i < ARRAY_SIZE(maps) - RINGS; i++)
		swapped(maps[i], map_like(maps[i], 8, 0), -EINVAL,
			"is of another version (value size");
	swapped("qp", map_like("qp", 0, 64), -EINVAL, "(entries 128, not 64)");
	swapped("rd", map_like("rd", 0, 64), -EINVAL, "(entries 128, not 64)");
	swapped("mpt", map_like("mpt", 0, 4096), -EINVAL, "(entries 8192, not 4096)");
	swapped("mr_stat", map_like("mr_stat", 0, 1), -EINVAL, "(entries 4097, not");
	swapped("events", map_like("events", 0, 65536), -EINVAL, "(entries 131072,");
	swapped("qp", xroce_pin_open(LIVE_DEV, "stat"), -EINVAL, "(type 6, not 2)");
	swapped("mpt", map_like("mpt", 0, 0), -EINVAL, "no BTF describes its");
	/* Maps of the right shape that belong to another link. */
	swapped("stat", xroce_pin_open(LIVE_SPARE, "stat"), -EINVAL,
		"are not those of its program");
	swapped("qp", -1, -ENOENT, PINS "qp: No such file");
	swapped("link", -1, -ENOENT, "its pins are missing");
	swapped("link", xroce_pin_open(LIVE_SPARE, "link"), -ENOENT,
		"its pins are missing");
	siblings_stop();
}

/* With another object file. */
static void with_object(const char *path, int want, const char *why)
{
	check(!setenv("XROCE_BPF_OBJECT", path, 1), "%s", path);
	refused(want, why);
	unsetenv("XROCE_BPF_OBJECT");
}

static void built(const char *name, int want, const char *why)
{
	char path[PATH_MAX] = "";

	check(sibling_path(name, path), "the path of %s", name);
	with_object(path, want, why);
}

TEST(reload_objects, "U1", "object files of another version are refused")
{
	const char *garbage = "/dev/shm/reload.o";
	FILE *f = fopen(garbage, "w");
	bool written = f && fputs("of no use", f) > 0;

	if (f)
		written = !fclose(f) && written;
	if (!check(written, "%s", garbage) || !siblings_start())
		return;
	with_object("/dev/shm/no such file", -ENOENT, "No such file");
	with_object(garbage, -EINVAL, "cannot be read: BPF object format invalid");
	built("lib/pass.bpf.o", -EINVAL, "not an object of xroce");
	built("lib/renamed.bpf.o", -EINVAL,
	      "map qp is of another version (member 'misses', not 'missed')");
	siblings_stop();
	unlink(garbage);
}

TEST(reload_not_allowed, "U1", "callers without the capability are refused")
{
	struct xroce_attach_opts opts = {
		.size = sizeof(opts), .mode = XROCE_MODE_GENERIC,
	};
	__u32 id;
	int ret;

	if (!siblings_start())
		return;
	/* By then the program is loaded and pinned. */
	live_drop_cap(CAP_NET_ADMIN);
	refused(-EPERM, "not permitted: CAP_NET_ADMIN is needed");
	live_restore_caps();
	live_drop_cap(CAP_SYS_ADMIN);
	id = program_on();
	check(reload(&opts) == -EPERM && program_on() == id, "%s", opts.error);
	live_restore_caps();
	opts = (struct xroce_attach_opts){
		.size = sizeof(opts), .mode = XROCE_MODE_GENERIC,
	};
	ret = xroce_reload(LIVE_DEV, &opts);
	check(ret == -EINVAL && strstr(opts.error, "does not change them"), "%d: %s", ret,
	      opts.error);
	siblings_says("it has no link", false, "link reload dev lo");
	siblings_says("no such network device", false, "link reload dev nosuch0");
	siblings_says("usage: xroce link reload [dev] DEV", false, "link reload");
	checked_goes_on(&sibling_changed, 3);
	siblings_stop();
}

TEST(reload_gone, "U1 R10", "a link whose device is gone is refused")
{
	check(!live_attach(LIVE_SPARE, LIVE_SPARE_ENTRIES, LIVE_SPARE_ENTRIES),
	      "attach");
	check_sh("ip link del " LIVE_SPARE);
	siblings_says("its device has been unregistered", false, "link reload dev " LIVE_SPARE);
	check(!live_detach(LIVE_SPARE, 0), "detach");
	check(!live_veth_add(LIVE_SPARE, "c1"), "make it again");
}

TEST_MAIN(live_main);
