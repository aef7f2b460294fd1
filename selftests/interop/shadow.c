// SPDX-License-Identifier: GPL-2.0-only
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "shadow.h"

void shadow_start(struct shadow_word *word, uint64_t first)
{
	word->first = first;
	word->guess = first;
	memset(word->last, 0, sizeof(word->last));
	word->n = 0;
}

void shadow_found(struct shadow_word *word, uint32_t qp, uint64_t found,
		  uint64_t compare, uint64_t operand)
{
	struct shadow_step *step;

	if (word->n == word->room) {
		word->room = 2 * word->room + 64;
		step = realloc(word->step, word->room * sizeof(*step));
		if (!check(step, "no memory"))
			return;
		word->step = step;
	}
	word->step[word->n++] = (struct shadow_step){
		.found = found,
		.compare = compare,
		.operand = operand,
	};
	word->guess = found == compare ? operand : found;
	/* FETCH_ADD adds positive numbers only, so each queue pair sees the word grow. */
	if (!compare) {
		check(found - word->first >= word->last[qp],
		      "QP %u found %llu after more", qp, (long long)found);
		word->last[qp] = found - word->first + operand;
	}
}

static uint64_t chain_base;

static int by_growth(const void *a, const void *b)
{
	uint64_t x = ((const struct shadow_step *)a)->found - chain_base;
	uint64_t y = ((const struct shadow_step *)b)->found - chain_base;

	return x < y ? -1 : x > y;
}

uint64_t shadow_adds(struct shadow_word *word)
{
	uint64_t value = word->first;
	size_t i;

	chain_base = word->first;
	if (word->n)
		qsort(word->step, word->n, sizeof(*word->step), by_growth);
	for (i = 0; i < word->n; i++) {
		if (!check(word->step[i].found == value,
			   "addition %zu found %#llx, but %#llx was left",
			   i, (long long)word->step[i].found, (long long)value))
			break;
		value += word->step[i].operand;
	}
	return value;
}

/* Successful swaps first, ordered by the value found; then failed ones. */
static int by_found(const void *a, const void *b)
{
	const struct shadow_step *x = a, *y = b;
	bool failed = x->found != x->compare;

	if (failed != (y->found != y->compare))
		return failed ? 1 : -1;
	return x->found < y->found ? -1 : x->found > y->found;
}

static const struct shadow_step *next(const struct shadow_step *step, size_t n,
				      uint64_t value)
{
	const struct shadow_step key = { .found = value, .compare = value };

	return n ? bsearch(&key, step, n, sizeof(*step), by_found) : NULL;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

uint64_t shadow_swaps(struct shadow_word *word)
{
	const struct shadow_step *step;
	uint64_t value = word->first;
	size_t i, stored = 0, seen = 0;
	uint64_t *values;

	if (!word->n)
		return value;
	qsort(word->step, word->n, sizeof(*word->step), by_found);
	while (stored < word->n &&
	       word->step[stored].found == word->step[stored].compare)
		stored++;
	values = malloc((stored + 1) * sizeof(*values));
	if (!check(values, "no memory"))
		return value;
	values[seen++] = value;
	while (seen <= stored && (step = next(word->step, stored, value))) {
		value = step->operand;
		values[seen++] = value;
	}
	check(seen == stored + 1, "%zu swaps, a chain of %zu", stored, seen - 1);
	/* Each failed swap must have found a value of the chain. */
	qsort(values, seen, sizeof(*values), by_value);
	for (i = stored; i < word->n; i++)
		check(bsearch(&word->step[i].found, values, seen, sizeof(*values),
			      by_value), "a swap found %#llx, never stored",
		      (long long)word->step[i].found);
	free(values);
	return value;
}
