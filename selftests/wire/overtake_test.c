// SPDX-License-Identifier: GPL-2.0-only
/*
 * Responses that the program sends itself leave at the end of the driver's poll. Responses
 * that are queued in the same poll must follow them, even if another CPU, which has just
 * emptied the queue, has not left xr_responses_run() yet (IBTA 9.7.5.1).
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "sibling_path.h"
#include "stall.h"
#include "live_qp.h"
#include "on_cpu.h"
#include "wire.h"

#define MTU	1024u
#define PACKETS	8u		/* of a READ response */
#define ROUNDS	5u
#define POLLS	0		/* the CPU that polls; its thread is napi/x0-... */
#define LINGERS	1		/* the CPU whose run is stalled */

static struct stall *stall;		/* variables of the BPF programs */
static struct bpf_object *object;
static struct bpf_link *links[2];

static bool stall_attach(void)
{
	static const char *const at[][2] = {
		{ "run_ended", "xr_responses_run" },
		{ "response_queued", "xr_response_queue" },
	};
	char path[PATH_MAX];
	struct bpf_program *prog;
	size_t i;
	int err;

	object = sibling_path("lib/stall.bpf.o", path) ? bpf_object__open(path) : NULL;
	if (!check(object, "%s: %s", path, strerror(errno)))
		return false;
	for (i = 0; i < ARRAY_SIZE(at); i++) {
		prog = bpf_object__find_program_by_name(object, at[i][0]);
		err = bpf_program__set_attach_target(prog, 0, at[i][1]);
		if (!check(!err, "%s: %s", at[i][1], strerror(-err)))
			return false;
	}
	if (!check_is(bpf_object__load(object), 0, "load"))
		return false;
	for (i = 0; i < ARRAY_SIZE(at); i++) {
		prog = bpf_object__find_program_by_name(object, at[i][0]);
		links[i] = bpf_program__attach(prog);
		if (!check(links[i], "%s: %s", at[i][1], strerror(errno)))
			return false;
	}
	stall = mmap(NULL, sizeof(*stall), PROT_READ | PROT_WRITE, MAP_SHARED,
		    bpf_object__find_map_fd_by_name(object, ".bss"), 0);
	return check(stall != MAP_FAILED, "variables: %s", strerror(errno));
}

static void stall_detach(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(links); i++)
		bpf_link__destroy(links[i]);
	if (stall && stall != MAP_FAILED)
		munmap(stall, sizeof(*stall));
	bpf_object__close(object);
}

/*
 * Open the device's file "threaded". The /sys of this network namespace is mounted only for
 * that, and only for this program, as bpffs is in the other /sys.
 */
static int threaded_open(void)
{
	int fd;

	if (!check(!unshare(CLONE_NEWNS) &&
		   !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
		   !mount("sysfs", "/sys", "sysfs", 0, NULL), "sysfs: %s",
		   strerror(errno)))
		return -1;
	fd = open("/sys/class/net/" LIVE_DEV "/threaded", O_WRONLY | O_CLOEXEC);
	check(fd >= 0, "threaded: %s", strerror(errno));
	check(!umount2("/sys", MNT_DETACH), "/sys: %s", strerror(errno));
	return fd;
}

/* Let a thread poll, or the CPU that has sent the packet. */
static void threaded(int fd, bool yes)
{
	check(pwrite(fd, yes ? "1" : "0", 1, 0) == 1, "threaded: %s", strerror(errno));
}

/* Find the thread that polls. Return: 0 and a failed check if there is none. */
static pid_t poller(void)
{
	char path[64], comm[32];
	struct dirent *e;
	pid_t found = 0;
	FILE *f;
	DIR *d = opendir("/proc");

	while (d && !found && (e = readdir(d))) {
		snprintf(path, sizeof(path), "/proc/%.16s/comm", e->d_name);
		f = fopen(path, "re");
		if (!f)
			continue;
		if (fgets(comm, sizeof(comm), f) &&
		    !strncmp(comm, "napi/" LIVE_DEV "-", strlen("napi/" LIVE_DEV "-")))
			found = atoi(e->d_name);
		fclose(f);
	}
	if (d)
		closedir(d);
	check(found, "no thread polls");
	return found;
}

static void request(struct wire *w, uint8_t opcode, uint32_t bytes)
{
	w->req.opcode = opcode;
	w->req.dmalen = bytes;
	w->req.payload = opcode == XROCE_RC_WRITE_ONLY ? bytes : 0;
}

static void *send_there(void *wire)
{
	on_cpu(0, LINGERS);
	wire_send(wire);
	return NULL;
}

static bool stalled(void *arg)
{
	struct stall *h = arg;

	return __atomic_load_n(&h->step, __ATOMIC_ACQUIRE) == STALL_STALLED;
}

/* Send two requests; no thread polls on this CPU until both have been sent. */
static void send_both(struct wire *w, uint32_t psn, uint8_t opcode, uint32_t bytes,
		      uint8_t next, uint32_t more)
{
	const struct sched_param first = { .sched_priority = 1 }, normal = {};

	check(!sched_setscheduler(0, SCHED_FIFO, &first), "%s", strerror(errno));
	w->req.psn = psn;
	request(w, opcode, bytes);
	wire_send(w);
	w->req.psn = psn + 1;
	request(w, next, more);
	wire_send(w);
	check(!sched_setscheduler(0, SCHED_OTHER, &normal), "%s", strerror(errno));
}

static void round_of(struct wire *w, int fd)
{
	uint32_t psn = w->req.psn;
	pthread_t there;

	threaded(fd, false);
	stall->runs = 0;
	__atomic_store_n(&stall->step, STALL_RUN, __ATOMIC_RELEASE);
	request(w, XROCE_RC_READ_REQUEST, PACKETS * MTU);
	if (!check(!pthread_create(&there, NULL, send_there, w), "thread"))
		return;
	check(live_wait(stalled, stall), "no run was stalled");
	threaded(fd, true);
	send_both(w, psn + PACKETS, XROCE_RC_WRITE_ONLY, 64, XROCE_RC_READ_REQUEST,
		  PACKETS * MTU);
	pthread_join(there, NULL);

	wire_read_comes(w, psn, PACKETS);
	wire_comes(w, XROCE_RC_ACK, psn + PACKETS);
	wire_read_comes(w, psn + PACKETS + 1, PACKETS);
	check(stall->step == STALL_DONE, "the last step was %u", stall->step);
	check(!stall->runs, "the queue was sent before the poll's end");
	w->req.psn = psn + 2 * PACKETS + 1;
}

TEST(overtake, "D5 R7", "queued responses follow those that the program sends")
{
	static const struct wire_opts rc;
	struct wire w;
	unsigned int i;
	pid_t thread;
	int fd;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		skip("needs two CPUs");
		return;
	}
	if (!wire_open(&w, &rc))
		return;
	fd = threaded_open();
	if (fd >= 0 && stall_attach()) {
		threaded(fd, true);
		thread = poller();
		if (thread && on_cpu(thread, POLLS) && on_cpu(0, POLLS))
			for (i = 0; i < ROUNDS && !test_failed(); i++)
				round_of(&w, fd);
		threaded(fd, false);
	}
	stall_detach();
	close(fd);
	wire_close(&w);
}

/*
 * Requests whose response the module sends at once, as the frame has two buffers or too
 * little room, after a READ that the program answers, in one poll.
 */
WIRE_TEST(overtake_bytes, "D5 R7", "responses of the module follow a READ response of the program",
	  &(struct wire_opts){ .mtu = XROCE_MTU_4096 })
{
	unsigned int i;
	uint32_t psn;
	pid_t thread;
	int fd;

	fd = threaded_open();
	if (fd >= 0) {
		threaded(fd, true);
		thread = poller();
		psn = w->req.psn;
		if (thread && on_cpu(thread, POLLS) && on_cpu(0, POLLS))
			for (i = 0; i < ROUNDS && !test_failed(); i++, psn += 4) {
				send_both(w, psn, XROCE_RC_READ_REQUEST, 64,
					  XROCE_RC_WRITE_ONLY, 4096);
				wire_comes(w, XROCE_RC_READ_RESPONSE_ONLY, psn);
				wire_comes(w, XROCE_RC_ACK, psn + 1);
				send_both(w, psn + 2, XROCE_RC_READ_REQUEST, 64,
					  XROCE_RC_READ_REQUEST, 4096);
				wire_comes(w, XROCE_RC_READ_RESPONSE_ONLY, psn + 2);
				wire_comes(w, XROCE_RC_READ_RESPONSE_ONLY, psn + 3);
			}
		threaded(fd, false);
	}
	close(fd);
}

TEST_MAIN(live_main);
