// SPDX-License-Identifier: GPL-2.0-only
/* The raw protocol of /dev/fuse. The mount point is a file, so there is no LOOKUP. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/fuse.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/param.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "fuse.h"
#include "live.h"

#define MOUNT_POINT	"/tmp/fuse_test"
/* FUSE_MIN_READ_BUFFER is the minimum; the rest is a reserve. */
#define REQUEST_MAX	(2 * FUSE_MIN_READ_BUFFER)
#define WAITING_MAX	16

static void answer(int dev, const struct fuse_in_header *in, int error,
		   void *body, size_t len)
{
	struct fuse_out_header out = {
		.len = sizeof(out) + len,
		.error = error,
		.unique = in->unique,
	};
	const struct iovec v[] = {
		{ .iov_base = &out, .iov_len = sizeof(out) },
		{ .iov_base = body, .iov_len = len },
	};

	/* ENOENT: the requesting process has ended. */
	if (writev(dev, v, len ? 2 : 1) < 0 && errno != ENOENT)
		_exit(1);
}

static void answer_init(int dev, const struct fuse_in_header *in)
{
	const struct fuse_init_in *init = (const void *)(in + 1);
	struct fuse_init_out out = {
		.major = FUSE_KERNEL_VERSION,
		.minor = FUSE_KERNEL_MINOR_VERSION,
		.max_readahead = init->max_readahead,
		.flags = FUSE_ASYNC_READ,
		.max_write = 4096,
		.time_gran = 1,
	};

	answer(dev, in, 0, &out, sizeof(out));
}

static void answer_attr(int dev, const struct fuse_in_header *in, size_t bytes)
{
	struct fuse_attr_out out = {
		.attr_valid = 3600,
		.attr = {
			.ino = FUSE_ROOT_ID,
			.size = bytes,
			.blocks = bytes / 512,
			.mode = S_IFREG | 0666,
			.nlink = 1,
			.blksize = 4096,
		},
	};

	answer(dev, in, 0, &out, sizeof(out));
}

static void answer_open(int dev, const struct fuse_in_header *in)
{
	struct fuse_open_out out = { .fh = 1 };

	answer(dev, in, 0, &out, sizeof(out));
}

/* A READ that waits. */
static struct {
	struct fuse_in_header in;
	size_t size;
} waiting[WAITING_MAX];

static void take_read(const struct fuse_in_header *in, struct fuse_reads *reads)
{
	const struct fuse_read_in *wanted = (const void *)(in + 1);

	if (reads->count < WAITING_MAX) {
		waiting[reads->count].in = *in;
		waiting[reads->count].size = wanted->size;
	}
	__atomic_add_fetch(&reads->count, 1, __ATOMIC_RELEASE);
}

/* Answer READs by zeros, if the test lets the bytes come. */
static void answer_reads(int dev, struct fuse_reads *reads)
{
	static char zeros[REQUEST_MAX];
	static unsigned int answered;

	while (__atomic_load_n(&reads->come, __ATOMIC_ACQUIRE) && answered < reads->count &&
	       answered < WAITING_MAX) {
		answer(dev, &waiting[answered].in, 0, zeros,
		       MIN(waiting[answered].size, sizeof(zeros)));
		answered++;
	}
}

/* Wait for a request. Return: false: the file system has gone. */
static bool next_request(int dev, void *request, size_t room, struct fuse_reads *reads)
{
	struct pollfd ready = { .fd = dev, .events = POLLIN };

	while (!poll(&ready, 1, 10))
		answer_reads(dev, reads);
	return read(dev, request, room) > 0;
}

static void serve(int dev, size_t bytes, struct fuse_reads *reads)
{
	static union {
		struct fuse_in_header in;
		char room[REQUEST_MAX];
	} request;

	while (next_request(dev, &request, sizeof(request), reads)) {
		switch (request.in.opcode) {
		case FUSE_INIT:
			answer_init(dev, &request.in);
			break;
		case FUSE_GETATTR:
			answer_attr(dev, &request.in, bytes);
			break;
		case FUSE_OPEN:
			answer_open(dev, &request.in);
			break;
		case FUSE_READ:
			take_read(&request.in, reads);
			break;
		case FUSE_FORGET:
		case FUSE_BATCH_FORGET:
		case FUSE_INTERRUPT:
			break;
		case FUSE_FLUSH:
		case FUSE_RELEASE:
			answer(dev, &request.in, 0, NULL, 0);
			break;
		default:
			answer(dev, &request.in, -ENOSYS, NULL, 0);
		}
	}
	_exit(0);
}

static bool fuse_mount(int dev)
{
	char options[80];
	int fd = open(MOUNT_POINT, O_CREAT | O_CLOEXEC, 0600);

	if (!check(fd >= 0, MOUNT_POINT ": %s", strerror(errno)))
		return false;
	close(fd);
	snprintf(options, sizeof(options),
		 "fd=%d,rootmode=100000,user_id=0,group_id=0,allow_other", dev);
	return check(!mount("xroce_test", MOUNT_POINT, "fuse", MS_NOSUID | MS_NODEV,
			    options), "mount: %s", strerror(errno));
}

bool fuse_open(struct fuse *f, size_t bytes)
{
	struct stat st;
	int dev = open("/dev/fuse", O_RDWR | O_CLOEXEC);

	*f = (struct fuse){ .fd = -1 };
	if (!check(dev >= 0, "/dev/fuse: %s", strerror(errno)))
		return false;
	f->reads = mmap(NULL, sizeof(*f->reads), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!check(f->reads != MAP_FAILED, "memory") || !fuse_mount(dev)) {
		close(dev);
		return false;
	}
	f->server = fork();
	if (!f->server) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		serve(dev, bytes, f->reads);
	}
	/* Only the server has the device open, so the connection ends with the server. */
	close(dev);
	f->fd = open(MOUNT_POINT, O_RDWR | O_CLOEXEC);
	/* Only now does the kernel ask for the size. */
	return check(f->fd >= 0 && !fstat(f->fd, &st) && st.st_size == (off_t)bytes,
		     "the file: %s", strerror(errno));
}

static bool has_read(void *arg)
{
	const struct fuse *f = arg;

	return __atomic_load_n(&f->reads->count, __ATOMIC_ACQUIRE);
}

bool fuse_wait_read(struct fuse *f)
{
	return check(live_wait(has_read, f), "no READ request");
}

void fuse_come(struct fuse *f)
{
	__atomic_store_n(&f->reads->come, true, __ATOMIC_RELEASE);
}

void fuse_abort(struct fuse *f)
{
	if (!f->server)
		return;
	kill(f->server, SIGKILL);
	waitpid(f->server, NULL, 0);
	f->server = 0;
}

void fuse_close(struct fuse *f)
{
	fuse_abort(f);
	if (f->fd >= 0)
		close(f->fd);
	umount2(MOUNT_POINT, MNT_DETACH);
	unlink(MOUNT_POINT);
	if (f->reads && f->reads != MAP_FAILED)
		munmap(f->reads, sizeof(*f->reads));
}
