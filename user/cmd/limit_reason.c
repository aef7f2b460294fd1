// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Finding the limit that prevents a new object, for its error message; see link_limit.c. */
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "feature/feature.h"
#include "limit_reason.h"
#include "units.h"

static __thread char text[256];

/* By enum xroce_counted: the word of "link limit" and "refused", and the name in messages. */
static const struct {
	const char *word;
	const char *name;
} names[XROCE_REFUSED] = {
	[XROCE_COUNT_PD] = { "pd", "protection domains" },
	[XROCE_COUNT_MR] = { "mr", "regions" },
	[XROCE_COUNT_MW] = { "mw", "windows" },
	[XROCE_COUNT_QP] = { "qp", "queue pairs" },
	[XROCE_COUNT_CQ] = { "cq", "completion queues" },
	[XROCE_COUNT_SRQ] = { "srq", "shared receive queues" },
	[XROCE_COUNT_PINNED] = { "pinned", "bytes pinned" },
	[XROCE_COUNT_DEFERRED] = { "deferred", "deferred packets" },
	[XROCE_COUNT_TABLE] = { "table", "entries of translation tables" },
	[XROCE_COUNT_AH] = { "ah", "address handles" },
	[XROCE_COUNT_MCAST] = { "mcast", "memberships in multicast groups" },
	[XROCE_COUNT_MEMLOCK] = { "memlock", "pages of RLIMIT_MEMLOCK" },
};

const char *limit_word(enum xroce_counted what)
{
	return names[what].word;
}

static __u64 in_pages(__u64 bytes)
{
	__u64 page = sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) / page * page;
}

/* Would @amount more of @what exceed the limit in @q? If so, describe the limit in text. */
static bool full(const struct xroce_limit_query *q, const char *whose,
		 enum xroce_counted what, __u64 amount)
{
	__u64 used = q->used[what], most = q->limit[what];
	char limit[UNITS_MAX], in_use[UNITS_MAX], more[UNITS_MAX];
	bool user = q->flags & XROCE_F_USER;

	if (most == XROCE_LIMIT_NONE || (used <= most && amount <= most - used))
		return false;
	snprintf(text, sizeof(text),
		 "%s is limited to %s %s: %s in use, %s more needed ('xroce link limit %s%s N' changes the limit)",
		 whose, units_exact(most, limit), names[what].name,
		 units_exact(used, in_use), units_exact(amount, more),
		 user ? "user " : "", names[what].word);
	return true;
}

/* Say so if the table is full for users without CAP_NET_ADMIN, or @user has the share. */
static bool table_full(const struct xroce_limit_query *q, const char *whose,
		       enum xroce_counted what)
{
	if (q->room[what])
		return false;
	if (q->flags & XROCE_F_USER)
		snprintf(text, sizeof(text),
			 "%s has %llu %s, and may have only as many as remain free ('xroce link limit user %s N' sets a limit instead)",
			 whose, (unsigned long long)q->used[what], names[what].name,
			 names[what].word);
	else
		snprintf(text, sizeof(text),
			 "no place for more %s is left on the link but the reserve for CAP_NET_ADMIN: %llu in use",
			 names[what].name, (unsigned long long)q->used[what]);
	return true;
}

/* Query the limits that @q names, and compare: as full(). @whose: as it is said in the text. */
static bool any_full(struct xroce_limit_query *q, const char *whose, const struct wanted *w)
{
	__u32 flags = q->flags;

	if (xroce_limit_query(q))
		return false;
	q->flags = flags;
	return (w->what != XROCE_COUNT_PINNED && full(q, whose, w->what, 1)) ||
	       (w->bytes && full(q, whose, XROCE_COUNT_PINNED,
				 in_pages(w->bytes))) ||
	       (!w->persistent && table_full(q, whose, w->what));
}

static bool link_full(struct xroce *x, const struct wanted *w)
{
	struct xroce_limit_query q = { .link = xroce_link(x) };

	return any_full(&q, "the link", w);
}

static bool user_full(struct xroce *x, const struct wanted *w)
{
	struct xroce_limit_query q = {
		.flags = XROCE_F_USER,
		.link = xroce_link(x),
		.uid = getuid(),
	};
	char whose[32];

	snprintf(whose, sizeof(whose), "user %u", q.uid);
	return any_full(&q, whose, w);
}

/* Bytes that a process has pinned. @pid: 0: this process. */
static __u64 pinned(__u32 pid)
{
	unsigned long long kb = 0;
	char line[256], path[32] = "/proc/self/status";
	FILE *f;

	if (pid)
		snprintf(path, sizeof(path), "/proc/%u/status", pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "VmPin: %llu", &kb) == 1)
			break;
	fclose(f);
	return kb << 10;
}

static bool memlock_full(const struct wanted *w)
{
	char limit[UNITS_MAX], in_use[UNITS_MAX], more[UNITS_MAX];
	__u64 used = pinned(w->pid), amount = in_pages(w->bytes);
	struct rlimit most;

	if (!w->bytes || feature_capable(CAP_IPC_LOCK) ||
	    getrlimit(RLIMIT_MEMLOCK, &most) || used + amount <= most.rlim_cur)
		return false;
	snprintf(text, sizeof(text),
		 "RLIMIT_MEMLOCK is %s: %s pinned, %s more needed ('ulimit -l' or LimitMEMLOCK= raises it; CAP_IPC_LOCK removes it)",
		 units_exact(most.rlim_cur, limit), units_exact(used, in_use),
		 units_exact(amount, more));
	return true;
}

const char *limit_reason(struct xroce *x, int err, const struct reason *table,
			 const struct wanted *wanted)
{
	if (err == -EDQUOT && (link_full(x, wanted) ||
			       (!wanted->persistent && user_full(x, wanted))))
		return text;
	if (err == -EDQUOT &&
	    (wanted->what == XROCE_COUNT_MR || wanted->what == XROCE_COUNT_PINNED))
		return "the user's share of the pool of translation tables is in use, see 'xroce mtt show' (the module's parameter mtt_limit is its size)";
	if (err == -ENOMEM && memlock_full(wanted))
		return text;
	return reason(err, table);
}
