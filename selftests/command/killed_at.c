// SPDX-License-Identifier: GPL-2.0-only
/*
 * Run a command and kill it before one of its steps.
 *
 *   killed_at N COMMAND [WORD...]
 *
 * A step is a system call whose effect may outlive the command: an ioctl; making, renaming
 * or removing a directory or a file; a bpf(2) command that pins, attaches, replaces or
 * detaches. Exit status: 0: killed before step N; 3: it succeeded in fewer steps; 1:
 * anything else.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/bpf.h>
#include <linux/ptrace.h>

#define DONE	3

static bool is_step(const struct ptrace_syscall_info *info)
{
	switch (info->entry.nr) {
	case SYS_bpf:
		return info->entry.args[0] == BPF_OBJ_PIN ||
		       info->entry.args[0] == BPF_LINK_CREATE ||
		       info->entry.args[0] == BPF_LINK_UPDATE ||
		       info->entry.args[0] == BPF_LINK_DETACH;
	case SYS_ioctl:
	case SYS_mkdirat:
	case SYS_unlinkat:
	case SYS_renameat2:
#ifdef SYS_mkdir
	case SYS_mkdir:
	case SYS_unlink:
	case SYS_rmdir:
	case SYS_rename:
	case SYS_renameat:
#endif
		return true;
	}
	return false;
}

/* Continue to the next stop. Return: whether the command still runs. */
static bool next_stop(pid_t pid, int signal, int *status)
{
	if (ptrace(PTRACE_SYSCALL, pid, NULL, (long)signal) ||
	    waitpid(pid, status, 0) != pid) {
		perror("killed_at");
		exit(1);
	}
	return WIFSTOPPED(*status);
}

/* Return: exit status. */
static int kill_at(pid_t pid, long n)
{
	struct ptrace_syscall_info info;
	int status, signal = 0;

	while (next_stop(pid, signal, &status)) {
		signal = 0;
		if (WSTOPSIG(status) != (SIGTRAP | 0x80)) {
			if (WSTOPSIG(status) != SIGTRAP)
				signal = WSTOPSIG(status);
			continue;
		}
		if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info) < 0) {
			perror("killed_at: system call");
			exit(1);
		}
		if (info.op != PTRACE_SYSCALL_INFO_ENTRY || !is_step(&info) ||
		    --n)
			continue;
		kill(pid, SIGKILL);
		while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status))
			;
		return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? 0 : 1;
	}
	return WIFEXITED(status) && !WEXITSTATUS(status) ? DONE : 1;
}

int main(int argc, char **argv)
{
	int status;
	pid_t pid;

	if (argc < 3 || atol(argv[1]) < 1) {
		fprintf(stderr, "usage: killed_at N COMMAND [WORD...]\n");
		return 1;
	}
	pid = fork();
	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(1);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status) ||
	    ptrace(PTRACE_SETOPTIONS, pid, NULL,
		   (long)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL))) {
		perror("killed_at");
		return 1;
	}
	return kill_at(pid, atol(argv[1]));
}
