/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tests that report in TAP: TEST() defines one, with an "ok" or "not ok" line. The line has the
 * name of the test and the ids of the requirements that it proves. TEST_MAIN() runs them.
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
 * struct test - a row of the output
 * @name: unique in its program; without blanks
 * @ids: requirements proved, separated by blanks
 * @about: one line for the reader; printed when the test fails
 * @fn: the test; it fails when a check() in it fails
 * @on_scene: a test that takes a scene, see SCENE_TEST() in scene.h
 * @on_handle: a test that takes a handle, see HANDLE_TEST() in live.h
 * @on_wire: a test that takes a wire, see WIRE_TEST() in wire.h
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

/*
 * TEST(NAME, "IDS", "ABOUT") { ... } is a test. The tests of a program run in the order of its
 * file.
 */
#define TEST(name, ids, about)	TEST_WITH(void, name, ids, about, .fn = test_##name)

/* The same with a parameter and the members of struct test that provide it. */
#define TEST_WITH(param, name, ids, about, ...) \
	static void test_##name(param); \
	TEST_ROW(#name, ids, about, __VA_ARGS__); \
	static void test_##name(param)

/* A row whose function has another name, or others, too: the members of a struct test. */
#define TEST_ROW(...)		TEST_ROW_AT(__COUNTER__, __VA_ARGS__)
#define TEST_ROW_AT(at, ...)	TEST_ROW_AS(at, __VA_ARGS__)
#define TEST_ROW_AS(at, ...) \
	static const struct test test_row_##at = { __VA_ARGS__ }; \
	static const struct test *const test_at_##at \
	__attribute__((section("test_rows"), used, no_reorder)) = &test_row_##at

/* What main() calls, unless it only lists the tests: harness_main() or a function that calls it. */
#define TEST_MAIN(function)	int (*const test_main)(int argc, char **argv) = (function)
extern int (*const test_main)(int argc, char **argv);

/**
 * harness_main() - run the tests of the program
 * @argc: of main()
 * @argv: of main(): names of tests or parts of names; none: all tests
 *
 * Return: the program's exit status: 0; 1 if a test failed; 2 if no test has such a name;
 * HARNESS_SKIPPED if all tests were skipped.
 */
int harness_main(int argc, char **argv);

/* Print name, ids and purpose of each test, a line each. */
void harness_list(void);

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
