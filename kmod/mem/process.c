// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory of a process, and who may register it.
 *
 * To register memory of another process the caller must be allowed to attach to it with
 * ptrace(2). The function that decides this and asks the security modules is not exported
 * to modules. open(2) of /proc/PID/mem calls it with the caller's own credentials, so this
 * opens that file.
 *
 * Anyone who mounts file systems in the caller's namespace decides what is at that path. So
 * the file is checked: it must be PID/mem of a procfs of the caller's pid namespace. The
 * number in the path belongs to @pid's process until the process has been reaped. The
 * process must have the same memory before and after the check.
 */
#include <linux/capability.h>
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
 * Whether the caller has @cap in the user namespace in which @mm, the memory of @task, was
 * made. Under the task's exec_update_lock, so that @mm is still the task's. Kernels after
 * 6.12 keep the namespace in task->exec_state.
 */
#ifdef __has_include		/* sparse does not have it */
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

/* True if the file is /PID/mem of a procfs for the caller's pid namespace. */
static bool xr_is_proc_mem(const struct file *file, const char *nr)
{
	const struct super_block *sb = file_inode(file)->i_sb;
	const struct dentry *mem = file->f_path.dentry;

	/* procfs never renames or moves dentries, so they need no lock. */
	return sb->s_magic == PROC_SUPER_MAGIC &&
	       proc_pid_ns(file_inode(file)->i_sb) == task_active_pid_ns(current) &&
	       !strcmp(mem->d_name.name, "mem") &&
	       !strcmp(mem->d_parent->d_name.name, nr) &&
	       mem->d_parent->d_parent == sb->s_root;
}

/* Find out whether the caller may attach to the process. Return: 0, -EPERM, -EINTR or -ENOMEM. */
static int xr_process_attach(struct pid *pid)
{
	struct file *file;
	char path[32], nr[12];
	int ret = -EPERM;

	snprintf(nr, sizeof(nr), "%d", pid_vnr(pid));
	snprintf(path, sizeof(path), "/proc/%s/mem", nr);
	file = filp_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
	/* procfs also returns this if it cannot allocate an inode: try once more. */
	if (file == ERR_PTR(-ENOENT))
		file = filp_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
	if (IS_ERR(file))
		return file == ERR_PTR(-EINTR) || file == ERR_PTR(-ENOMEM) ?
		       PTR_ERR(file) : -EPERM;
	if (xr_is_proc_mem(file, nr))
		ret = 0;
	fput(file);
	return ret;
}

/* The task's memory, if it is the caller's own or the caller has CAP_SYS_PTRACE over it. */
static struct mm_struct *xr_process_capable(struct task_struct *task)
{
	struct mm_struct *mm;

	/* As ptrace(2) does: memory and credentials belong to the same execve(2). */
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
 * xr_process_mm() - the memory of a process, if the caller may register it
 * @pid: process, or one of its threads
 *
 * For another process the caller must have CAP_SYS_PTRACE in the user namespace of its
 * memory, and must be able to open /proc/PID/mem now. Sleeps.
 *
 * Return: the memory, with a reference for mmput(), or -ESRCH, -EPERM, -EINTR, -ENOMEM.
 */
struct mm_struct *xr_process_mm(struct pid *pid)
{
	struct mm_struct *mm, *now;
	struct task_struct *task;
	int ret;

	/* The caller's own, even if the thread with this number has ended. */
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
