/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Arrays that grow. */
#ifndef _XROCE_ARRAY_H
#define _XROCE_ARRAY_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Put a copy of @one behind the others. Return: whether there was memory. */
static inline bool array_add(void **array, size_t *count, const void *one,
			     size_t size)
{
	void *bigger;

	/* Room is made at powers of two. */
	if (!(*count & (*count - 1))) {
		bigger = reallocarray(*array, *count ? 2 * *count : 1, size);
		if (!bigger)
			return false;
		*array = bigger;
	}
	memcpy((char *)*array + *count * size, one, size);
	++*count;
	return true;
}

#define ARRAY_ADD(array, count, one) \
	array_add((void **)&(array), &(count), &(one), sizeof(one))

#endif /* _XROCE_ARRAY_H */
