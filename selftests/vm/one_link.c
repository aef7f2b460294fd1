// SPDX-License-Identifier: GPL-2.0-only
/*
 * Run a command with the module, the network and the link of live_main(), which its programs share:
 * verifying the link's program takes longer than most tests.
 *
 * usage: one_link COMMAND [ARG]...
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live.h"

int main(int argc, char **argv)
{
	int status = 0, down;
	pid_t pid;

	if (argc < 2)
		return 2;
	status = live_skip();
	if (!status)
		status = live_up();
	if (status)
		return status;
	pid = fork();
	if (!pid) {
		setenv(LIVE_ONE_LINK, "1", 1);
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		status = 1;
	down = live_down();
	return down || status ? 1 : 0;
}
