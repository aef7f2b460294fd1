// SPDX-License-Identifier: GPL-2.0-only
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sibling_path.h"
#include "siblings.h"

struct checked sibling_changed, sibling_quiet;

bool siblings_says(const char *want, bool success, const char *format, ...)
{
	char xroce[PATH_MAX] = "", words[128], command[PATH_MAX + 160];
	char got[4096];
	va_list args;
	size_t n = 0;
	FILE *out;
	int status;

	va_start(args, format);
	vsnprintf(words, sizeof(words), format, args);
	va_end(args);
	check(sibling_path("../user/xroce", xroce), "the path of xroce");
	snprintf(command, sizeof(command), "%s %s 2>&1", xroce, words);
	out = popen(command, "r");
	if (out)
		n = fread(got, 1, sizeof(got) - 1, out);
	got[n] = 0;
	status = out ? pclose(out) : -1;
	return check(!status == success && strstr(got, want),
		     "xroce %s: status %#x, and no '%s' in: %s", words, status, want, got);
}

/* Lower the priority of traffic that uses all CPU time, so that commands can run. */
static bool yields(const struct checked *c)
{
	return check(!setpriority(PRIO_PROCESS, c->pid, 19), "setpriority");
}

bool siblings_start(void)
{
	return check(!live_attach(LIVE_SPARE, LIVE_SPARE_ENTRIES,
				  LIVE_SPARE_ENTRIES), "attach") &&
	       checked_start(&sibling_quiet, LIVE_SPARE, "c1") &&
	       checked_start(&sibling_changed, NULL, NULL) &&
	       yields(&sibling_quiet) && yields(&sibling_changed);
}

void siblings_stop(void)
{
	checked_goes_on(&sibling_changed, 10);
	checked_goes_on(&sibling_quiet, 10);
	checked_stop(&sibling_changed);
	checked_stop(&sibling_quiet);
	check(!live_detach(LIVE_SPARE, 0), "detach");
	live_check_idle(LIVE_DEV);
}

void siblings_silence(void)
{
	__u64 done;

	/* Requests under way may still be answered. */
	usleep(100000);
	done = sibling_changed.seen->done;
	checked_goes_on(&sibling_quiet, 3);
	check(sibling_changed.seen->done == done, "%llu answers",
	      (unsigned long long)(sibling_changed.seen->done - done));
}
