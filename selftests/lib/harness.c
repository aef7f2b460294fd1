// SPDX-License-Identifier: GPL-2.0-only
/* TAP version 13, the part that kselftest reads. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

/* TEST() puts rows into this section, in the order of the file; not all programs have one. */
extern const struct test *const __start_test_rows[] __attribute__((weak));
extern const struct test *const __stop_test_rows[] __attribute__((weak));

#define for_each_row(row) \
	for (row = __start_test_rows; row != __stop_test_rows; row++)

static bool failed;
static bool skipped;
static char why[160];

static void diagnose(const char *fmt, va_list args)
{
	char text[512];
	char *line, *next;

	vsnprintf(text, sizeof(text), fmt, args);
	for (line = text; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		printf("# %s\n", line);
	}
}

void note(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	diagnose(fmt, args);
	va_end(args);
}

bool check_sh(const char *fmt, ...)
{
	char command[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(command, sizeof(command), fmt, args);
	va_end(args);
	return check(!system(command), "%s", command);
}

void skip(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	skipped = true;
}

bool check_at(const char *file, int line, bool holds, const char *text,
	      const char *fmt, ...)
{
	va_list args;

	if (holds)
		return true;

	failed = true;
	note("%s:%d: failed: %s", file, line, text);
	va_start(args, fmt);
	diagnose(fmt, args);
	va_end(args);
	return false;
}

bool check_is_at(const char *file, int line, long got, long want, const char *text,
		 const char *fmt, ...)
{
	va_list args;

	if (got == want)
		return true;

	failed = true;
	note("%s:%d: failed: %s is %ld (%s), not %ld", file, line, text, got,
	     strerror(labs(got)), want);
	va_start(args, fmt);
	diagnose(fmt, args);
	va_end(args);
	return false;
}

bool test_failed(void)
{
	return failed;
}

static bool wanted(const struct test *test, int argc, char **argv)
{
	int i;

	if (argc < 2)
		return true;
	for (i = 1; i < argc; i++) {
		if (strstr(test->name, argv[i]))
			return true;
	}
	return false;
}

static void run(const struct test *test, size_t number)
{
	failed = false;
	skipped = false;

	test->fn();

	if (failed)
		printf("# %s\nnot ok %zu %s %s\n", test->about, number,
		       test->name, test->ids);
	else if (skipped)
		printf("ok %zu %s %s # SKIP %s\n", number, test->name,
		       test->ids, why);
	else
		printf("ok %zu %s %s\n", number, test->name, test->ids);
	fflush(stdout);
}

void harness_list(void)
{
	const struct test *const *row;

	for_each_row(row)
		printf("%s %s: %s\n", (*row)->name, (*row)->ids, (*row)->about);
}

int harness_main(int argc, char **argv)
{
	size_t planned = 0, failures = 0, skips = 0, number = 0;
	const struct test *const *row;

	for_each_row(row)
		planned += wanted(*row, argc, argv);
	if (!planned) {
		fprintf(stderr, "%s: no such test\n", argv[0]);
		return 2;
	}

	printf("TAP version 13\n1..%zu\n", planned);
	for_each_row(row) {
		if (!wanted(*row, argc, argv))
			continue;
		run(*row, ++number);
		failures += failed;
		skips += skipped && !failed;
	}

	if (failures)
		return 1;
	return skips == planned ? HARNESS_SKIPPED : 0;
}
