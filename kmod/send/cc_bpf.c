// SPDX-License-Identifier: GPL-2.0-only
/*
 * Algorithms of congestion control that are BPF programs: struct xroce_cc_ops as a struct_ops. The
 * kernel calls xr_bpf_reg() and xr_bpf_unreg() in process context, one at a time for a BPF link or
 * map. The map has a reference to this module.
 *
 * A program can write what an algorithm says, and nothing else; xr_cc_apply() bounds that.
 */
#include <linux/bpf.h>
#include <linux/bpf_verifier.h>
#include <linux/btf.h>
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/filter.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/string.h>

#include "xroce_cc.h"

#include "cc_bpf.h"
#include "cc_change.h"
#include "cc_list.h"

#define XR_CC_MEMBER(name_)	offsetof(struct xroce_cc_ops, name_)

/*
 * The type struct xroce_cc in the BTF of this module, which is the first argument of all functions:
 * set before a program is verified, always to the same.
 */
static const struct btf *xr_bpf_btf;
static u32 xr_bpf_type;

static bool xr_bpf_reads(int off, int size, enum bpf_access_type type,
			 const struct bpf_prog *prog, struct bpf_insn_access_aux *info)
{
	if (off < 0 || off >= (int)sizeof(u64) * MAX_BPF_FUNC_ARGS || off % size ||
	    type != BPF_READ)
		return false;
	return btf_ctx_access(off, size, type, prog, info);
}

/* True if @size bytes at @off are in the member of @bytes at @start. */
static bool xr_bpf_inside(int off, int size, size_t start, size_t bytes)
{
	return off >= (int)start && off + size <= (int)(start + bytes);
}

static int xr_bpf_writes(struct bpf_verifier_log *log, const struct bpf_reg_state *reg, int off,
			 int size)
{
	if (reg->btf != READ_ONCE(xr_bpf_btf) || reg->btf_id != READ_ONCE(xr_bpf_type)) {
		bpf_log(log, "only struct xroce_cc can be written\n");
		return -EACCES;
	}
	if (xr_bpf_inside(off, size, offsetof(struct xroce_cc, priv),
			  sizeof_field(struct xroce_cc, priv)) ||
	    xr_bpf_inside(off, size, offsetof(struct xroce_cc, rate),
			  sizeof_field(struct xroce_cc, rate)) ||
	    xr_bpf_inside(off, size, offsetof(struct xroce_cc, cwnd),
			  sizeof_field(struct xroce_cc, cwnd)))
		return 0;
	bpf_log(log, "only priv, rate and cwnd of struct xroce_cc can be written, not offset %d\n",
		off);
	return -EACCES;
}

static const struct bpf_func_proto *xr_bpf_func(enum bpf_func_id id, const struct bpf_prog *prog)
{
	return bpf_base_func_proto(id, prog);
}

static const struct bpf_verifier_ops xr_bpf_verifier = {
	.get_func_proto = xr_bpf_func,
	.is_valid_access = xr_bpf_reads,
	.btf_struct_access = xr_bpf_writes,
};

static int xr_bpf_init(struct btf *btf)
{
	return 0;
}

/* Remember the type that the first argument of a function points to. @id: pointer to function. */
static int xr_bpf_remember(const struct btf *btf, u32 id)
{
	const struct btf_type *t = btf_type_by_id(btf, id);

	t = t && btf_type_is_ptr(t) ? btf_type_by_id(btf, t->type) : NULL;
	if (!t || !btf_type_is_func_proto(t) || !btf_type_vlen(t))
		return -EINVAL;
	t = btf_type_by_id(btf, btf_params(t)->type);
	if (!t || !btf_type_is_ptr(t))
		return -EINVAL;
	WRITE_ONCE(xr_bpf_type, t->type);
	WRITE_ONCE(xr_bpf_btf, btf);
	return 0;
}

/* A program is to be verified for a member, which is a function. */
static int xr_bpf_check_member(const struct btf_type *t, const struct btf_member *member,
			       const struct bpf_prog *prog)
{
	/* It is called with a spin lock held. */
	if (prog->sleepable)
		return -EINVAL;
	return xr_bpf_remember(prog->aux->attach_btf, member->type);
}

/* True if @name, of XROCE_CC_NAME_MAX bytes, is one, with zeros behind it. */
static bool xr_bpf_name_ok(const char *name)
{
	size_t len = strnlen(name, XROCE_CC_NAME_MAX), i;

	for (i = 0; i < len; i++)
		if (!isascii(name[i]) || (!isalnum(name[i]) && !strchr("_-.", name[i])))
			return false;
	return len && len < XROCE_CC_NAME_MAX &&
	       !memchr_inv(name + len, 0, XROCE_CC_NAME_MAX - len);
}

static int xr_bpf_init_member(const struct btf_type *t, const struct btf_member *member,
			      void *kdata, const void *udata)
{
	const struct xroce_cc_ops *from = udata;
	struct xroce_cc_ops *to = kdata;

	switch (__btf_member_bit_offset(t, member) / BITS_PER_BYTE) {
	case XR_CC_MEMBER(flags):
		if (from->flags & ~XROCE_CC_FLAGS)
			return -EINVAL;
		to->flags = from->flags;
		return 1;
	case XR_CC_MEMBER(name):
		if (!xr_bpf_name_ok(from->name))
			return -EINVAL;
		memcpy(to->name, from->name, sizeof(to->name));
		return 1;
	}
	return 0;
}

static int xr_bpf_validate(void *kdata)
{
	const struct xroce_cc_ops *ops = kdata;

	return ops->init && ops->ack ? 0 : -EINVAL;
}

static int xr_bpf_reg(void *kdata, struct bpf_link *link)
{
	return xr_cc_register(kdata, link);
}

static int xr_bpf_update(void *kdata, void *old, struct bpf_link *link)
{
	return xr_cc_replace(old, kdata, xr_cc_change_if);
}

static void xr_bpf_unreg(void *kdata, struct bpf_link *link)
{
	xr_cc_unregister(kdata, xr_cc_change_if);
}

/* The kernel takes types of arguments from these. They are not called. */
static void xr_bpf_stub_init(struct xroce_cc *cc)
{
}

static void xr_bpf_stub_release(struct xroce_cc *cc)
{
}

static void xr_bpf_stub_ack(struct xroce_cc *cc, const struct xroce_cc_ack *ack)
{
}

static void xr_bpf_stub_loss(struct xroce_cc *cc, u32 how, u64 now)
{
}

static void xr_bpf_stub_cnp(struct xroce_cc *cc, u64 now)
{
}

static struct xroce_cc_ops xr_bpf_stubs = {
	.init = xr_bpf_stub_init,
	.release = xr_bpf_stub_release,
	.ack = xr_bpf_stub_ack,
	.loss = xr_bpf_stub_loss,
	.cnp = xr_bpf_stub_cnp,
};

static struct bpf_struct_ops xr_bpf_struct_ops = {
	.verifier_ops = &xr_bpf_verifier,
	.init = xr_bpf_init,
	.check_member = xr_bpf_check_member,
	.init_member = xr_bpf_init_member,
	.reg = xr_bpf_reg,
	.unreg = xr_bpf_unreg,
	.update = xr_bpf_update,
	.validate = xr_bpf_validate,
	.cfi_stubs = &xr_bpf_stubs,
	.owner = THIS_MODULE,
	.name = "xroce_cc_ops",
};

/* Without them the module works as well: the kernel may have no compiler for BPF programs. */
void __init xr_cc_bpf_init(void)
{
	int ret = register_bpf_struct_ops(&xr_bpf_struct_ops, xroce_cc_ops);

	if (ret)
		pr_info("xroce: no congestion control by BPF programs: error %d\n", -ret);
}
