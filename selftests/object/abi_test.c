// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rules that all ioctl commands share: structures of other sizes, unknown flags, reserved
 * fields, bad pointers.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <net/if.h>
#include <unistd.h>

#include "abi.h"

/* Delete the link that LINK_ADD may have left on the spare device. */
static void del_spare_link(void)
{
	struct xroce_link_del del = {
		.size = sizeof(del), .flags = XROCE_F_FORCE,
	};
	struct xroce_link_query q;
	int fd;

	if (xroce_link_find(LIVE_SPARE, &q))
		return;
	fd = open(XROCE_DEV_PATH, O_RDWR | O_CLOEXEC);
	del.link = q.link;
	must(fd, XROCE_CMD_LINK_DEL, &del);
	close(fd);
}

/**
 * struct attempt - one call of a command; anything not given here is valid
 * @size: of the structure; bytes past the known size are zero
 * @bad: offset of a byte to corrupt, or 0
 * @flags: bits to flip in the flags
 * @unlinked: use a descriptor without a link, even if the command needs one
 */
struct attempt {
	__u32 size;
	__u32 bad;
	__u32 flags;
	bool unlinked;
};

/* Return: the result of the command. */
static int attempt(const struct command *c, const struct attempt *t)
{
	struct xroce_link_use use = {
		.size = sizeof(use),
		.ifindex = if_nametoindex(LIVE_DEV),
	};
	int fd = open(XROCE_DEV_PATH, O_RDWR | O_CLOEXEC);
	union arg a = {};
	__u32 i;
	int ret;

	if (!check(fd >= 0, "open: %s", strerror(errno)))
		return -EBADF;
	if (!c->bare && !t->unlinked)
		must(fd, XROCE_CMD_LINK_USE, &use);
	if (!t->unlinked)
		c->fill(fd, &a);
	a.size = t->size;
	a.flags ^= t->flags;
	if (t->bad)
		a.bytes[t->bad] ^= 1;
	ret = live_ioctl(fd, c->nr, &a);
	if (!ret) {
		check(a.size == t->size, "%s: size %u becomes %u", c->name,
		      t->size, a.size);
		for (i = t->size < c->size ? t->size : c->size; i < sizeof(a); i++)
			if (!check(!a.bytes[i], "%s: byte %u written", c->name,
				   i))
				break;
	}
	if (c->nr == XROCE_CMD_LINK_MAPS)
		close_maps(&a);
	close(fd);
	del_spare_link();
	return ret;
}

static void expect(const struct command *c, struct attempt t, int want)
{
	int ret = attempt(c, &t);

	check(ret == want,
	      "%s, size %u of %u, byte %u changed, flags ^%#x: %d, not %d",
	      c->name, t.size, c->size, t.bad, t.flags, ret, want);
}

#define for_each_command(c) \
	for ((c) = commands; (c) < commands + commands_count; (c)++)

TEST(abi_size_right, "U3",
     "every command accepts its structure at its exact size, and at that of its first release")
{
	const struct command *c;

	for_each_command(c) {
		expect(c, (struct attempt){ c->size }, 0);
		if (c->first)
			expect(c, (struct attempt){ c->first }, 0);
	}
	live_check_idle(LIVE_DEV);
}

TEST(abi_size_short, "U3", "a structure that is too short is refused with -EINVAL")
{
	const struct command *c;

	for_each_command(c) {
		expect(c, (struct attempt){ 0 }, -EINVAL);
		expect(c, (struct attempt){ 4 }, -EINVAL);
		expect(c, (struct attempt){ (c->first ? : c->size) - 1 }, -EINVAL);
	}
	live_check_idle(LIVE_DEV);
}

TEST(abi_size_long, "U3", "a longer structure whose extra bytes are zero is accepted")
{
	const struct command *c;

	for_each_command(c) {
		expect(c, (struct attempt){ c->size + 1 }, 0);
		expect(c, (struct attempt){ c->size + 40 }, 0);
		expect(c, (struct attempt){ PAGE }, 0);
	}
	live_check_idle(LIVE_DEV);
}

TEST(abi_size_too_new, "U3", "a non-zero byte past the known size is refused with -E2BIG")
{
	const struct command *c;

	for_each_command(c) {
		expect(c, (struct attempt){ c->size + 40, c->size }, -E2BIG);
		expect(c, (struct attempt){ c->size + 40, c->size + 39 },
		       -E2BIG);
		expect(c, (struct attempt){ PAGE, PAGE - 1 }, -E2BIG);
	}
	live_check_idle(LIVE_DEV);
}

TEST(abi_size_too_long, "U3", "a structure of more than a page is refused with -E2BIG")
{
	const struct command *c;

	for_each_command(c) {
		expect(c, (struct attempt){ PAGE + 1 }, -E2BIG);
		expect(c, (struct attempt){ 0xffffffff }, -E2BIG);
	}
	live_check_idle(LIVE_DEV);
}

TEST(abi_flags_unknown, "U3", "every unknown flag is refused with -EINVAL")
{
	const struct command *c;
	int bit;

	for_each_command(c)
		for (bit = 0; bit < 32; bit++)
			if (!(c->flags & 1u << bit))
				expect(c, (struct attempt){ c->size, 0,
							    1u << bit },
				       -EINVAL);
	live_check_idle(LIVE_DEV);
}

TEST(abi_reserved, "U3", "reserved words must be zero")
{
	const struct command *c;
	int i, byte;

	for_each_command(c)
		for (i = 0; i < 2 && c->reserved[i]; i++)
			for (byte = 0; byte < 4; byte++)
				expect(c, (struct attempt){ c->size,
					      c->reserved[i] + byte }, -EINVAL);
	live_check_idle(LIVE_DEV);
}

TEST(abi_no_link, "U3", "commands on objects need LINK_USE first")
{
	const struct command *c;

	for_each_command(c)
		if (!c->bare)
			expect(c, (struct attempt){ c->size, .unlinked = true },
			       -ENOTCONN);
}

TEST(abi_pointers, "U3", "bad pointers are refused with -EFAULT")
{
	int fd = open(XROCE_DEV_PATH, O_RDWR | O_CLOEXEC);
	const struct command *c;
	char *map, *end;
	int ret;

	map = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(map + PAGE, PAGE);
	end = map + PAGE;
	for_each_command(c) {
		check_is(live_ioctl(fd, c->nr, NULL), -EFAULT, "%s, NULL", c->name);
		check_is(live_ioctl(fd, c->nr, end), -EFAULT, "%s, unmapped", c->name);
		check_is(live_ioctl(fd, c->nr, (void *)0xffffffff81000000), -EFAULT, "%s, kernel",
			 c->name);
		/* The size field is mapped, the last byte is not. */
		memcpy(end - c->size + 1, &c->size, sizeof(c->size));
		check_is(live_ioctl(fd, c->nr, end - c->size + 1), -EFAULT, "%s, ends unmapped",
			 c->name);
		/* Mapped to the end; no object has such a number. */
		memset(map, 0xff, PAGE);
		memset(end - c->size, 0, 8);
		memcpy(end - c->size, &c->size, sizeof(c->size));
		ret = live_ioctl(fd, c->nr, end - c->size);
		check(ret != -EFAULT, "%s, ends mapped: %d", c->name, ret);
		memset(map, 0, PAGE);
	}
	munmap(map, PAGE);
	close(fd);
}

TEST(abi_no_command, "U3", "command numbers must match exactly")
{
	struct xroce_link_query q = { .size = sizeof(q), .flags = XROCE_F_NEXT };
	int fd = open(XROCE_DEV_PATH, O_RDWR | O_CLOEXEC);
	const struct command *c;
	unsigned int nr;
	int ret;

	for (nr = 0; nr < 256; nr++) {
		for_each_command(c)
			if (c->nr == _IO(XROCE_IOC_TYPE, nr))
				break;
		if (c < commands + commands_count)
			continue;
		check_is(live_ioctl(fd, _IO(XROCE_IOC_TYPE, nr), &q), -ENOTTY, "command %#x", nr);
	}
	check_is(live_ioctl(fd, _IO(XROCE_IOC_TYPE + 1, XROCE_NR_LINK_QUERY), &q), -ENOTTY,
		 "another type");
	ret = live_ioctl(fd, _IOWR(XROCE_IOC_TYPE, XROCE_NR_LINK_QUERY,
				   struct xroce_link_query), &q);
	check(ret == -ENOTTY, "with a size in the number: %d", ret);
	check_is(live_ioctl(fd, XROCE_CMD_LINK_QUERY, &q), 0, "LINK_QUERY");
	close(fd);
}

TEST_MAIN(live_main_no_packets);
