/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A switch in a check of the module: see mutants.py, which puts MUTANT() around conditions, and
 * mutate.sh. The check whose number is the parameter "mutant" of xr_mutant.ko is left out: its
 * condition counts as false. Each condition that is true is noted in xr_mutant_hit.
 */
#ifndef XR_MUTANT_H
#define XR_MUTANT_H

#include <linux/compiler.h>
#include <linux/types.h>

#define XR_MUTANTS	4096

extern int xr_mutant;
extern u8 xr_mutant_hit[XR_MUTANTS];

#define MUTANT(number, condition) ({				\
	bool true_ = (condition);				\
								\
	if (true_)						\
		WRITE_ONCE(xr_mutant_hit[number], 1);		\
	true_ && READ_ONCE(xr_mutant) != (number);		\
})

#endif
