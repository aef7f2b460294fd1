/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* What "xroce feature probe" looks for. */
#ifndef _XROCE_FEATURE_H
#define _XROCE_FEATURE_H

#include <stdbool.h>

enum feature_state {
	FEATURE_NO,
	FEATURE_YES,
	FEATURE_UNKNOWN,	/* it cannot be told, and the text says why */
};

/**
 * feature_add() - note what has been found
 * @name: of the feature
 * @state: whether it is there
 * @needed: nothing works without it
 * @fmt: what it is, or why it is missing and what makes it work
 */
void feature_add(const char *name, enum feature_state state, bool needed,
		 const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Those of the kernel and of the process, feature_kernel.c. */
void feature_probe_kernel(void);
void feature_probe_bpf(void);

/* Those of memory and of the CPU, feature_memory.c. */
void feature_probe_memory(void);
void feature_probe_cpu(void);

/* Of the module and what it works with, feature_module.c. */
void feature_probe_module(void);

/* Of a network device, feature_dev.c. */
void feature_probe_dev(const char *netdev);

/* Read a small file, without the newline at its end. Return: whether it could be. */
bool feature_read(const char *path, char *text, int size);

/* Whether the process has a capability, by its number. */
bool feature_capable(int capability);

/* Whether the kernel has a symbol; of a module with "[module]" behind it. */
bool feature_symbol(const char *name);

#endif /* _XROCE_FEATURE_H */
