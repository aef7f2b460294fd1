/* SPDX-License-Identifier: GPL-2.0-only */
/* Files that are built together with the running program. */
#ifndef XROCE_SIBLING_PATH_H
#define XROCE_SIBLING_PATH_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/*
 * Store the path of a file, named relative to the program's directory, in @path, which has
 * PATH_MAX bytes. Return: whether it fits.
 */
static inline bool sibling_path(const char *name, char *path)
{
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
	size_t room;
	char *slash;

	if (n < 0)
		return false;
	path[n] = '\0';
	slash = strrchr(path, '/') + 1;
	room = PATH_MAX - (slash - path);
	return snprintf(slash, room, "%s", name) < (int)room;
}

#endif /* XROCE_SIBLING_PATH_H */
