// SPDX-License-Identifier: GPL-2.0-only
/* Of another version: a member of a map's values has another name, at the same place. */
#define misses missed
#include "small.bpf.c"
