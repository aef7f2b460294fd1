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

/**
 * struct test - a row of the output
 * @name: unique in its program; without blanks
 * @ids: requirements proved, separated by blanks
 * @about: one line for the reader; printed when the test fails
 * @fn: the test; it fails when a check() in it fails
 */
struct test {
	const char *name;
	const char *ids;
	const char *about;
	void (*fn)(void);
};

/*
 * TEST(NAME, "IDS", "ABOUT") { ... } is a test. The tests of a program run in the order of its
 * file.
 */
#define TEST(_name, _ids, _about) \
	static void test_##_name(void); \
	static const struct test row_##_name = { #_name, _ids, _about, test_##_name }; \
	static const struct test *const at_##_name \
	__attribute__((section("test_rows"), used, no_reorder)) = &row_##_name; \
	static void test_##_name(void)

/*
 * A test whose block is a function in_NAME with these parameters, which @call calls between set-up
 * and clean-up: SCENE_TEST(), HANDLE_TEST(), WIRE_TEST() and others.
 */
#define TEST_CALLED(params, call, name, ids, about) \
	static void in_##name params; \
	TEST(name, ids, about) { call; } \
	static void in_##name params

/* The same with a fixture @var, a struct @type, which @open opens and @close closes. */
#define TEST_OPENED(type, var, open, close, name, ids, about) \
	static void in_##name(struct type *var __attribute__((unused))); \
	TEST(name, ids, about) \
	{ \
		struct type var; \
		if (!(open)) \
			return; \
		in_##name(&var); \
		close(&var); \
	} \
	static void in_##name(struct type *var __attribute__((unused)))

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

/* check() that @call, whose value may be an errno of either sign, returns @want. */
#define check_is(call, want, ...) \
	check_is_at(__FILE__, __LINE__, (call), (want), #call, " " __VA_ARGS__)

bool check_is_at(const char *file, int line, long got, long want, const char *text,
		 const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/* Run a command of the shell, which must succeed. Return: whether it has. */
bool check_sh(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Mark the running test as skipped, and say why it cannot be run here. */
void skip(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Print a line of diagnostics. */
void note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Whether a check() of the running test has failed. */
bool test_failed(void);

#endif /* XROCE_HARNESS_H */
