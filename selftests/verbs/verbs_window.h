/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory windows of the memory that a stream accesses. The owner of the memory binds and
 * invalidates them, and the peer invalidates them by SEND with Invalidate.
 */
#ifndef XROCE_VERBS_WINDOW_H
#define XROCE_VERBS_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include <infiniband/verbs.h>

#define WINDOW_FLUSH	(1 << 8)	/* right to FLUSH, which libibverbs 44 does not know */

/**
 * enum window_state - what the model knows of a window
 * @WINDOW_FREE: it is not bound, or a request that invalidates it is posted, and the next bind
 *               comes after that
 * @WINDOW_BINDING: a bind is posted; the peer does not know yet that it is executed
 * @WINDOW_BOUND: the peer may use it
 * @WINDOW_GOING: the peer has posted a SEND that invalidates it
 */
enum window_state {
	WINDOW_FREE,
	WINDOW_BINDING,
	WINDOW_BOUND,
	WINDOW_GOING,
};

/**
 * struct window - a window
 * @mw: its type decides how it is bound
 * @state: what the model knows
 * @key: R_Key; also of the bind that is posted
 * @off: its offset in the memory
 * @len: bytes
 * @bind: number of the request of the owner that has bound it
 * @used: number of the last request of the peer that used it, plus 1
 */
struct window {
	struct ibv_mw *mw;
	enum window_state state;
	uint32_t key;
	uint32_t off;
	uint32_t len;
	uint32_t bind;
	uint32_t used;
};

bool window_open(struct window *w, struct ibv_pd *pd, enum ibv_mw_type type);
void window_close(struct window *w);

bool window_is_two(const struct window *w);

/* Choose another range of @size bytes of memory and another key, for a bind. */
void window_choose(struct window *w, uint32_t size);

/* The requests of the owner before @posted are executed: so windows may be bound. */
void windows_bound(struct window *w, uint32_t n, uint32_t posted);

/* A random one of @n windows that is bound, of type 2 if @two; NULL: there may be none. */
struct window *window_any(struct window *w, uint32_t n, bool two);

#endif /* XROCE_VERBS_WINDOW_H */
