/* SPDX-License-Identifier: GPL-2.0-only */
/* The bytes of messages, which differ from message to message. */
#ifndef XROCE_BENCH_MESSAGE_H
#define XROCE_BENCH_MESSAGE_H

#include <stddef.h>

/* Write the bytes of message @number. @size: a multiple of four. */
void message_fill(char *at, size_t size, unsigned int number);

/* If other bytes are there, print which, and exit. */
void message_compare(const char *at, size_t size, unsigned int number);

#endif /* XROCE_BENCH_MESSAGE_H */
