// SPDX-License-Identifier: GPL-2.0-only
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live_mr.h"
#include "mem.h"
#include "neighbour.h"

#define BYTES	(4 * MEM_PAGE)

static const unsigned char words[4] = { 0xd5, 0x3a, 0x91, 0x6c };

static pid_t pid;
static int ask[2], tell[2];

unsigned char secret(size_t i)
{
	return words[i % sizeof(words)];
}

void secret_fill(unsigned char *mem, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		mem[i] = secret(i);
}

/* Look for any two periods of the secret in sequence, at any phase. */
bool secret_in(const unsigned char *bytes, size_t len)
{
	unsigned char twice[3 * sizeof(words)];
	size_t i;

	secret_fill(twice, sizeof(twice));
	for (i = 0; i < sizeof(words); i++)
		if (memmem(bytes, len, twice + i, 2 * sizeof(words)))
			return true;
	return false;
}

static bool all_there(const unsigned char *mem)
{
	size_t i;

	for (i = 0; i < BYTES && mem[i] == secret(i); i++)
		;
	return i == BYTES;
}

/* The child process. Its first answer, before any question, means that it is ready. */
static void be_well(void)
{
	struct xroce *x = xroce_open(LIVE_DEV);
	unsigned char *mem = mem_map(BYTES / MEM_PAGE);
	struct xroce_mr_reg r;
	char ok;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!x || !mem)
		_exit(1);
	secret_fill(mem, BYTES);
	r = mr_region(live_pd(x), mem, BYTES);
	r.access |= XROCE_ACCESS_REMOTE_READ | XROCE_ACCESS_REMOTE_WRITE;
	ok = !xroce_mr_reg(x, &r);
	do {
		ok = ok && all_there(mem);
	} while (write(tell[1], &ok, 1) == 1 && read(ask[0], &ok, 1) == 1);
	_exit(0);
}

bool neighbour_begin(void)
{
	char ok = 0;

	if (!check(!pipe(ask) && !pipe(tell), "pipe"))
		return false;
	pid = fork();
	if (!pid)
		be_well();
	close(ask[0]);
	close(tell[1]);
	return check(read(tell[0], &ok, 1) == 1 && ok, "no neighbour");
}

bool neighbour_is_well(void)
{
	char ok = 1;

	return check(write(ask[1], &ok, 1) == 1 && read(tell[0], &ok, 1) == 1 &&
		     ok, "another process's memory has changed");
}

void neighbour_end(void)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(ask[1]);
	close(tell[0]);
}
