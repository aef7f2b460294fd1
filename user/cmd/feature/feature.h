/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* The probes of "xroce feature probe". */
#ifndef _XROCE_FEATURE_H
#define _XROCE_FEATURE_H

#include <stdbool.h>

enum feature_state {
	FEATURE_NO,
	FEATURE_YES,
	FEATURE_UNKNOWN,	/* it cannot be determined; the text tells why */
};

/**
 * feature_add() - add a feature to the list that is printed
 * @name: name of the feature
 * @state: its state
 * @needed: xroce cannot be used without it
 * @fmt: a detail, or the reason why it is missing and the cure
 */
void feature_add(const char *name, enum feature_state state, bool needed,
		 const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Features of the kernel and capabilities of the process, kernel.c. */
void feature_probe_kernel(void);
void feature_probe_bpf(void);

/* Features of memory and of the CPU, memory.c. */
void feature_probe_memory(void);
void feature_probe_cpu(void);

/* Features of the module and of the BPF object, module.c. */
void feature_probe_module(void);

/* Features of a network device, dev.c. */
void feature_probe_dev(const char *netdev);

/* What a verbs device needs, verbs.c. */
void feature_probe_verbs(void);

/* Read the first line of a small file, without the newline. Return: whether this succeeded. */
bool feature_read(const char *path, char *text, int size);

/* True if the process has this capability, CAP_*, effective. */
bool feature_capable(int capability);

/* True if the kernel has this symbol. A symbol of a module is given as "name\t[module]". */
bool feature_symbol(const char *name);

/*
 * True if @list, "modules.dep" or "modules.builtin" of this kernel, has the module. modprobe(8)
 * finds those of modules.dep.
 */
bool feature_module(const char *name, const char *list);

#endif /* _XROCE_FEATURE_H */
