// SPDX-License-Identifier: GPL-2.0-only
/* Detection of CPU features for vector.h and clmul.h. */
#ifdef CONFIG_X86_64
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/moduleparam.h>

#include <asm/cpufeature.h>
#include <asm/fpu/api.h>

#include "clmul.h"
#include "vector.h"

DEFINE_STATIC_KEY_FALSE(xr_vector_key);
DEFINE_STATIC_KEY_FALSE(xr_vcopy_key);
DEFINE_STATIC_KEY_FALSE(xr_clmul_wide_key);
DEFINE_STATIC_KEY_FALSE(xr_clmul_512_key);
DEFINE_PER_CPU(bool, xr_vector_held);

/* From xr_vector_init() on, what is in use. */
static unsigned int crc_bits = 512;
module_param(crc_bits, uint, 0444);
MODULE_PARM_DESC(crc_bits,
		 "maximum bits of registers for the CRC: 512, 256, 128; 0: no vector registers");

/* Return: bits of the widest registers that can multiply for the CRC; 0: none can. */
static unsigned int __init xr_vector_bits(void)
{
	if (!boot_cpu_has(X86_FEATURE_AVX) || !boot_cpu_has(X86_FEATURE_PCLMULQDQ) ||
	    !cpu_has_xfeatures(XFEATURE_MASK_SSE | XFEATURE_MASK_YMM, NULL))
		return 0;
	if (!boot_cpu_has(X86_FEATURE_AVX2) || !boot_cpu_has(X86_FEATURE_VPCLMULQDQ))
		return 128;
	if (!boot_cpu_has(X86_FEATURE_AVX512F) || !cpu_has_xfeatures(XFEATURE_MASK_AVX512, NULL))
		return 256;
#ifdef X86_FEATURE_PREFER_YMM
	/* The clock of this CPU becomes slower with registers of 512 bits. */
	if (boot_cpu_has(X86_FEATURE_PREFER_YMM))
		return 256;
#endif
	return 512;
}

void __init xr_vector_init(void)
{
	unsigned int bits = min(crc_bits, xr_vector_bits());

	crc_bits = bits < 128 ? 0 : rounddown_pow_of_two(bits);
	if (!crc_bits)
		return;
	static_branch_enable(&xr_vector_key);
	if (crc_bits > 128)
		static_branch_enable(&xr_clmul_wide_key);
	if (crc_bits == 512)
		static_branch_enable(&xr_clmul_512_key);
	/* With fast short REP MOVSB, memcpy() is a single instruction. */
	if (!boot_cpu_has(X86_FEATURE_FSRM))
		static_branch_enable(&xr_vcopy_key);
}
#endif
