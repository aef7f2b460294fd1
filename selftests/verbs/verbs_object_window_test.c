// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory windows of the verbs device: the rules of a bind, and the bounds of what is bound. What
 * is refused changes nothing; beside it is what is accepted.
 */
#include <errno.h>
#include <string.h>

#include "verbs_object.h"

/* A bind in the form of the provider, for both types. */
struct binding {
	struct ibv_mw *mw;
	struct ibv_mr *mr;
	uint32_t present;
	uint32_t next;
	uint32_t at;
	uint64_t length;
	unsigned int access;
};

static struct binding binding(struct ibv_mw *mw)
{
	return (struct binding){
		.mw = mw,
		.mr = obj.mr,
		.present = mw->rkey,
		.next = ibv_inc_rkey(mw->rkey),
		.at = MESSAGE,
		.length = 2 * MESSAGE,
		.access = IBV_ACCESS_REMOTE_WRITE,
	};
}

/* Bind, and check the status. A failed bind ends the queue pair, which is connected again. */
static void try_bind(struct binding b, int want, const char *what)
{
	struct ibv_mw with_key = *b.mw;
	struct ibv_send_wr *bad, wr = {
		.opcode = IBV_WR_BIND_MW,
		.send_flags = IBV_SEND_SIGNALED,
		.bind_mw = {
			.mw = &with_key,
			.rkey = b.next,
			.bind_info = { .mr = b.mr, .addr = (uintptr_t)obj.memory + b.at,
				       .length = b.length, .mw_access_flags = b.access },
		},
	};
	struct ibv_wc wc;
	int ret;

	with_key.rkey = b.present;
	check(!ibv_post_send(obj.qp, &wr, &bad), "%s: post", what);
	ret = end_wait(obj.cq, &wc);
	check(ret == want, "%s: %d, not %d", what, ret, want);
	if (ret)
		ends_connect(obj.qp, obj.peer);
	else
		b.mw->rkey = b.next;
}

static void try_binds(enum ibv_mw_type type)
{
	struct ibv_mw *mw = ibv_alloc_mw(xr_end.pd, type), *mw2 = ibv_alloc_mw(obj.pd2, type);
	struct binding b;

	if (!check(mw && mw2, "windows: %s", strerror(errno)))
		return;
	objects_try_write(mw->rkey, MESSAGE, false, "unbound");
	b = binding(mw);
	b.present ^= 1;
	try_bind(b, IBV_WC_MW_BIND_ERR, "another present key");
	b = binding(mw);
	b.next ^= 1u << 20;
	try_bind(b, IBV_WC_MW_BIND_ERR, "a key of another index");
	b = binding(mw);
	b.length = sizeof(obj.memory) - MESSAGE + 1;
	try_bind(b, IBV_WC_MW_BIND_ERR, "a byte past the end");
	b = binding(mw);
	b.mr = obj.mr2;
	try_bind(b, IBV_WC_MW_BIND_ERR, "a region of another domain");
	b.mr = obj.foreign;
	try_bind(b, IBV_WC_MW_BIND_ERR, "a region of another context");
	b.mr = obj.unbindable;
	try_bind(b, IBV_WC_MW_BIND_ERR, "a region without the right");
	b = binding(mw2);
	try_bind(b, IBV_WC_MW_BIND_ERR, "a window of another domain");
	b = binding(mw);
	b.access = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_MW_BIND;
	try_bind(b, IBV_WC_MW_BIND_ERR, "a right that windows do not have");
	b.access = IBV_ACCESS_REMOTE_WRITE | 1u << 30;
	try_bind(b, IBV_WC_MW_BIND_ERR, "an unknown right");
	objects_try_write(mw->rkey, MESSAGE, false, "still unbound");

	b = binding(mw);
	try_bind(b, 0, "a range inside");
	objects_try_write(mw->rkey, MESSAGE, true, "bound");
	objects_try_write(mw->rkey, 2 * MESSAGE, true, "its end");
	check(ibv_dereg_mr(obj.mr) == EBUSY, "the region of a bound window");
	check(!ibv_dealloc_mw(mw) && !ibv_dealloc_mw(mw2), "windows");
}

static void bounds(enum ibv_mw_type type)
{
	const uint32_t outside[] = { MESSAGE - 1, 2 * MESSAGE + 1, 0, 3 * MESSAGE };
	struct ibv_mw *mw;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(outside); i++) {
		mw = ibv_alloc_mw(xr_end.pd, type);
		if (!check(mw, "window: %s", strerror(errno)))
			return;
		try_bind(binding(mw), 0, "a range inside");
		objects_try_write(mw->rkey, MESSAGE, true, "bound");
		objects_try_write(mw->rkey, outside[i], false, "a byte outside");
		check(!ibv_dealloc_mw(mw), "window");
	}
}

TEST(object_windows_1, "V5 W1", "binding and using windows of type 1")
{
	if (!objects_open())
		return;
	try_binds(IBV_MW_TYPE_1);
	bounds(IBV_MW_TYPE_1);
	objects_close();
}

TEST(object_windows_2, "V5 W1", "binding and using windows of type 2")
{
	if (!objects_open())
		return;
	try_binds(IBV_MW_TYPE_2);
	bounds(IBV_MW_TYPE_2);
	objects_close();
}

TEST_MAIN(harness_main);
