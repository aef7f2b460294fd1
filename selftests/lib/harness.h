/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tests that report in TAP: a table of functions, one "ok" or "not ok" line
 * each. A line names the test and the ids of the requirements it proves.
 */
#ifndef XROCE_HARNESS_H
#define XROCE_HARNESS_H

#include <stdbool.h>
#include <stddef.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define HARNESS_SKIPPED	4	/* exit status: every test was skipped */

struct scene;
struct wire;
struct xroce;

/**
 * struct test - a row of a program's table
 * @name: unique in its program; without blanks
 * @ids: requirements proved, separated by blanks
 * @about: one line for the reader; printed when the test fails
 * @fn: the test; it fails when a check() in it did not hold
 * @on_scene: one that is given a scene, by ON_SCENE() of scene.h
 * @on_handle: one that is given a handle, by ON_HANDLE() of live.h
 * @on_wire: one that is given a wire, by ON_WIRE() of wire.h
 * @around: sets up what the test is given, calls it, and takes that down; does not
 *          call it if a check() has failed before. NULL: calls for @fn alone
 * @arg: for @around
 */
struct test {
	const char *name;
	const char *ids;
	const char *about;
	void (*fn)(void);
	void (*on_scene)(struct scene *s);
	void (*on_handle)(struct xroce *x);
	void (*on_wire)(struct wire *w);
	void (*around)(const struct test *test);
	const void *arg;
};

/**
 * harness_main() - run a table of tests
 * @argc: of main()
 * @argv: of main(): names of tests, or parts of names; none: all. "-l" lists
 * @tests: the table
 * @n: its length
 *
 * Return: the program's exit status: 0, 1 when a test failed, 2 when no test
 * has such a name, HARNESS_SKIPPED when none was run.
 */
int harness_main(int argc, char **argv, const struct test *tests, size_t n);

/**
 * check() - note whether a condition holds; the test fails unless it does
 * @cond: the condition
 * ...: printf arguments: what was seen
 *
 * Return: whether it holds, for "if (!check(...)) return;".
 */
#define check(cond, ...) check_at(__FILE__, __LINE__, (cond), #cond, __VA_ARGS__)

bool check_at(const char *file, int line, bool holds, const char *text,
	      const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* Say that the running test cannot be run here, and why. */
void skip(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* A line of diagnostics. */
void note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Whether the running test has failed. */
bool test_failed(void);

#endif /* XROCE_HARNESS_H */
