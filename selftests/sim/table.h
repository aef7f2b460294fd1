/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of networks and algorithms. */
#ifndef XROCE_SIM_TABLE_H
#define XROCE_SIM_TABLE_H

struct spec;

void table_head(void);

/* Run, and print its figures. */
void table_row(const char *name, const struct spec *s);

/* All rows, or those whose names contain one of the words. Return: exit status. */
int table(int words, char **word);

#endif /* XROCE_SIM_TABLE_H */
