// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live.h"
#include "provider_poller.h"

bool poller_exists(void)
{
	if (!access("/sys/module/xroce_ib/parameters/poll_threads", F_OK))
		return true;
	skip("a kernel without CONFIG_VHOST_TASK");
	return false;
}

static void set(const char *name, unsigned int value)
{
	char path[96];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/module/xroce_ib/parameters/%s", name);
	f = fopen(path, "w");
	check(f && fprintf(f, "%u\n", value) > 0, "%s: %s", path, strerror(errno));
	check(!f || !fclose(f), "%s: %s", path, strerror(errno));
}

void poller_allow(unsigned int all, unsigned int user)
{
	set("poll_threads", all);
	set("poll_threads_user", user);
}

void poller_ask(unsigned int usec)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", usec);
	setenv("XROCE_POLL", usec ? "1" : "0", 1);
	setenv("XROCE_POLL_USEC", text, 1);
}

uint32_t *poller_word(const struct ibv_context *ctx)
{
	uint32_t *word = poller_mapped(ctx, POLLER_WORD);

	check(word, "no mapped memory");
	return word;
}

bool poller_is_set(void *word)
{
	return __atomic_load_n((uint32_t *)word, __ATOMIC_RELAXED);
}

bool poller_sleeps(uint32_t *word)
{
	return check(live_wait(poller_is_set, word), "it does not sleep");
}

bool poller_open(struct own *own, unsigned int usec)
{
	if (!poller_exists())
		return false;
	poller_allow(4, 4);
	poller_ask(usec);
	return own_open(own, NULL, 0) && check(poller_of(getpid()), "no thread");
}

static bool is_gone(void *unused __attribute__((unused)))
{
	return !poller_of(getpid());
}

void poller_close(struct own *own)
{
	own_close(own);
	poller_ask(0);
	poller_allow(0, 1);
	check(live_wait(is_gone, NULL), "the thread is left");
}
