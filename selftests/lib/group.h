/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A control group, one that is short of memory, and what the kernel says about it.
 */
#ifndef XROCE_GROUP_H
#define XROCE_GROUP_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Make the group, for a controller of the kernel's: "memory", say. Return: whether
 * there is one; if not, a skip has been noted.
 */
bool group_open(const char *controller);

/* Remove it; who was in it has ended. */
void group_close(void);

/*
 * This process into the group, with that score for who is killed when memory is
 * short, -1000: never, 1000: first. Return: whether that worked.
 */
bool group_join(int score);

/* The score alone. */
bool group_score(int score);

/* Write to a file of the group's, read it. Return: whether that worked. */
bool group_put(const char *file, const char *text);
bool group_get(const char *file, char *text, size_t size);

/* Bytes that are charged to it. */
unsigned long long group_used(void);

/* A limit of @more bytes than that. Return: whether it could be set. */
bool group_limit(unsigned long long more);

/*
 * The kernel reports on its console that memory is short. Here that is no fault of
 * its; what it says besides is looked for by quiet_end().
 */
void quiet(void);
void quiet_end(void);

#endif /* XROCE_GROUP_H */
