/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lines that clients of xroce serve may begin with, and what becomes of them: where
 * the fuzzer of that starts from. A line that once found a mistake belongs here.
 */
#ifndef XROCE_HANDSHAKE_LINES_H
#define XROCE_HANDSHAKE_LINES_H

#include <stddef.h>

/**
 * struct handshake_line - a line
 * @text: of it, without the newline
 * @error: what is wrong with it; NULL: nothing
 */
struct handshake_line {
	const char *text;
	const char *error;
};

extern const struct handshake_line handshake_lines[];
extern const size_t handshake_lines_count;

#endif /* XROCE_HANDSHAKE_LINES_H */
