// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Progress of long operations, on a line of stderr that is erased at the end. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include <sys/ioctl.h>

#include "message.h"
#include "progress.h"
#include "text.h"
#include "units.h"

#define FIRST_MS	500	/* time until the first line */
#define EACH_MS		200	/* time between lines */

/**
 * struct progress - the operation in progress
 * @thread: prints the progress, while @running
 * @running: @thread exists
 * @lock: protects @done
 * @wake: signalled when @done changes
 * @done: the thread must end
 * @what: description of the operation
 * @bytes: size of the operation; 0: unknown
 * @pinned: value of pages_pinned() at the beginning
 */
static struct progress {
	pthread_t thread;
	bool running;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool done;
	const char *what;
	__u64 bytes;
	__u64 pinned;
} progress = { .lock = PTHREAD_MUTEX_INITIALIZER };

static bool shown;

/* Pages pinned since boot, by all processes; 0: the kernel does not tell. */
static __u64 pages_pinned(void)
{
	unsigned long long pages = 0;
	char line[128];
	FILE *f = fopen("/proc/vmstat", "re");

	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "nr_foll_pin_acquired %llu", &pages) == 1)
			break;
	fclose(f);
	return pages;
}

static void tell(double elapsed)
{
	__u64 bytes = (pages_pinned() - progress.pinned) *
		      sysconf(_SC_PAGESIZE);
	char text[UNITS_MAX];

	if (!progress.bytes) {
		progress_show("%s %.0f s", progress.what, elapsed);
		return;
	}
	/* Other processes may also have pinned pages. */
	if (bytes > progress.bytes)
		bytes = progress.bytes;
	progress_show("%s %s %3.0f%% %.0f s", progress.what,
		      units_exact(progress.bytes, text),
		      100.0 * bytes / progress.bytes, elapsed);
}

static void *run(void *arg)
{
	struct timespec until;
	int ms = FIRST_MS, elapsed = 0;

	(void)arg;
	pthread_mutex_lock(&progress.lock);
	clock_gettime(CLOCK_MONOTONIC, &until);
	while (!progress.done) {
		until.tv_nsec += ms * 1000000l;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		if (pthread_cond_timedwait(&progress.wake, &progress.lock,
					   &until) != ETIMEDOUT)
			continue;
		elapsed += ms;
		ms = EACH_MS;
		tell(elapsed / 1000.0);
	}
	pthread_mutex_unlock(&progress.lock);
	return NULL;
}

void progress_begin(const char *what, __u64 bytes)
{
	pthread_condattr_t attr;
	sigset_t all, before;

	progress_end();
	if (!isatty(STDERR_FILENO))
		return;
	progress.what = what;
	progress.bytes = bytes;
	progress.pinned = pages_pinned();
	progress.done = false;
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&progress.wake, &attr);
	pthread_condattr_destroy(&attr);
	message_before(progress_end);
	/* Block all signals in the new thread, so that the calling thread gets them. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	progress.running = !pthread_create(&progress.thread, NULL, run, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void progress_end(void)
{
	if (progress.running) {
		pthread_mutex_lock(&progress.lock);
		progress.done = true;
		pthread_cond_signal(&progress.wake);
		pthread_mutex_unlock(&progress.lock);
		pthread_join(progress.thread, NULL);
		pthread_cond_destroy(&progress.wake);
		progress.running = false;
		message_before(NULL);
	}
	progress_clear();
}

/* Cut the line to the width of the terminal, because a wrapped line could not be erased. */
static void cut(char *line)
{
	struct winsize window;

	if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &window) && window.ws_col)
		text_cut(line, window.ws_col - 1);
}

void progress_show(const char *fmt, ...)
{
	char line[256], clean[TEXT_SIZE(sizeof(line))];
	va_list args;

	if (!isatty(STDERR_FILENO))
		return;
	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	cut(text_escape(line, clean));
	fprintf(stderr, "\r\033[K%s", clean);
	fflush(stderr);
	shown = true;
}

void progress_clear(void)
{
	if (!shown)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	shown = false;
}
