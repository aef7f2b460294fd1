// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <net/if.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "alloc_case.h"
#include "inventory.h"
#include "mem.h"

static struct inventory base, was, is;
static pid_t other;		/* a process with memory at ALLOC_CASE_FAR, or 0 */

int alloc_case_open(void)
{
	int fd = open(XROCE_DEV_PATH, O_RDWR | O_CLOEXEC);

	check(fd >= 0, XROCE_DEV_PATH ": %s", strerror(errno));
	return fd;
}

void alloc_case_use_link(int fd)
{
	struct xroce_link_use use = {
		.size = sizeof(use),
		.ifindex = if_nametoindex(LIVE_DEV),
	};

	must(fd, XROCE_CMD_LINK_USE, &use);
}

__u32 alloc_case_pd(int fd)
{
	struct xroce_pd_add add = { .size = sizeof(add) };

	must(fd, XROCE_CMD_PD_ADD, &add);
	return add.pd;
}

void alloc_case_memory(void)
{
	void *at = mmap(ALLOC_CASE_FAR, ALLOC_CASE_PAGES * MEM_PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
			MAP_FIXED_NOREPLACE, -1, 0);

	check(at == ALLOC_CASE_FAR, "memory: %s", strerror(errno));
}

pid_t alloc_case_process(void)
{
	alloc_case_memory();
	fflush(NULL);
	other = fork();
	if (!other) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/*
		 * Close inherited descriptors: objects must end when this test closes its
		 * own.
		 */
		close_range(3, ~0u, 0);
		for (;;)
			pause();
	}
	munmap(ALLOC_CASE_FAR, ALLOC_CASE_PAGES * MEM_PAGE);
	return other;
}

void alloc_case_clean(void)
{
	struct xroce_link_del del = { .size = sizeof(del) };
	struct xroce_link_query q;
	int fd;

	if (!xroce_link_find(LIVE_SPARE, &q)) {
		fd = alloc_case_open();
		del.link = q.link;
		must(fd, XROCE_CMD_LINK_DEL, &del);
		close(fd);
	}
	if (other > 0) {
		kill(other, SIGKILL);
		waitpid(other, NULL, 0);
	}
	other = 0;
	munmap(ALLOC_CASE_FAR, ALLOC_CASE_PAGES * MEM_PAGE);
}

/* Return: whether -ENOMEM is among the command's documented errors. */
static bool may_fail(const struct alloc_case *ac)
{
	static const unsigned long list[] = {
		XROCE_CMD_LINK_ADD, XROCE_CMD_LINK_MAPS, XROCE_CMD_LINK_USE,
		XROCE_CMD_PD_ADD, XROCE_CMD_MR_REG, XROCE_CMD_MR_REG_PHYS,
		XROCE_CMD_MR_REG_SHARED, XROCE_CMD_MR_REREG,
		XROCE_CMD_MR_ADVISE, XROCE_CMD_MW_ADD, XROCE_CMD_MTT_READ,
		XROCE_CMD_QP_ADD, XROCE_CMD_CQ_ADD, XROCE_CMD_SRQ_ADD,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(list); i++)
		if (list[i] == ac->nr)
			return true;
	return ac->claims;
}

/* All advised pages are resident, except those whose allocation failed. */
static void advised(const union arg *a, bool injected)
{
	__u64 all = (a->cmd.mr_advise.length + MEM_PAGE - 1) / MEM_PAGE;

	check(a->cmd.mr_advise.pages == all || (injected && a->cmd.mr_advise.pages < all),
	      "%llu pages of %llu", a->cmd.mr_advise.pages, all);
}

static const struct command *command(unsigned long nr)
{
	size_t i;

	for (i = 0; i + 1 < commands_count && commands[i].nr != nr; i++)
		;
	return &commands[i];
}

/*
 * Run a case with its @nth allocation failing. Return: whether the command came to that
 * allocation.
 */
static bool attempt(const struct alloc_case *ac, unsigned int nth, unsigned int *refused)
{
	const struct command *c = command(ac->nr);
	int fd = alloc_case_open(), ret;
	union arg a = {}, copy;
	char when[64];
	bool hit;

	if (!c->bare)
		alloc_case_use_link(fd);
	ac->fill(fd, &a);
	a.size = c->size;
	copy = a;
	inventory_take(fd, &was);
	fault_nth(nth);
	ret = live_ioctl(fd, ac->nr, &a);
	hit = fault_nth_end();
	snprintf(when, sizeof(when), "%s, place %u", ac->name, nth);
	check(!ret || (hit && ret == -ENOMEM && may_fail(ac)), "%s: %d", when, ret);
	if (ret) {
		++*refused;
		inventory_take(fd, &is);
		inventory_same(&was, &is, when);
		a = copy;
		check_is(live_ioctl(fd, ac->nr, &a), 0, "%s, repeated", when);
	}
	if (ac->nr == XROCE_CMD_MR_ADVISE)
		advised(&a, hit && !ret);
	close(fd);
	if (ac->nr == XROCE_CMD_LINK_MAPS)
		close_maps(&copy);
	alloc_case_clean();
	return hit;
}

static void run(const struct alloc_case *ac)
{
	unsigned int nth = 0, refused = 0;
	int bare = alloc_case_open();

	inventory_take(bare, &base);
	while (++nth <= ALLOC_CASE_MOST && attempt(ac, nth, &refused) && !test_failed())
		;
	inventory_take(bare, &is);
	inventory_same(&base, &is, ac->name);
	check(nth <= ALLOC_CASE_MOST, "%s: too many allocations", ac->name);
	check(refused || !may_fail(ac) || test_failed(), "%s never fails", ac->name);
	note("%s: %u places, refused at %u", ac->name, nth - 1, refused);
	close(bare);
}

void alloc_cases_run(const struct alloc_case *cases, size_t n)
{
	size_t i;

	for (i = 0; i < n && !test_failed(); i++)
		run(&cases[i]);
}
