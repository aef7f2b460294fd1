// SPDX-License-Identifier: GPL-2.0-only
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <sys/mman.h>

#include "clock.h"
#include "mem.h"
#include "odp_shadow.h"
#include "rng.h"
#include "setting.h"

#define PAGE_SLOTS	((size_t)MEM_PAGE / ODP_SLOT)
#define WRITE_SLOTS	(ODP_MTU / ODP_SLOT)	/* of one packet */
#define READ_SLOTS	(2 * PAGE_SLOTS)

/**
 * struct page - the model's state of a page
 * @epoch: begun plus ended changes: odd during a change
 * @life: number of the current life; a change that may lose bytes begins a new one
 * @since: the bytes may be of this life, or any later one
 * @losing: a change that loses bytes, or may, is under way
 * @lost: that change certainly loses them
 * @prot: PROT_*
 * @base: pattern of the page at the beginning of this life
 * @before: @base of the previous life
 */
struct page {
	unsigned int epoch;
	unsigned int life;
	unsigned int since;
	bool losing;
	bool lost;
	int prot;
	uint8_t base;
	uint8_t before;
};

/**
 * struct slot - the last write to a slot
 * @life: life of the page at that time; 0: not written
 * @from: offset in the message
 * @pattern: of the message
 * @sure: written in that life for certain, not in the one before
 */
struct slot {
	unsigned int life;
	uint32_t from;
	uint8_t pattern;
	bool sure;
};

struct odp odp;
size_t odp_pages;
unsigned int odp_accesses;
unsigned int odp_refusals;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct page pages[ODP_PAGES_MAX];	/* under @lock */
static struct slot slots[ODP_PAGES_MAX * PAGE_SLOTS];
static atomic_bool stop;

char *odp_page(size_t page)
{
	return odp.mem + page * MEM_PAGE;
}

uint32_t odp_below(unsigned int *seed, uint32_t n)
{
	return (uint32_t)rand_r(seed) % n;
}

bool odp_shadow_open(size_t nr)
{
	size_t i;

	odp_pages = nr;
	for (i = 0; i < nr; i++)
		pages[i] = (struct page){
			.life = 1, .since = 1, .prot = PROT_READ | PROT_WRITE,
		};
	memset(slots, 0, sizeof(slots));
	odp_accesses = 0;
	odp_refusals = 0;
	if (!odp_open(&odp, nr))
		return false;
	odp.wait_ms = 1;
	return true;
}

void odp_shadow_begin(size_t page, size_t n, enum odp_change change,
		      uint8_t base)
{
	struct page *p;

	pthread_mutex_lock(&lock);
	for (p = pages + page; p < pages + page + n; p++) {
		p->epoch++;
		if (change == ODP_KEEPS)
			continue;
		p->losing = true;
		p->life++;
		p->before = p->base;
		p->base = base;
		p->lost = change == ODP_LOSES;
	}
	pthread_mutex_unlock(&lock);
}

void odp_shadow_end(size_t page, size_t n, int prot)
{
	struct page *p;

	pthread_mutex_lock(&lock);
	for (p = pages + page; p < pages + page + n; p++) {
		p->epoch++;
		if (p->losing && p->lost)
			p->since = p->life;
		p->losing = false;
		p->prot = prot;
	}
	pthread_mutex_unlock(&lock);
}

static void look(size_t page, size_t n, struct page *to)
{
	pthread_mutex_lock(&lock);
	memcpy(to, pages + page, n * sizeof(*to));
	pthread_mutex_unlock(&lock);
}

static bool has(const uint8_t *bytes, uint8_t pattern, uint32_t from)
{
	uint32_t i;

	for (i = 0; i < ODP_SLOT; i++)
		if (bytes[i] != (pattern ? packet_pattern(pattern, from + i) : 0))
			return false;
	return true;
}

/*
 * Do the bytes match the initial pattern of the current life, or of one that is just
 * ending?
 */
static bool is_base(const uint8_t *bytes, size_t slot, const struct page *p)
{
	uint32_t from = slot % PAGE_SLOTS * ODP_SLOT;

	return has(bytes, p->base, from) ||
	       (p->losing && has(bytes, p->before, from));
}

/* No life has begun in between, and none was about to end at @before. */
static bool same_life(const struct page *before, const struct page *after)
{
	return before->life == after->life && !before->losing;
}

static bool compare(const uint8_t *bytes, size_t n, const struct page *before,
		    const struct page *after)
{
	struct slot *s = slots + n;
	bool written = s->life && has(bytes, s->pattern, s->from);
	bool base = is_base(bytes, n, before) || is_base(bytes, n, after);
	bool right;

	if (!same_life(before, after)) {
		/* A life has begun meanwhile: the bytes may be of either. */
		right = base || (written && s->life >= before->since) ||
			after->life - before->life > 1;
	} else if (s->life == before->life && s->sure) {
		right = written;
	} else if (s->life >= before->since) {
		right = written || base;
		if (before->since == before->life) {
			s->sure = written;
			s->life = written ? before->life : 0;
		}
	} else {
		right = base;
	}
	return check(right,
		     "page %zu, slot %zu is %#x; %#x was written in life %u%s; life %u to %u, since %u, base %#x",
		     n / PAGE_SLOTS, n % PAGE_SLOTS, bytes[0],
		     packet_pattern(s->pattern, s->from), s->life,
		     s->sure ? "" : " or later", before->life, after->life,
		     before->since, after->base);
}

/*
 * Check that the result of an access was possible. Return: whether it was executed; if not,
 * the queue pair has been made ready again.
 */
static bool ended(int syndrome, int prot, const struct page *before,
		  const struct page *after, size_t n)
{
	bool quiet = true, may = true;
	size_t i;

	for (i = 0; i < n; i++) {
		if (before[i].epoch != after[i].epoch || before[i].epoch & 1)
			quiet = false;
		if ((before[i].prot & prot) != prot)
			may = false;
	}
	odp_accesses++;
	check(syndrome == XROCE_SYN_ACK || syndrome == XROCE_SYN_NAK_ACC,
	      "syndrome %#x", syndrome);
	if (quiet)
		check((syndrome == XROCE_SYN_ACK) == may,
		      "%s of page %llu: %#x", prot & PROT_WRITE ? "WRITE" : "READ",
		      (odp.w.req.va - ODP_IOVA) / MEM_PAGE, syndrome);
	if (syndrome == XROCE_SYN_ACK)
		return true;
	odp_refusals++;
	wire_again(&odp.w);
	return false;
}

/* Choose slots that end within the region. */
static size_t choose(size_t most, size_t *n)
{
	*n = rng_below(4) ? 1 : 1 + rng_below(most);
	return rng_below(odp_pages * PAGE_SLOTS - *n + 1);
}

static void write_some(void)
{
	struct page before[2], after[2];
	uint8_t pattern = 1 + rng_below(255);
	size_t n, slot = choose(WRITE_SLOTS, &n), i, page, nr;
	int syndrome;

	page = slot / PAGE_SLOTS;
	nr = (slot + n - 1) / PAGE_SLOTS - page + 1;
	look(page, nr, before);
	syndrome = odp_write(&odp, slot * ODP_SLOT, n * ODP_SLOT, pattern);
	look(page, nr, after);
	if (!ended(syndrome, PROT_WRITE, before, after, nr))
		return;
	for (i = 0; i < n; i++) {
		size_t at = (slot + i) / PAGE_SLOTS - page;

		slots[slot + i] = (struct slot){
			.life = after[at].life,
			.from = i * ODP_SLOT,
			.pattern = pattern,
			.sure = same_life(&before[at], &after[at]),
		};
	}
}

static void read_some(void)
{
	static uint8_t buf[READ_SLOTS * ODP_SLOT];
	struct page before[3], after[3];
	size_t n, slot = choose(READ_SLOTS, &n), i, page, nr;
	int syndrome;

	page = slot / PAGE_SLOTS;
	nr = (slot + n - 1) / PAGE_SLOTS - page + 1;
	look(page, nr, before);
	syndrome = odp_read(&odp, slot * ODP_SLOT, n * ODP_SLOT, buf);
	look(page, nr, after);
	if (!ended(syndrome, PROT_READ, before, after, nr))
		return;
	for (i = 0; i < n && !test_failed(); i++) {
		size_t at = (slot + i) / PAGE_SLOTS - page;

		compare(buf + i * ODP_SLOT, slot + i, &before[at], &after[at]);
	}
}

static void *keep_churning(void *arg)
{
	struct mm_churn *u = arg;

	while (!atomic_load(&stop) && !test_failed()) {
		if (!u->change(&u->seed))
			u->failed++;
		u->done++;
	}
	return NULL;
}

void odp_shadow_run(struct mm_churn *churn, size_t n, bool (*enough)(void))
{
	pthread_t thread[8];
	uint64_t seed = setting("XROCE_SEED", 1);
	double begun = clock_now();
	struct xroce_mr_query q;
	size_t i;

	rng_seed(seed);
	atomic_store(&stop, false);
	for (i = 0; i < n; i++) {
		churn[i].seed = 77 * i + 4 + seed;
		check(!pthread_create(&thread[i], NULL, keep_churning,
				      &churn[i]), "thread");
	}
	while (!test_failed() && !enough()) {
		if (rng_below(2))
			write_some();
		else
			read_some();
	}
	atomic_store(&stop, true);
	for (i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	q = odp_query(&odp);
	note("%.1f s, %u accesses, %u refused, %llu faults, %llu pages, %llu invalidated",
	     clock_now() - begun, odp_accesses, odp_refusals, q.odp_faults,
	     q.odp_pages, q.odp_invalidated);
}

/* Compare the process's own view as well. */
void odp_shadow_close(void)
{
	struct page p;
	size_t slot;

	for (slot = 0; slot < odp_pages * PAGE_SLOTS && !test_failed(); slot++) {
		look(slot / PAGE_SLOTS, 1, &p);
		if (p.prot & PROT_READ)
			compare((uint8_t *)odp.mem + slot * ODP_SLOT, slot, &p,
				&p);
	}
	odp_close(&odp);
}

void odp_bring(size_t page, size_t n)
{
	struct xroce_mr_advise a = {
		.mr = odp.mr.mr,
		.advice = XROCE_ADVISE_PREFETCH_WRITE,
		.iova = ODP_IOVA + page * MEM_PAGE,
		.length = n * MEM_PAGE,
	};

	check_is(xroce_mr_advise(odp.w.x, &a), 0, "MR_ADVISE");
}

void odp_fill(char *from, size_t n, uint8_t base)
{
	size_t i;

	for (i = 0; i < n * MEM_PAGE; i++)
		from[i] = packet_pattern(base, i % MEM_PAGE);
}

bool odp_filled(const char *from, size_t n, uint8_t base)
{
	size_t i;

	for (i = 0; i < n * MEM_PAGE; i++)
		if ((uint8_t)from[i] != packet_pattern(base, i % MEM_PAGE))
			return check(false, "byte %#llx of page %llu is %#x, not %#x",
				     i % MEM_PAGE, i / MEM_PAGE,
				     (uint8_t)from[i],
				     packet_pattern(base, i % MEM_PAGE));
	return true;
}
