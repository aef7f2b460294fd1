// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Structures of a caller that was compiled with another version of the header. */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "priv.h"

static bool all_zero(const void *from, size_t bytes)
{
	const char *c = from;

	while (bytes--)
		if (*c++)
			return false;
	return true;
}

/* xroce_take() of a structure of another size. */
int xroce_take_other(void *to, size_t known, const void *from, size_t size)
{
	size_t both = size < known ? size : known;

	if (!all_zero((const char *)from + both, size - both))
		return -E2BIG;
	memcpy(to, from, both);
	memset((char *)to + both, 0, known - both);
	return 0;
}

int xroce_command_sized(int fd, unsigned long command, void *arg, size_t size)
{
	__u32 *head = arg;

	if (size < sizeof(*head))
		return -EINVAL;
	if (size > UINT32_MAX)
		return -E2BIG;
	*head = size;
	return xroce_command(fd, command, arg);
}

int xroce_command_once(unsigned long command, void *arg, size_t size)
{
	int fd = xroce_dev_open();
	int err;

	if (fd < 0)
		return fd;
	err = xroce_command_sized(fd, command, arg, size);
	close(fd);
	return err;
}
