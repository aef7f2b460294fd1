/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Arrays that grow. */
#ifndef _XROCE_ARRAY_H
#define _XROCE_ARRAY_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Append a copy of @one. Return: false if there is no memory. */
static inline bool array_add(void **array, size_t *count, const void *one,
			     size_t size)
{
	void *bigger;

	/* The capacity doubles whenever the count reaches a power of two. */
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
