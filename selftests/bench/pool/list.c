// SPDX-License-Identifier: GPL-2.0-only
#include <linux/math.h>

#include "list.h"

u64 *list_alloc(struct piece **list, u32 count, bool best)
{
	struct piece **at, **found = NULL, *piece, *rest;

	count = round_up(count, PIECE_MIN);
	for (at = list; *at; at = &(*at)->next) {
		if ((*at)->length < count ||
		    (found && (*at)->length >= (*found)->length))
			continue;
		found = at;
		if (!best || (*at)->length == count)
			break;
	}
	if (!found)
		return NULL;
	piece = *found;
	if (piece->length == count) {
		*found = piece->next;
	} else {
		rest = (void *)((u64 *)piece + count);
		rest->length = piece->length - count;
		rest->next = piece->next;
		*found = rest;
	}
	return (u64 *)piece;
}

static bool joins(const struct piece *piece, const struct piece *next)
{
	return (u64 *)piece + piece->length == (u64 *)next;
}

void list_free(struct piece **list, u64 *entry, u32 count)
{
	struct piece **at, *before = NULL, *piece = (void *)entry;

	for (at = list; *at && *at < piece; at = &(*at)->next)
		before = *at;
	piece->length = round_up(count, PIECE_MIN);
	piece->next = *at;
	*at = piece;
	if (piece->next && joins(piece, piece->next)) {
		piece->length += piece->next->length;
		piece->next = piece->next->next;
	}
	if (before && joins(before, piece)) {
		before->length += piece->length;
		before->next = piece->next;
	}
}
