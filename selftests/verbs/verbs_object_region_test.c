// SPDX-License-Identifier: GPL-2.0-only
/*
 * Regions of the verbs device: their rights, ranges and keys. What is refused changes nothing;
 * beside it is what is accepted.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/wait.h>

#include "mem.h"
#include "verbs_command.h"
#include "verbs_object.h"

static void try_reg(void *at, size_t bytes, int access, int want)
{
	struct ibv_mr *new;

	errno = 0;
	new = ibv_reg_mr(xr_end.pd, at, bytes, access);
	check(new ? !want : errno == want, "%zu bytes at %p with %#x: %s, not %s", bytes, at,
	      access, new ? "accepted" : strerror(errno), strerror(want));
	check(!new || !ibv_dereg_mr(new), "deregister");
}

TEST(object_regions, "V5 R7", "rights and memory of regions")
{
	char *read_only = mmap(NULL, MEM_PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (!objects_open())
		return;
	try_reg(obj.memory, MEM_PAGE, 0, 0);
	try_reg(obj.memory, 1, IBV_ACCESS_REMOTE_READ, 0);
	try_reg(obj.memory, MEM_PAGE, RW | IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_RELAXED_ORDERING,
		0);
	try_reg(obj.memory, MEM_PAGE, IBV_ACCESS_REMOTE_WRITE, EINVAL);
	try_reg(obj.memory, MEM_PAGE, IBV_ACCESS_REMOTE_ATOMIC, EINVAL);
	try_reg(obj.memory, MEM_PAGE, RW | IBV_ACCESS_ZERO_BASED, EOPNOTSUPP);
	try_reg(obj.memory, 0, RW, EINVAL);
	try_reg(read_only, MEM_PAGE, IBV_ACCESS_REMOTE_READ, 0);
	try_reg(read_only, MEM_PAGE, RW, EFAULT);
	check(!munmap(read_only, MEM_PAGE), "unmap");
	try_reg(read_only, MEM_PAGE, IBV_ACCESS_REMOTE_READ, EFAULT);
	objects_close();
}

/* As a daemon: an ordinary user, in a child of the process that has opened the device. */
TEST(object_inherited, "V2 R1", "a daemon's child registers its memory")
{
	struct ibv_mr *new;
	int status = 0;
	pid_t pid;

	if (!objects_open())
		return;
	pid = fork();
	if (!pid) {
		if (setuid(65534))
			_exit(255);
		new = ibv_reg_mr(xr_end.pd, obj.memory, sizeof(obj.memory), RW);
		_exit(new ? ibv_dereg_mr(new) : errno);
	}
	waitpid(pid, &status, 0);
	check(WIFEXITED(status) && !WEXITSTATUS(status), "in a child: %s",
	      strerror(WEXITSTATUS(status)));
	objects_close();
}

TEST(object_keys, "V5 R7", "keys of other domains and contexts")
{
	struct ibv_sge sge = { (uintptr_t)obj.memory, MESSAGE };
	struct ibv_recv_wr *bad, wr = { .sg_list = &sge, .num_sge = 1 };
	struct ibv_send_wr *bad_send, send = {
		.sg_list = &(struct ibv_sge){ (uintptr_t)obj.peer_message, MESSAGE, 0 },
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	};
	struct ibv_wc wc = {};
	int i, ours, theirs;

	if (!objects_open())
		return;
	objects_try_write(obj.mr->rkey, 0, true, "its own");
	objects_try_write(obj.mr2->rkey, 0, false, "of another domain");
	objects_try_write(obj.foreign->rkey, 0, false, "of another context");
	send.sg_list->lkey = obj.peer_mr->lkey;
	for (i = 0; i < 3; i++) {
		sge.lkey = i == 0 ? obj.mr->lkey : i == 1 ? obj.mr2->lkey : obj.foreign->lkey;
		check(!ibv_post_recv(obj.qp, &wr, &bad) &&
		      !ibv_post_send(obj.peer, &send, &bad_send), "post");
		ours = end_wait(obj.cq, &wc);
		theirs = end_wait(obj.peer_cq, &wc);
		check(!ours == !i && !theirs == !i, "key %d: %d, peer's %d", i, ours, theirs);
		check(!memcmp(obj.memory, obj.zeros, sizeof(obj.memory)) == !!i, "key %d: memory",
		      i);
		memset(obj.memory, 0, sizeof(obj.memory));
		ends_connect(obj.qp, obj.peer);
	}
	objects_close();
}

/* A region is changed in place: what is refused leaves keys, rights and domain as they were. */
TEST(object_rereg, "V5 R7", "changing regions in place")
{
	uint32_t key;
	int ret;

	if (!objects_open())
		return;
	key = obj.mr->rkey;
	ret = command_rereg(obj.mr, IBV_REREG_MR_CHANGE_ACCESS, xr_end.pd, NULL, 0,
			    IBV_ACCESS_ZERO_BASED);
	check(ret == EOPNOTSUPP, "a right that there is not: %d", ret);
	check_is(command_rereg(obj.mr, IBV_REREG_MR_CHANGE_TRANSLATION, xr_end.pd, obj.memory, 0,
			       0), EINVAL, "no bytes");
	check(obj.mr->rkey == key, "the key");
	objects_try_write(obj.mr->rkey, 0, true, "as before");
	check(!command_rereg(obj.mr, IBV_REREG_MR_CHANGE_ACCESS, xr_end.pd, NULL, 0,
			     IBV_ACCESS_LOCAL_WRITE), "rights");
	objects_try_write(obj.mr->rkey, 0, false, "without the right");
	check(!command_rereg(obj.mr, IBV_REREG_MR_CHANGE_ACCESS | IBV_REREG_MR_CHANGE_TRANSLATION,
			     xr_end.pd, obj.memory, MEM_PAGE, RW), "rights and memory");
	objects_try_write(key, 0, false, "the first key");
	objects_try_write(obj.mr->rkey, MEM_PAGE - MESSAGE + 1, false, "past the new end");
	objects_try_write(obj.mr->rkey, MEM_PAGE - MESSAGE, true, "its end");
	check(!command_rereg(obj.mr, IBV_REREG_MR_CHANGE_PD, obj.pd2, NULL, 0, 0), "domain");
	objects_try_write(obj.mr->rkey, 0, false, "in another domain");
	objects_close();
}

/* Advice for regions of others, and by a key that is not theirs. */
TEST(object_advise, "V5 R7", "advice for regions of other domains and contexts")
{
	struct ibv_sge sge = { (uintptr_t)obj.memory, MEM_PAGE, 0 };
	struct ibv_mr *on_demand;

	if (!objects_open())
		return;
	on_demand = objects_reg(xr_end.pd, RW | IBV_ACCESS_ON_DEMAND);
	if (!on_demand)
		return;
	sge.lkey = on_demand->lkey;
	check(!command_advise(xr_end.pd, &sge), "its own: %s", strerror(errno));
	check(command_advise(obj.pd2, &sge) == EFAULT, "another domain: %s", strerror(errno));
	check(command_advise(obj.other.pd, &sge) == EFAULT, "another context: %s", strerror(errno));
	sge.lkey ^= 1;
	check(command_advise(xr_end.pd, &sge) == EFAULT, "another key: %s", strerror(errno));
	sge.lkey ^= 1;
	sge.length = sizeof(obj.memory) + 1;
	check(command_advise(xr_end.pd, &sge) == EFAULT, "past its end: %s", strerror(errno));
	check(!ibv_dereg_mr(on_demand), "deregister");
	objects_close();
}

TEST_MAIN(harness_main);
