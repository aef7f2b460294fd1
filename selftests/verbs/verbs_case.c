// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>

#include "fault.h"
#include "mem.h"
#include "rng.h"
#include "verbs_case.h"

#define MOST		2000u	/* allocations of an operation without verbs_case::places */
#define FIRST		50u	/* of its allocations, of which verbs_case::places skips none */
#define FAR_PLACE	1000000u /* more than the allocations of any operation */

struct ibv_qp *verbs_case_qp;
union verbs_made made;

int result(void *object)
{
	made.any = object;
	return object ? 0 : errno;
}

void far_map(void)
{
	void *at = mmap(FAR, FAR_PAGES * MEM_PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

	check(at == FAR, "memory: %s", strerror(errno));
}

void far_unmap(void)
{
	munmap(FAR, FAR_PAGES * MEM_PAGE);
}

/**
 * struct counts - what the module has, as it reports it
 * @link: objects and users of the link, as LINK_QUERY reports them
 * @used: the same and more, by enum xroce_counted
 * @pool: the pool of tables
 * @pages: pages that are pinned, in the system and by this process
 * @qp_state: of verbs_case_qp
 */
struct counts {
	struct xroce_link_query link;
	struct xroce_limit_query used;
	struct xroce_mtt_query pool;
	long pages[2];
	enum ibv_qp_state qp_state;
};

static int dev_fd = -1;

static void take(struct counts *c)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr = {};

	memset(c, 0, sizeof(*c));
	c->link.size = sizeof(c->link);
	c->link.flags = XROCE_F_NEXT;
	check(!live_ioctl(dev_fd, XROCE_CMD_LINK_QUERY, &c->link), "LINK_QUERY");
	c->used.size = sizeof(c->used);
	c->used.link = c->link.link;
	check(!live_ioctl(dev_fd, XROCE_CMD_LIMIT_QUERY, &c->used), "LIMIT_QUERY");
	c->pool.size = sizeof(c->pool);
	check(!live_ioctl(dev_fd, XROCE_CMD_MTT_QUERY, &c->pool), "MTT_QUERY");
	c->pages[0] = live_pinned();
	c->pages[1] = live_vmpin();
	if (verbs_case_qp)
		check(!ibv_query_qp(verbs_case_qp, &attr, IBV_QP_STATE, &init), "query");
	c->qp_state = attr.qp_state;
}

static void same(const struct counts *a, const struct counts *b, const char *when)
{
	check(!memcmp(a, b, sizeof(*a)),
	      "%s: domains %u, %u; regions %u, %u; queue pairs %u, %u; pages %ld, %ld; state %d, %d",
	      when, a->link.pds, b->link.pds, a->link.mrs, b->link.mrs, a->link.qps,
	      b->link.qps, a->pages[0], b->pages[0], a->qp_state, b->qp_state);
}

/* Run it with the @nth allocation failing. Return: whether there was one. */
static bool attempt(const struct verbs_case *op, unsigned int nth, unsigned int *refused)
{
	struct counts was, is;
	char when[64];
	bool hit;
	int ret;

	if (op->before)
		op->before();
	take(&was);
	fault_nth(nth);
	ret = op->run();
	hit = fault_nth_end();
	snprintf(when, sizeof(when), "%s, place %u", op->name, nth);
	check(!ret || (hit && (ret == ENOMEM || op->any_error)), "%s: %s", when, strerror(ret));
	if (ret) {
		++*refused;
		take(&is);
		same(&was, &is, when);
		ret = op->repeat ? op->repeat() : op->run();
		check(!ret, "%s, repeated: %s", when, strerror(ret));
	}
	if (op->after && !test_failed())
		op->after();
	return hit;
}

/* Run it, and undo that. Return: its allocations. */
static unsigned int allocations(const struct verbs_case *op)
{
	unsigned int left;
	int ret;

	fault_nth(FAR_PLACE);
	ret = op->run();
	left = fault_nth_left();
	check(!ret, "%s: %s", op->name, strerror(ret));
	check(left, "%s: more than %u allocations", op->name, FAR_PLACE);
	if (!test_failed())
		op->after();
	return FAR_PLACE - left;
}

/*
 * The places end behind the last allocation. Their number is found out beforehand only if it
 * has to be: what an operation allocates only the first time fails as well then. It differs a
 * little from run to run.
 */
void verbs_case_run(const struct verbs_case *op)
{
	unsigned int nth = 0, tried = 0, refused = 0, step = 1, most = MOST;
	struct counts was, is;

	if (op->places) {
		most = 2 * allocations(op);
		step = most / 2 / op->places + 1;
	}
	take(&was);
	do {
		nth += 1 + (nth >= FIRST && step > 1 ? rng_below(2 * step - 1) : 0);
		tried++;
	} while (nth <= most && !test_failed() && attempt(op, nth, &refused));
	take(&is);
	if (!test_failed())
		same(&was, &is, op->name);
	check(nth <= most, "%s: more than %u allocations", op->name, most);
	note("%s: %u places up to number %u, refused at %u", op->name, tried, nth, refused);
}

void verbs_cases_run(const struct verbs_case *ops, size_t n)
{
	size_t i;

	for (i = 0; i < n && !test_failed(); i++)
		verbs_case_run(&ops[i]);
}

bool verbs_cases_open(void)
{
	dev_fd = open(XROCE_DEV_PATH, O_RDWR | O_CLOEXEC);
	return check(dev_fd >= 0, XROCE_DEV_PATH);
}

void verbs_cases_close(void)
{
	close(dev_fd);
}
