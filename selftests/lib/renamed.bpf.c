// SPDX-License-Identifier: GPL-2.0-only
/* Like another version: a member of a map value has another name at the same offset. */
#define misses missed
#include "small.bpf.c"
