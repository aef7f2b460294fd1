/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Words that several queue pairs change at once. Nobody knows in which order
 * they did, but there must have been one: what one left, the next one found.
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
 * @compare: CMP_SWAP: value hoped for
 * @operand: FETCH_ADD: what was added, CMP_SWAP: to be stored, unique
 */
struct shadow_step {
	uint64_t found;
	uint64_t compare;
	uint64_t operand;
};

/**
 * struct shadow_word - a word, under FETCH_ADD or CMP_SWAP alone
 * @first: value before all of them
 * @guess: found last
 * @last: found last by each queue pair
 * @step: operations
 * @n: how many
 * @room: for how many
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

/* Queue pair @qp's next operation. */
void shadow_found(struct shadow_word *word, uint32_t qp, uint64_t found,
		  uint64_t compare, uint64_t operand);

/* Check the chain. Return: the value in the end. */
uint64_t shadow_adds(struct shadow_word *word);
uint64_t shadow_swaps(struct shadow_word *word);

#endif /* XROCE_SHADOW_H */
