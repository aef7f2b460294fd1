/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* A file of commands, one per line. */
#ifndef _XROCE_BATCH_H
#define _XROCE_BATCH_H

/**
 * batch_run() - run the commands of a file
 * @word: what the file is, "batch" or "conf", for messages
 * @path: the file; "-": standard input
 * @run: runs one command; gets its words, the first of which is the program's name, and
 *	returns an exit status
 *
 * A line consists of words separated by blanks. Quotes of either kind keep blanks in a
 * word. A word that begins with # begins a comment. A backslash makes the next character
 * literal; at the end of a line it continues the line with the next one. The function
 * returns after the first command that fails, unless options.force is set.
 *
 * Return: the exit status of the first command that failed, or EXIT_OK.
 */
int batch_run(const char *word, const char *path, int (*run)(int argc, char **argv));

/* Run a line as a command with its own options, for batch_run(). In main.c. */
int batch_line(int argc, char **argv);

#endif /* _XROCE_BATCH_H */
