/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef XROCE_MEDIAN_H
#define XROCE_MEDIAN_H

#include <stddef.h>

/* Sort @n figures. Return: the one in the middle. */
double median(double *v, size_t n);

#endif /* XROCE_MEDIAN_H */
