// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who registers memory of another process must be one who may attach to it with
 * ptrace(2). The function which decides that, and which asks the security modules, is
 * not for modules to call. open(2) of /proc/PID/mem calls it, for the caller's own
 * credentials; so that file is opened here.
 *
 * What is at that path is up to whoever mounts file systems in the caller's namespace:
 * it must turn out to be that file, of the caller's pid namespace. The number in the
 * path is that of @pid's process for as long as the process has not been reaped, and the
 * memory that was asked about is what the process has before and after.
 */
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/proc_fs.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>

#include "process.h"

/*
 * Whether the caller has @cap over @mm, the memory of @task, in the user
 * namespace that memory was made in. Under the task's exec_update_lock, so that
 * the two belong together. Newer kernels than 6.12 say that elsewhere.
 */
#ifdef __has_include		/* sparse has not */
#if __has_include("linux/sched/exec_state.h")
#define XR_EXEC_STATE
#endif
#endif

#ifdef XR_EXEC_STATE
#include <linux/sched/exec_state.h>

static bool xr_mm_capable(struct task_struct *task, struct mm_struct *mm, int cap)
{
	bool ret;

	rcu_read_lock();
	ret = ns_capable(rcu_dereference(task->exec_state)->user_ns, cap);
	rcu_read_unlock();
	return ret;
}
#else
static bool xr_mm_capable(struct task_struct *task, struct mm_struct *mm, int cap)
{
	return ns_capable(mm->user_ns, cap);
}
#endif

/* Is that /PID/mem of a procfs in which the caller's process numbers hold? */
static bool xr_is_proc_mem(const struct file *file, const char *nr)
{
	const struct super_block *sb = file_inode(file)->i_sb;
	const struct dentry *mem = file->f_path.dentry;

	/* Nothing is renamed or moved there. */
	return sb->s_magic == PROC_SUPER_MAGIC &&
	       proc_pid_ns(file_inode(file)->i_sb) == task_active_pid_ns(current) &&
	       !strcmp(mem->d_name.name, "mem") &&
	       !strcmp(mem->d_parent->d_name.name, nr) &&
	       mem->d_parent->d_parent == sb->s_root;
}

/* May the caller attach to the process? Return: 0, -EPERM, -EINTR or -ENOMEM. */
static int xr_process_attach(struct pid *pid)
{
	struct file *file;
	char path[32], nr[12];
	int ret = -EPERM;

	snprintf(nr, sizeof(nr), "%d", pid_vnr(pid));
	snprintf(path, sizeof(path), "/proc/%s/mem", nr);
	file = filp_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
	if (IS_ERR(file))
		return file == ERR_PTR(-EINTR) || file == ERR_PTR(-ENOMEM) ?
		       PTR_ERR(file) : -EPERM;
	if (xr_is_proc_mem(file, nr))
		ret = 0;
	fput(file);
	return ret;
}

/* What memory the task has, if the caller has the capability for it. */
static struct mm_struct *xr_process_capable(struct task_struct *task)
{
	struct mm_struct *mm;

	/* As ptrace(2) does: memory and its owner are of the same execve(2). */
	if (down_read_killable(&task->signal->exec_update_lock))
		return ERR_PTR(-EINTR);
	mm = get_task_mm(task);
	if (mm && mm != current->mm &&
	    !xr_mm_capable(task, mm, CAP_SYS_PTRACE)) {
		mmput(mm);
		mm = ERR_PTR(-EPERM);
	}
	up_read(&task->signal->exec_update_lock);
	return mm ?: ERR_PTR(-ESRCH);
}

/**
 * xr_process_mm() - the memory of a process, if the caller may reach into it
 * @pid: process
 *
 * Of another process: with CAP_SYS_PTRACE in the user namespace of its memory, and if
 * the caller can open /proc/PID/mem now. Sleeps.
 *
 * Return: the memory, with a reference for mmput(), or -ESRCH, -EPERM, -EINTR, -ENOMEM.
 */
struct mm_struct *xr_process_mm(struct pid *pid)
{
	struct mm_struct *mm, *now;
	struct task_struct *task;
	int ret;

	/* Ours, even when the thread of that number has ended. */
	if (pid == task_tgid(current)) {
		mmget(current->mm);
		return current->mm;
	}
	task = get_pid_task(pid, PIDTYPE_PID);
	if (!task)
		return ERR_PTR(-ESRCH);
	mm = xr_process_capable(task);
	if (IS_ERR(mm) || mm == current->mm)
		goto out;
	ret = xr_process_attach(pid);
	now = get_task_mm(task);
	/* It has ended, or executes another program. */
	if (now != mm)
		ret = -ESRCH;
	if (now)
		mmput(now);
	if (ret) {
		mmput(mm);
		mm = ERR_PTR(ret);
	}
out:
	put_task_struct(task);
	return mm;
}
