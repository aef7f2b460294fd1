/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tests that report in TAP: a table of functions, each with an "ok" or "not ok" line. The
 * line has the name of the test and the ids of the requirements that it proves.
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
 * @fn: the test; it fails when a check() in it fails
 * @on_scene: a test that takes a scene, see ON_SCENE() in scene.h
 * @on_handle: a test that takes a handle, see ON_HANDLE() in live.h
 * @on_wire: a test that takes a wire, see ON_WIRE() in wire.h
 * @around: sets up the argument of the test, calls the test and cleans up; does not call
 *          the test if a check() has failed before. NULL: call @fn
 * @arg: argument for @around
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
 * @argv: of main(): names of tests or parts of names; none: all tests. "-l" lists them
 * @tests: the table
 * @n: its length
 *
 * Return: the program's exit status: 0; 1 if a test failed; 2 if no test has such a name;
 * HARNESS_SKIPPED if all tests were skipped.
 */
int harness_main(int argc, char **argv, const struct test *tests, size_t n);

/**
 * check() - check that a condition holds; otherwise the test fails
 * @cond: the condition
 * ...: printf arguments: what was seen
 *
 * Return: whether it holds, for "if (!check(...)) return;".
 */
#define check(cond, ...) check_at(__FILE__, __LINE__, (cond), #cond, __VA_ARGS__)

bool check_at(const char *file, int line, bool holds, const char *text,
	      const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* Mark the running test as skipped, and say why it cannot be run here. */
void skip(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Print a line of diagnostics. */
void note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Whether a check() of the running test has failed. */
bool test_failed(void);

#endif /* XROCE_HARNESS_H */
