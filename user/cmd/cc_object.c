// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* A BPF object that has an algorithm of congestion control: see cc_object.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/bpf.h>

#include "cc_object.h"
#include "message.h"
#include "options.h"

/* The word in names of sections, and what stands for it, of the same length. */
#define WORD	"struct_ops"
#define OURS	"xroce__ops"

/* More than any program of this kind has. */
#define OBJECT_MAX	(16 << 20)

static int bad(const struct cc_object *o, const char *why)
{
	return fail("cc: %s: %s", o->path, why);
}

/* Read the file. Return: an exit status. */
static int read_image(struct cc_object *o)
{
	int fd = open(o->path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	ssize_t n;
	int err;

	if (fd < 0)
		return bad(o, strerror(errno));
	err = fstat(fd, &st) ? errno : S_ISDIR(st.st_mode) ? EISDIR :
	      st.st_size > OBJECT_MAX ? EFBIG : 0;
	o->image = err ? NULL : malloc(st.st_size + 1);
	if (!err && !o->image)
		err = ENOMEM;
	while (!err && o->size < (size_t)st.st_size) {
		n = read(fd, o->image + o->size, st.st_size - o->size);
		if (n <= 0)
			err = n ? errno : EIO;
		else
			o->size += n;
	}
	close(fd);
	return err ? bad(o, strerror(err)) : EXIT_OK;
}

/* Rename the sections in a table of strings. */
static void rename_in(char *text, size_t size)
{
	const size_t len = strlen(WORD);
	size_t i;

	for (i = 1; i + len < size; i++) {
		const char *prefix = i > 4 ? text + i - 4 : "";

		if (memcmp(text + i, WORD, len) || !memchr("/.", text[i + len], 3))
			continue;
		if (!text[i - 1] || text[i - 1] == '.' || !strncmp(prefix, ".rel", 4))
			memcpy(text + i, OURS, len);
	}
}

/* The name of a section. Return: the name, or "". */
static const char *section_name(Elf *elf, const Elf64_Shdr *sh)
{
	size_t names;
	const char *name = elf_getshdrstrndx(elf, &names) ? NULL :
			   elf_strptr(elf, names, sh->sh_name);

	return name ? name : "";
}

/* Rename the sections in all tables of strings, that of BTF among them. */
static void rename_sections(struct cc_object *o, Elf *elf)
{
	Elf_Scn *scn = NULL;
	Elf64_Shdr *sh;

	while ((scn = elf_nextscn(elf, scn))) {
		sh = elf64_getshdr(scn);
		if (!sh || (sh->sh_type != SHT_STRTAB && strcmp(section_name(elf, sh), ".BTF")))
			continue;
		if (sh->sh_offset <= o->size && sh->sh_size <= o->size - sh->sh_offset)
			rename_in(o->image + sh->sh_offset, sh->sh_size);
	}
}

/* True if it is an object for BPF of this byte order. */
static bool is_bpf(Elf *elf)
{
	const Elf64_Ehdr *eh = elf64_getehdr(elf);

	int order = __BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;

	return eh && eh->e_machine == EM_BPF && eh->e_type == ET_REL &&
	       eh->e_ident[EI_DATA] == order;
}

/* Find the section of variables. Return: its number, and its data; 0: there is none. */
static size_t find_variables(Elf *elf, Elf_Data **data)
{
	Elf_Scn *scn = NULL;
	Elf64_Shdr *sh;

	while ((scn = elf_nextscn(elf, scn))) {
		sh = elf64_getshdr(scn);
		if (!sh || sh->sh_type != SHT_PROGBITS ||
		    strcmp(section_name(elf, sh), "." OURS ".link"))
			continue;
		*data = elf_getdata(scn, NULL);
		return *data && (*data)->d_buf ? elf_ndxscn(scn) : 0;
	}
	return 0;
}

/* The symbols of an object. */
struct symbols {
	const Elf64_Sym *sym;
	size_t n;
	size_t names;
};

static bool find_symbols(Elf *elf, struct symbols *s)
{
	Elf_Scn *scn = NULL;
	Elf64_Shdr *sh;
	Elf_Data *data;

	while ((scn = elf_nextscn(elf, scn))) {
		sh = elf64_getshdr(scn);
		if (!sh || sh->sh_type != SHT_SYMTAB)
			continue;
		data = elf_getdata(scn, NULL);
		if (!data || !data->d_buf)
			return false;
		s->sym = data->d_buf;
		s->n = data->d_size / sizeof(*s->sym);
		s->names = sh->sh_link;
		return true;
	}
	return false;
}

/* The program whose first instruction a relocation names. Return: NULL: there is none. */
static struct bpf_program *program_at(const struct cc_object *o, Elf *elf, const struct symbols *s,
				      const Elf64_Sym *to, __u64 addend)
{
	const char *name;
	size_t i;

	for (i = 0; i < s->n; i++) {
		const Elf64_Sym *f = &s->sym[i];

		if (ELF64_ST_TYPE(f->st_info) != STT_FUNC || f->st_shndx != to->st_shndx ||
		    f->st_value != to->st_value + addend)
			continue;
		name = elf_strptr(elf, s->names, f->st_name);
		return name ? bpf_object__find_program_by_name(o->obj, name) : NULL;
	}
	return NULL;
}

/* Note a function of the variable. Return: an exit status. */
static int take_function(struct cc_object *o, Elf *elf, const struct symbols *s,
			 const Elf64_Rel *rel)
{
	size_t sym = ELF64_R_SYM(rel->r_info);
	struct bpf_program *prog;
	__u64 addend;

	if (rel->r_offset > o->type->size - sizeof(addend) || sym >= s->n)
		return bad(o, "a relocation is outside of its section");
	memcpy(&addend, o->value + rel->r_offset, sizeof(addend));
	prog = program_at(o, elf, s, &s->sym[sym], addend);
	if (!prog)
		return fail("cc: %s: the function at offset %llu of struct xroce_cc_ops is not a program in a section struct_ops/NAME",
			    o->path, (unsigned long long)rel->r_offset);
	if (o->funcs == CC_FUNCS)
		return bad(o, "too many functions");
	o->func[o->funcs].at = rel->r_offset;
	o->func[o->funcs++].prog = prog;
	bpf_program__set_autoload(prog, true);
	return EXIT_OK;
}

/* Read the relocations of section @variables. Return: an exit status. */
static int take_functions(struct cc_object *o, Elf *elf, size_t variables)
{
	struct symbols s = {};
	Elf_Scn *scn = NULL;
	const Elf64_Rel *rel;
	int status = EXIT_OK;
	Elf64_Shdr *sh;
	Elf_Data *data;
	size_t i;

	if (!find_symbols(elf, &s))
		return bad(o, "it has no symbols");
	while ((scn = elf_nextscn(elf, scn))) {
		sh = elf64_getshdr(scn);
		if (!sh || sh->sh_type != SHT_REL || sh->sh_info != variables)
			continue;
		data = elf_getdata(scn, NULL);
		rel = data ? data->d_buf : NULL;
		for (i = 0; rel && !status && i < data->d_size / sizeof(*rel); i++)
			status = take_function(o, elf, &s, &rel[i]);
	}
	return status;
}

/* The type of the only variable of the section. Return: NULL: it is not a struct xroce_cc_ops. */
static const struct btf_type *variable_type(const struct btf *btf)
{
	int id = btf ? btf__find_by_name_kind(btf, "." OURS ".link", BTF_KIND_DATASEC) : -ENOENT;
	const struct btf_type *t = id < 0 ? NULL : btf__type_by_id(btf, id);

	if (!t || btf_vlen(t) != 1)
		return NULL;
	t = btf__type_by_id(btf, btf_var_secinfos(t)->type);
	t = btf__type_by_id(btf, t->type);
	while (t && (btf_is_mod(t) || btf_is_typedef(t)))
		t = btf__type_by_id(btf, t->type);
	return t && btf_is_struct(t) &&
	       !strcmp(btf__name_by_offset(btf, t->name_off), "xroce_cc_ops") ? t : NULL;
}

/* Read the variable. Return: an exit status. */
static int take_variable(struct cc_object *o, Elf *elf)
{
	Elf_Data *data = NULL;
	size_t section = find_variables(elf, &data);

	if (!section)
		return bad(o, "not an algorithm: it has no section .struct_ops.link");
	o->type = variable_type(bpf_object__btf(o->obj));
	if (!o->type || o->type->size < sizeof(__u64) || data->d_size < o->type->size)
		return bad(o, "its section .struct_ops.link must have one variable, a struct xroce_cc_ops, with BTF (clang -g)");
	o->value = data->d_buf;
	return take_functions(o, elf, section);
}

static int open_programs(struct cc_object *o, libbpf_prog_prepare_load_fn_t prepare, void *cookie)
{
	LIBBPF_OPTS(libbpf_prog_handler_opts, handler,
		.cookie = (long)cookie,
		.prog_prepare_load_fn = prepare,
	);
	LIBBPF_OPTS(bpf_object_open_opts, opts,
		.object_name = "xroce_cc",
		.kernel_log_buf = o->log,
		.kernel_log_size = sizeof(o->log),
	);
	struct bpf_program *prog = NULL;
	int err;

	o->handler = libbpf_register_prog_handler(OURS "+", BPF_PROG_TYPE_STRUCT_OPS, 0, &handler);
	if (o->handler < 0)
		return bad(o, strerror(-o->handler));
	o->obj = bpf_object__open_mem(o->image, o->size, &opts);
	err = libbpf_get_error(o->obj);
	if (err) {
		o->obj = NULL;
		return bad(o, "not a BPF object that libbpf can read (option --debug prints more)");
	}
	while ((prog = bpf_object__next_program(o->obj, prog)))
		bpf_program__set_autoload(prog, false);
	return EXIT_OK;
}

static int speak(enum libbpf_print_level level, const char *fmt, va_list args)
{
	(void)level;
	return vfprintf(stderr, fmt, args);
}

int cc_object_open(struct cc_object *o, const char *path, libbpf_prog_prepare_load_fn_t prepare,
		   void *cookie)
{
	int status;

	*o = (struct cc_object){ .path = path, .handler = -1 };
	libbpf_set_print(options.debug ? speak : NULL);
	status = read_image(o);
	if (status)
		return status;
	elf_version(EV_CURRENT);
	o->elf = elf_memory(o->image, o->size);
	if (!o->elf || !is_bpf(o->elf))
		return bad(o, "not a BPF object ('clang -target bpf -g -O2 -c' makes one)");
	rename_sections(o, o->elf);
	status = open_programs(o, prepare, cookie);
	return status ? : take_variable(o, o->elf);
}

void cc_object_close(struct cc_object *o)
{
	bpf_object__close(o->obj);
	if (o->handler >= 0)
		libbpf_unregister_prog_handler(o->handler);
	elf_end(o->elf);
	free(o->image);
}
