/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* A change of a queue pair, by the words of "qp modify", and what is wrong with it. */
#ifndef _XROCE_QP_CHANGE_H
#define _XROCE_QP_CHANGE_H

#include <stdbool.h>
#include <stddef.h>

#include "libxroce.h"

/* The words, but for the state. */
enum qp_word {
	QP_SGID, QP_DGID, QP_MTU, QP_DEST, QP_PSN, QP_ACCESS, QP_PKEY,
	QP_RNR, QP_RD, QP_SPORT, QP_TOS, QP_TTL, QP_QKEY, QP_WORDS
};

/* As it is typed. */
const char *qp_word(enum qp_word word);

/**
 * struct qp_change - a change
 * @m: values; a mask of XROCE_QP_STATE at most, before qp_change_check()
 * @given: 1 << enum qp_word: those that @m has
 */
struct qp_change {
	struct xroce_qp_modify m;
	__u32 given;
};

#define QP_ERROR_MAX	512

/**
 * qp_change_check() - complete a change, and check it as the module would
 * @c: in: the words; out: with @m.mask, and values where a word may be left out
 * @type: enum xroce_qp_type
 * @from: enum xroce_qp_state that the queue pair is in
 * @error: out: QP_ERROR_MAX bytes: all that is wrong
 *
 * Return: whether nothing is.
 */
bool qp_change_check(struct qp_change *c, __u32 type, __u32 from, char *error);

/**
 * qp_change_row() - a line of the manual's table
 * @type: enum xroce_qp_type
 * @i: number of the line, from 0
 * @row: out: QP_ERROR_MAX bytes
 *
 * Return: false: there are no more.
 */
bool qp_change_row(__u32 type, unsigned int i, char *row);

#endif /* _XROCE_QP_CHANGE_H */
