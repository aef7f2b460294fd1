/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Checks of a change of a queue pair, as given by the words of "qp modify". */
#ifndef _XROCE_QP_CHANGE_H
#define _XROCE_QP_CHANGE_H

#include <stdbool.h>
#include <stddef.h>

#include "libxroce.h"

/* The words of "qp modify", except state. */
enum qp_word {
	QP_SGID, QP_DGID, QP_MTU, QP_DEST, QP_PSN, QP_ACCESS, QP_PKEY,
	QP_RNR, QP_RD, QP_SPORT, QP_TOS, QP_TTL, QP_QKEY, QP_WORDS
};

/* Name of a word. */
const char *qp_word(enum qp_word word);

/**
 * struct qp_change - a change of a queue pair
 * @m: values; before qp_change_check(), the mask is XROCE_QP_STATE or 0
 * @given: the words whose values @m has, 1 << enum qp_word
 */
struct qp_change {
	struct xroce_qp_modify m;
	__u32 given;
};

#define QP_ERROR_MAX	512

/**
 * qp_change_check() - complete a change, and check it as the module would
 * @c: in: the given words; out: also @m.mask, and defaults of words that are not given
 * @type: enum xroce_qp_type
 * @from: present state of the queue pair, enum xroce_qp_state
 * @error: out: QP_ERROR_MAX bytes: all errors; empty: none
 *
 * Return: true if the change is valid.
 */
bool qp_change_check(struct qp_change *c, __u32 type, __u32 from, char *error);

/**
 * qp_change_row() - make a line of the manual's table of transitions
 * @type: enum xroce_qp_type
 * @i: number of the line, from 0
 * @row: out: QP_ERROR_MAX bytes
 *
 * Return: false if there is no such line.
 */
bool qp_change_row(__u32 type, unsigned int i, char *row);

#endif /* _XROCE_QP_CHANGE_H */
