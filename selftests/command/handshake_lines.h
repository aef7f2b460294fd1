/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * First lines that clients of xroce serve may send, with the expected result. The fuzzer
 * starts from them. Add each line that has found a bug.
 */
#ifndef XROCE_HANDSHAKE_LINES_H
#define XROCE_HANDSHAKE_LINES_H

#include <stddef.h>

/**
 * struct handshake_line - a line
 * @text: the line, without the newline
 * @error: expected error; NULL: the line is valid
 */
struct handshake_line {
	const char *text;
	const char *error;
};

extern const struct handshake_line handshake_lines[];
extern const size_t handshake_lines_count;

#endif /* XROCE_HANDSHAKE_LINES_H */
