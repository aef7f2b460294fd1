// SPDX-License-Identifier: GPL-2.0-only
/*
 * A plugin of QEMU that counts the instructions of the guest, by address, between two marks in a
 * program, see mark.h. The file that its argument names gets a line "ADDRESS COUNT" for each block
 * of code, when the program has executed the second mark.
 *
 *   vm.sh --icount --plugin build/selftests/bench/where.so,out=FILE -- COMMAND
 *
 * Debian's packages lack qemu-plugin.h: what is used of version 1 of the interface, that of QEMU
 * 7.2 in Debian 12, is declared here.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mark.h"

typedef uint64_t plugin_id;
struct qemu_info;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum { NO_REGISTERS = 0, ADD_U64 = 0 };

extern void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id,
						  void (*translated)(plugin_id id,
								     struct qemu_plugin_tb *tb));
extern void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb, int op, void *at,
						     uint64_t value);
extern void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
						   void (*executed)(unsigned int cpu, void *data),
						   int flags, void *data);
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
extern uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
extern struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb,
							size_t i);
extern const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
extern size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

/* A block of code; it exists until QEMU ends. A block that is translated again is another one. */
struct block {
	struct block *next;
	uint64_t vaddr;
	uint64_t count;
};

static struct block *blocks;
static const char *out = "where.txt";

static void begin(unsigned int cpu, void *data)
{
	struct block *b;

	for (b = blocks; b; b = b->next)
		b->count = 0;
}

static void end(unsigned int cpu, void *data)
{
	FILE *f = fopen(out, "w");
	struct block *b;

	if (!f) {
		perror(out);
		return;
	}
	for (b = blocks; b; b = b->next)
		if (b->count)
			fprintf(f, "%016" PRIx64 " %" PRIu64 "\n", b->vaddr, b->count);
	fclose(f);
}

/* Is it the instruction of mark(@which)? */
static bool is_mark(const struct qemu_plugin_insn *insn, uint32_t which)
{
	static const uint8_t nop[] = { 0x0f, 0x1f, 0x84, 0x00 };	/* mark.h */
	const uint8_t *bytes = qemu_plugin_insn_data(insn);

	return qemu_plugin_insn_size(insn) == sizeof(nop) + sizeof(which) &&
	       !memcmp(bytes, nop, sizeof(nop)) &&
	       !memcmp(bytes + sizeof(nop), &which, sizeof(which));
}

static void translated(plugin_id id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb), i;
	struct block *b = calloc(1, sizeof(*b));
	struct qemu_plugin_insn *insn;

	if (!b)
		return;
	b->vaddr = qemu_plugin_tb_vaddr(tb);
	b->next = blocks;
	blocks = b;
	qemu_plugin_register_vcpu_tb_exec_inline(tb, ADD_U64, &b->count, n);
	for (i = 0; i < n; i++) {
		insn = qemu_plugin_tb_get_insn(tb, i);
		if (is_mark(insn, MARK_BEGIN))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, begin, NO_REGISTERS, NULL);
		if (is_mark(insn, MARK_END))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, end, NO_REGISTERS, NULL);
	}
}

__attribute__((visibility("default")))
int qemu_plugin_install(plugin_id id, const struct qemu_info *info, int argc, char **argv)
{
	int i;

	for (i = 0; i < argc; i++)
		if (!strncmp(argv[i], "out=", 4))
			out = strdup(argv[i] + 4);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
