/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Words that several queue pairs change at the same time. The order of the operations is
 * unknown, but one must exist: each operation found the value that another one left.
 */
#ifndef XROCE_SHADOW_H
#define XROCE_SHADOW_H

#include <stddef.h>
#include <stdint.h>

#define SHADOW_WORDS	8
#define SHADOW_CHAINS	16		/* queue pairs, at most */

/**
 * struct shadow_step - an operation
 * @found: value found
 * @compare: CMP_SWAP: value compared with
 * @operand: FETCH_ADD: addend; CMP_SWAP: value to store, unique
 */
struct shadow_step {
	uint64_t found;
	uint64_t compare;
	uint64_t operand;
};

/**
 * struct shadow_word - a word changed by FETCH_ADD only or by CMP_SWAP only
 * @first: value before all operations
 * @guess: value after the last operation that has completed
 * @last: each queue pair's last result: growth of the word since @first
 * @step: operations
 * @n: number of operations
 * @room: operations that fit into @step
 */
struct shadow_word {
	uint64_t first;
	uint64_t guess;
	uint64_t last[SHADOW_CHAINS];
	struct shadow_step *step;
	size_t n;
	size_t room;
};

void shadow_start(struct shadow_word *word, uint64_t first);

/* Record the next operation of queue pair @qp. */
void shadow_found(struct shadow_word *word, uint32_t qp, uint64_t found,
		  uint64_t compare, uint64_t operand);

/* Check that the operations form a chain. Return: the final value. */
uint64_t shadow_adds(struct shadow_word *word);
uint64_t shadow_swaps(struct shadow_word *word);

#endif /* XROCE_SHADOW_H */
