/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* A file of commands, one a line. */
#ifndef _XROCE_BATCH_H
#define _XROCE_BATCH_H

/**
 * batch_run() - run the commands of a file
 * @path: the file; "-": standard input
 * @run: runs one; gets its words, the first of which is the program's name, and
 *	returns an exit status
 *
 * A line is words separated by blanks. Quotes, of either kind, keep blanks in a
 * word; behind # is a comment; \ takes the next character as it is, and at the
 * end of a line goes on with the next one. It ends with the first command that
 * fails, unless options.force says otherwise.
 *
 * Return: the exit status of the first command that failed, or EXIT_OK.
 */
int batch_run(const char *path, int (*run)(int argc, char **argv));

/* Run a line as a command, with options of its own; main.c. For batch_run(). */
int batch_line(int argc, char **argv);

#endif /* _XROCE_BATCH_H */
