/* SPDX-License-Identifier: GPL-2.0-only */
/* What module.c and program.c share; they may have different headers of the library. */
#ifndef SIZED_H
#define SIZED_H

#define SIZED_ID	7	/* of the events */

extern __u32 module_size;	/* of the structure of the last command */
extern size_t sized_map_value;	/* bytes of a map's value */

#endif
