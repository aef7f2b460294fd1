// SPDX-License-Identifier: GPL-2.0-only
/* Detection of CPU features for vector.h. */
#ifdef CONFIG_X86_64
#include <asm/cpufeature.h>

#include "vector.h"

DEFINE_STATIC_KEY_FALSE(xr_vector_key);
DEFINE_STATIC_KEY_FALSE(xr_vcopy_key);

void xr_vector_init(void)
{
	if (!boot_cpu_has(X86_FEATURE_AVX) ||
	    !boot_cpu_has(X86_FEATURE_PCLMULQDQ))
		return;
	static_branch_enable(&xr_vector_key);
	/* With fast short REP MOVSB, memcpy() is a single instruction. */
	if (!boot_cpu_has(X86_FEATURE_FSRM))
		static_branch_enable(&xr_vcopy_key);
}
#endif
