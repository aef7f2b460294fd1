/* SPDX-License-Identifier: GPL-2.0-only */
/* The thread that polls for a program with xroce's own provider: what can be seen of it. */
#ifndef XROCE_POLLER_H
#define XROCE_POLLER_H

#include <stdint.h>

#include <sys/types.h>

#include <infiniband/verbs.h>

/* Return: the thread of a process; 0: it has none. */
pid_t poller_of(pid_t pid);

/* Its state, as ps(1) shows it; 0: it does not exist. */
char poller_state(pid_t pid, pid_t tid);

/* Nanoseconds that it has had a CPU; 0: it does not exist. */
uint64_t poller_ran(pid_t pid, pid_t tid);

/*
 * The memory that a context of a verbs device has mapped as the @n-th, from 0 on: first that of the
 * thread, struct xroce_poll_header, if it has one. Return: NULL: none.
 */
void *poller_mapped(const struct ibv_context *ctx, unsigned int n);

#endif /* XROCE_POLLER_H */
