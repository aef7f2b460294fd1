/* SPDX-License-Identifier: GPL-2.0-only */
/* The thread that polls for a program with xroce's own provider, as a test sees it. */
#ifndef XROCE_PROVIDER_POLLER_H
#define XROCE_PROVIDER_POLLER_H

#include <stdbool.h>
#include <stdint.h>

#include <sys/types.h>

#include "poller.h"
#include "provider_end.h"

/* Return: false, and the test is skipped: the kernel has no such threads. */
bool poller_exists(void);

/* Parameters of xroce_ib: so many threads in all, and for a user. */
void poller_allow(unsigned int all, unsigned int user);

/* The next context asks for one that sleeps after @usec; 0: for none. */
void poller_ask(unsigned int usec);

/* poller_mapped() of a connection of own_open(). */
enum { POLLER_WORD, POLLER_CQ, POLLER_SEND };

/* The word of a context. Return: NULL and a failed check: there is none. */
uint32_t *poller_word(const struct ibv_context *ctx);

/* For live_wait(): the word is set. */
bool poller_is_set(void *word);

/* Wait until the thread with this word sleeps. Return: false and a failed check: it does not. */
bool poller_sleeps(uint32_t *word);

/* own_open(), with a thread that sleeps after @usec; own_close(), and none is allowed any more. */
bool poller_open(struct own *own, unsigned int usec);
void poller_close(struct own *own);

#endif /* XROCE_PROVIDER_POLLER_H */
