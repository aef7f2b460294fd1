/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The algorithms of congestion control that there are, built-in and BPF (cc_bpf.c), by name; who
 * uses them; and which one connections begin with: that of their link, else that of the module
 * parameter.
 *
 * All of it is under one spin lock of cc_list.c, which is taken under that of a send side, when a
 * connection begins, ends or changes. The data path takes it only when a connection ends. An
 * algorithm in BPF exists until xr_cc_unregister() has taken it away from all its users.
 */
#ifndef _XR_SEND_CC_LIST_H
#define _XR_SEND_CC_LIST_H

#include <linux/types.h>

struct bpf_link;
struct xr_cc_alg;
struct xroce_cc_ops;
struct xroce_cc_query;

extern const struct xroce_cc_ops xr_cc_none;
extern const struct xroce_cc_ops xr_cc_delay;
extern const struct xroce_cc_ops xr_cc_dcqcn;

/**
 * struct xr_cc_user - what a connection has of the list
 * @alg: its algorithm; NULL: it has not begun, or has ended, or is not on RC. It changes under the
 *	lock of the send side; but xr_cc_replace() gives it another one with the same functions
 * @node: in its list, if there is one
 */
struct xr_cc_user {
	struct xr_cc_alg *alg;
	struct list_head node;
};

/*
 * Change the algorithm of a connection that may have ended meanwhile, if it is still @alg, to that
 * of @name; NULL: "none". Under RCU.
 */
typedef void xr_cc_evict_fn(struct xr_cc_user *user, const struct xr_cc_alg *alg, const char *name);

/**
 * struct xr_cc_choice - the algorithm that new connections of a link have
 * @alg: the algorithm; NULL: that of the module parameter
 * @node: in its list, if there is one
 */
struct xr_cc_choice {
	struct xr_cc_alg *alg;
	struct list_head node;
};

int xr_cc_choose(struct xr_cc_choice *choice, const char *name);
void xr_cc_chosen(const struct xr_cc_choice *choice, char *name);
bool xr_cc_listens(const struct xr_cc_choice *choice);
int xr_cc_query(struct xroce_cc_query *q);

/* For send/ alone. */
const struct xroce_cc_ops *xr_cc_join(struct xr_cc_user *user,
				       const struct xr_cc_choice *choice);
const struct xroce_cc_ops *xr_cc_rejoin(struct xr_cc_user *user, const char *name);
void xr_cc_leave(struct xr_cc_user *user);
int xr_cc_register(const struct xroce_cc_ops *ops, const struct bpf_link *link);
int xr_cc_replace(const struct xroce_cc_ops *old, const struct xroce_cc_ops *ops,
		  xr_cc_evict_fn *evict);
void xr_cc_unregister(const struct xroce_cc_ops *ops, xr_cc_evict_fn *evict);

#endif
