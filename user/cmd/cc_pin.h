/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Pins of BPF links of algorithms, which keep them when the command has ended. */
#ifndef _XROCE_CC_PIN_H
#define _XROCE_CC_PIN_H

/*
 * Pin the BPF link @fd of the algorithm @name. Return: an exit status; an error has been printed.
 */
int cc_pin(const char *name, int fd);

/* Remove the pin of an algorithm, if there is one. Return: 0 or -errno. */
int cc_unpin(const char *name);

#endif /* _XROCE_CC_PIN_H */
