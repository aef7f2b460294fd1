/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A control group with little memory, and the kernel's log while memory is short.
 */
#ifndef XROCE_GROUP_H
#define XROCE_GROUP_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Make the group, with a controller of the kernel such as "memory". Return: whether there
 * is one; if not, the test is marked as skipped.
 */
bool group_open(const char *controller);

/* Remove the group. All processes in it must have ended. */
void group_close(void);

/*
 * Move this process into the group, and set its score for the OOM killer (-1000: never
 * kill it, 1000: kill it first). Return: whether that worked.
 */
bool group_join(int score);

/* Only set the score. */
bool group_score(int score);

/* Write or read a file of the group. Return: whether that worked. */
bool group_put(const char *file, const char *text);
bool group_get(const char *file, char *text, size_t size);

/* Bytes that are charged to the group. */
unsigned long long group_used(void);

/* Limit the group to @more bytes than it uses now. Return: whether that worked. */
bool group_limit(unsigned long long more);

/*
 * quiet() silences the console, as the kernel reports there that memory is short, which
 * these tests intend. quiet_end() restores it, and fails the test if the kernel has logged
 * a warning or a bug in between.
 */
void quiet(void);
void quiet_end(void);

#endif /* XROCE_GROUP_H */
