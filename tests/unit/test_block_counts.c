/* How often basic blocks ran, from samples of machine code of x86-64, i386 and arm64 whose flow is known. */
#include "unit.h"

#include "image.h"
#include "pgo/block_counts.h"

#include <elf.h>
#include <fcntl.h>
#include <gelf.h>

enum {
	PID = 40,
	EVENT_ID = 100,
	CODE_AT = 0x1000, /* file offset, and dso address */
	LINKED_AT = 0x401000,
	MAP_AT = 0x10000000,
	MAP_SIZE = 1 << 28,
	CODE_SIZE = 64,
	FUNCTIONS_MAX = 3,
	BLOCKS_MAX = 6,
};

struct function {
	u32 at, size; /* in the code */
};

struct sampled {
	u32 at, nr;
};

struct program {
	u16 machine;
	bool big_endian;
	u8 code[CODE_SIZE];
	size_t size;
	const u8 *long_code;                      /* in place of code; NULL: none */
	struct function functions[FUNCTIONS_MAX]; /* up to the first without size */
};

/* ---- files ---- */

static Elf_Scn *add_section(Elf *e, u32 name, u32 type, void *bytes, size_t size, Elf_Type kind)
{
	Elf_Scn *scn = elf_newscn(e);
	Elf_Data *data = elf_newdata(scn);
	GElf_Shdr shdr;

	assert_non_null(data);
	*data = (Elf_Data){
		.d_buf = bytes, .d_type = kind, .d_version = EV_CURRENT, .d_size = size, .d_align = 8
	};
	assert_non_null(gelf_getshdr(scn, &shdr));
	shdr.sh_name = name;
	shdr.sh_type = type;
	assert_true(gelf_update_shdr(scn, &shdr));
	return scn;
}

/* The symbols, in memory as the class of e has them: the name of all of them is at offset 1. */
static void add_symbols(Elf *e, const struct program *p)
{
	bool is_64bit = gelf_getclass(e) == ELFCLASS64;
	size_t size = (FUNCTIONS_MAX + 1) * (is_64bit ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym));
	static u8 bytes[(FUNCTIONS_MAX + 1) * sizeof(Elf64_Sym)];
	Elf_Scn *scn;
	GElf_Shdr shdr;

	memset(bytes, 0, sizeof(bytes));
	scn = add_section(e, 7, SHT_SYMTAB, bytes, size, ELF_T_SYM);
	for (int i = 0; i < FUNCTIONS_MAX && p->functions[i].size; i++) {
		GElf_Sym sym = { .st_name = 1,
				 .st_info = GELF_ST_INFO(STB_GLOBAL, STT_FUNC),
				 .st_shndx = 1,
				 .st_value = LINKED_AT + p->functions[i].at,
				 .st_size = p->functions[i].size };

		assert_true(gelf_update_sym(elf_getdata(scn, NULL), i + 1, &sym));
	}
	assert_non_null(gelf_getshdr(scn, &shdr));
	shdr.sh_link = 3;
	shdr.sh_entsize = size / (FUNCTIONS_MAX + 1);
	assert_true(gelf_update_shdr(scn, &shdr));
}

/* Set where the code is in the file and in memory. */
static void place_code(Elf *e, Elf_Scn *code, size_t size)
{
	GElf_Phdr phdr = { .p_type = PT_LOAD,
			   .p_flags = PF_R | PF_X,
			   .p_offset = CODE_AT,
			   .p_vaddr = LINKED_AT,
			   .p_filesz = size,
			   .p_memsz = size,
			   .p_align = 0x1000 };
	GElf_Shdr shdr;

	assert_non_null(gelf_getshdr(code, &shdr));
	shdr.sh_flags = SHF_ALLOC | SHF_EXECINSTR;
	shdr.sh_addr = LINKED_AT;
	shdr.sh_addralign = 0x1000;
	assert_true(gelf_update_shdr(code, &shdr));
	assert_true(gelf_update_phdr(e, 0, &phdr));
}

static void write_program(const struct program *p, int fd)
{
	static char names[] = "\0.text\0.symtab\0.strtab", symbols[] = "\0work";
	bool is_64bit = p->machine != EM_386;
	const void *bytes = p->long_code ? p->long_code : p->code;
	GElf_Ehdr ehdr;
	Elf_Scn *code;
	Elf *e;

	elf_version(EV_CURRENT);
	e = elf_begin(fd, ELF_C_WRITE, NULL);
	assert_non_null(e);
	assert_non_null(gelf_newehdr(e, is_64bit ? ELFCLASS64 : ELFCLASS32));
	assert_non_null(gelf_getehdr(e, &ehdr));
	ehdr.e_ident[EI_DATA] = p->big_endian ? ELFDATA2MSB : ELFDATA2LSB;
	ehdr.e_type = ET_EXEC;
	ehdr.e_machine = p->machine;
	ehdr.e_version = EV_CURRENT;
	ehdr.e_shstrndx = 4;
	assert_true(gelf_update_ehdr(e, &ehdr));
	assert_non_null(gelf_newphdr(e, 1));
	code = add_section(e, 1, SHT_PROGBITS, (void *)(uintptr_t)bytes, p->size, ELF_T_BYTE);
	add_symbols(e, p);
	add_section(e, 15, SHT_STRTAB, symbols, sizeof(symbols), ELF_T_BYTE);
	add_section(e, 15, SHT_STRTAB, names, sizeof(names), ELF_T_BYTE);
	place_code(e, code, p->size);
	assert_true(elf_update(e, ELF_C_WRITE) > 0);
	elf_end(e);
}

/* ---- recordings ---- */

static void add_process(struct image *im, u32 pid, u64 map_at, const char *path)
{
	image__comm(im, pid, "work");
	image__begin(im, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);
	image__u32(im, pid);
	image__u32(im, pid);
	image__u64(im, map_at);
	image__u64(im, MAP_SIZE);
	image__u64(im, 0);
	image__str(im, path, ROUND_UP(strlen(path) + 1, 8));
	image__end(im);
}

static void add_sample(struct image *im, u32 pid, u64 ip)
{
	image__begin(im, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	image__u64(im, EVENT_ID);
	image__u64(im, ip);
	image__u32(im, pid);
	image__u32(im, pid);
	image__end(im);
}

/* Add a process that has no program, with a sample, too. */
static void make_recording(struct image *im, const char *program, const struct sampled *samples, size_t nr)
{
	struct perf_event_attr a =
		image__cpu_clock(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID);

	image__init(im, false);
	image__file_header(im, 1, a.size, 0);
	image__attr_entry(im, &a, a.size, 104 + a.size + 16, 8);
	image__u64(im, EVENT_ID);
	image__put_u64(im, 40, im->b.len);
	add_process(im, PID, MAP_AT, program);
	add_process(im, PID + 1, MAP_AT, "//anon");
	add_sample(im, PID + 1, MAP_AT);
	for (size_t i = 0; i < nr; i++)
		for (u32 k = 0; k < samples[i].nr; k++)
			add_sample(im, PID, MAP_AT + CODE_AT + samples[i].at);
	image__end_data(im);
}

/* ---- blocks ---- */

struct fixture {
	struct session *s;
	struct code_use use;
	struct code_counts blocks;
};

/* Estimate blocks of the program, from samples up to the first without a number. */
static void estimate(struct fixture *f, const struct program *p, const struct sampled *samples,
		     bool as_sampled)
{
	const struct export_args args = { .max_stack = 127, .threads = 1, .as_sampled = as_sampled };
	const struct session_opts opts = { .reader = { .nr_threads = 1 } };
	char program[64], recording[64];
	struct image im;
	size_t nr = 0;
	int fd, recording_fd;

	*f = (struct fixture){ 0 };
	image__path("", 0, &fd, program);
	write_program(p, fd);
	while (samples[nr].nr)
		nr++;
	make_recording(&im, program, samples, nr);
	image__path(im.b.buf, im.b.len, &recording_fd, recording);
	image__exit(&im);
	assert_int_equal(session__open(&f->s, recording, &opts, NULL), 0);
	assert_int_equal(code_use__collect(&f->use, f->s, &args, NULL), 0);
	block_counts__estimate(&f->use, &f->blocks);
	close(fd);
	close(recording_fd);
}

static void fixture__exit(struct fixture *f)
{
	array__exit(&f->blocks.v);
	code_use__exit(&f->use);
	session__delete(f->s);
}

/* Blocks that ran, each with the first and the last instruction. */
struct bounds {
	u32 first, last;
};

static void assert_bounds(const struct fixture *f, const struct bounds *bounds)
{
	size_t nr = 0;

	for (; !nr || bounds[nr].first; nr++) {
		assert_true(nr < f->blocks.v.nr);
		assert_int_equal(f->blocks.v.v[nr].from, CODE_AT + bounds[nr].first);
		assert_int_equal(f->blocks.v.v[nr].to, CODE_AT + bounds[nr].last);
	}
	assert_int_equal(f->blocks.v.nr, nr);
}

static double count(const struct fixture *f, size_t block)
{
	assert_true(block < f->blocks.v.nr);
	return (double)f->blocks.v.v[block].nr / BLOCK_COUNT_UNIT;
}

static void assert_near(double a, double b, double percent)
{
	if (a < b * (1 - percent / 100) || a > b * (1 + percent / 100))
		fail_msg("%.3f is not within %.0f%% of %.3f", a, percent, b);
}

/* ---- flows ---- */

#define BYTES(...)          \
	{                   \
		__VA_ARGS__ \
	}
#define WORD(x) (u8)(x), (u8)((x) >> 8), (u8)((x) >> 16), (u8)((u32)(x) >> 24)

/* Blocks: before, the loop, after. The loop has two instructions that count. */
static const struct {
	struct program program;
	struct bounds blocks[BLOCKS_MAX];
} loops[] = {
	{ { EM_X86_64,
	    false,
	    BYTES(0x55, 0xb9, 10, 0, 0, 0, 0xff, 0xc9, 0x75, 0xfc, 0x5d, 0xc3),
	    12,
	    NULL,
	    { { 0, 12 } } },
	  { { 0, 1 }, { 6, 8 }, { 10, 11 } } },
	{ { EM_386,
	    false,
	    BYTES(0x55, 0xb9, 10, 0, 0, 0, 0xff, 0xc9, 0x75, 0xfc, 0x5d, 0xc3),
	    12,
	    NULL,
	    { { 0, 12 } } },
	  { { 0, 1 }, { 6, 8 }, { 10, 11 } } },
	{ { EM_AARCH64,
	    false,
	    BYTES(WORD(0x52800141), WORD(0x71000421), WORD(0x54ffffe1), WORD(0xd503201f), WORD(0xd65f03c0)),
	    20,
	    NULL,
	    { { 0, 20 } } },
	  { { 0, 0 }, { 4, 8 }, { 12, 16 } } },
};

static void a_loop_keeps_its_count(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(loops); i++) {
		const struct bounds *b = loops[i].blocks;
		const struct sampled samples[] = {
			{ b[0].first, i < 2 ? 20 : 10 }, { b[1].first, 1000 }, { b[2].first, 20 }, { 0, 0 }
		};
		struct fixture f;

		estimate(&f, &loops[i].program, samples, false);
		assert_bounds(&f, b);
		assert_near(count(&f, 1), 500, 3);
		assert_near(count(&f, 2), 10, 15);
		assert_near(count(&f, 0), 10, 15);
		fixture__exit(&f);
	}
}

/* Blocks: the condition, two ways, and where these meet. */
static const struct {
	struct program program;
	struct bounds blocks[BLOCKS_MAX];
	u32 sizes[4]; /* instructions */
} choices[] = {
	{ { EM_X86_64,
	    false,
	    BYTES(0x85, 0xff, 0x74, 4, 0xff, 0xc0, 0xeb, 2, 0xff, 0xc8, 0xc3),
	    11,
	    NULL,
	    { { 0, 11 } } },
	  { { 0, 2 }, { 4, 6 }, { 8, 8 }, { 10, 10 } },
	  { 2, 2, 1, 1 } },
	{ { EM_386,
	    false,
	    BYTES(0x85, 0xff, 0x74, 4, 0xff, 0xc0, 0xeb, 2, 0xff, 0xc8, 0xc3),
	    11,
	    NULL,
	    { { 0, 11 } } },
	  { { 0, 2 }, { 4, 6 }, { 8, 8 }, { 10, 10 } },
	  { 2, 2, 1, 1 } },
	{ { EM_AARCH64,
	    false,
	    BYTES(WORD(0x34000060), WORD(0x11000400), WORD(0x14000002), WORD(0x51000400), WORD(0xd65f03c0)),
	    20,
	    NULL,
	    { { 0, 20 } } },
	  { { 0, 0 }, { 4, 8 }, { 12, 12 }, { 16, 16 } },
	  { 1, 2, 1, 1 } },
};

/* Samples that give the blocks of a choice these counts for each instruction. */
static void choose(struct sampled *samples, size_t i, const u32 *counts)
{
	size_t nr = 0;

	for (size_t k = 0; k < 4; k++)
		if (counts[k])
			samples[nr++] = (struct sampled){ choices[i].blocks[k].first,
							  counts[k] * choices[i].sizes[k] };
	samples[nr] = (struct sampled){ 0, 0 };
}

static void both_ways_add_up(void **state)
{
	static const u32 exact[] = { 100, 60, 40, 100 }, odd[] = { 100, 90, 30, 60 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(choices); i++) {
		struct sampled samples[5];
		struct fixture f;

		choose(samples, i, exact);
		estimate(&f, &choices[i].program, samples, false);
		assert_bounds(&f, choices[i].blocks);
		for (size_t k = 0; k < 4; k++)
			assert_near(count(&f, k), exact[k], 1);
		fixture__exit(&f);

		choose(samples, i, odd);
		estimate(&f, &choices[i].program, samples, false);
		assert_near(count(&f, 1) + count(&f, 2), count(&f, 0), 7);
		assert_near(count(&f, 1) + count(&f, 2), count(&f, 3), 7);
		assert_true(count(&f, 1) > 2 * count(&f, 2)); /* their relation stays */
		fixture__exit(&f);
	}
}

static void a_block_without_samples_gets_its_neighbours_count(void **state)
{
	static const u32 counts[] = { 100, 100, 0, 100 };
	static const struct program straight[] = {
		{ EM_X86_64,
		  false,
		  BYTES(0xff, 0xc0, 0xeb, 0, 0x90, 0xeb, 0, 0x90, 0xc3),
		  9,
		  NULL,
		  { { 0, 9 } } },
		{ EM_386,
		  false,
		  BYTES(0xff, 0xc0, 0xeb, 0, 0x90, 0xeb, 0, 0x90, 0xc3),
		  9,
		  NULL,
		  { { 0, 9 } } },
	};
	static const struct sampled hot[] = { { 0, 200 }, { 7, 200 }, { 0, 0 } };
	struct sampled samples[5];
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(straight); i++) {
		estimate(&f, &straight[i], hot, false);
		assert_bounds(&f, (const struct bounds[]){ { 0, 2 }, { 4, 5 }, { 7, 8 }, { 0, 0 } });
		/* the samples of six instructions */
		assert_near(count(&f, 1), 400 / 6.0, 15);
		assert_near(count(&f, 0), count(&f, 1), 15);
		assert_near(count(&f, 2), count(&f, 1), 15);
		fixture__exit(&f);
	}
	/* the other way of a choice takes it all */
	choose(samples, 0, counts);
	estimate(&f, &choices[0].program, samples, false);
	assert_true(count(&f, 2) < 2);
	fixture__exit(&f);
}

/* A jump to an unknown address may lead to any block: those without a known jump to them stay as they are. */
static void jump_tables_lead_anywhere(void **state)
{
	static const struct program p[] = {
		{ EM_X86_64,
		  false,
		  BYTES(0xff, 0x24, 0xc5, 0, 0, 0, 0, 0x90, 0xc3, 0x90, 0x90, 0xc3, 0x90, 0xc3),
		  14,
		  NULL,
		  { { 0, 14 } } },
		{ EM_386,
		  false,
		  BYTES(0xff, 0x24, 0x85, 0, 0, 0, 0, 0x90, 0xc3, 0x90, 0x90, 0xc3, 0x90, 0xc3),
		  14,
		  NULL,
		  { { 0, 14 } } },
	};
	static const struct program arm = {
		/* br x1 */
		EM_AARCH64,
		false,
		BYTES(WORD(0xd61f0020), WORD(0xd65f03c0), WORD(0xd503201f), WORD(0xd65f03c0)),
		16,
		NULL,
		{ { 0, 16 } }
	};
	static const struct sampled samples[] = { { 0, 50 }, { 8, 40 }, { 9, 30 }, { 0, 0 } };
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(p); i++) {
		estimate(&f, &p[i], samples, false);
		assert_bounds(&f,
			      (const struct bounds[]){ { 0, 0 }, { 7, 8 }, { 9, 11 }, { 12, 13 }, { 0, 0 } });
		assert_near(count(&f, 0), 50, 0.1);
		assert_near(count(&f, 1), 20, 0.1);
		assert_near(count(&f, 2), 10, 0.1);
		assert_int_equal(f.blocks.v.v[3].nr, 0);
		fixture__exit(&f);
	}
	estimate(&f, &arm, samples, false);
	assert_bounds(&f, (const struct bounds[]){ { 0, 0 }, { 4, 4 }, { 8, 12 }, { 0, 0 } });
	assert_near(count(&f, 2), 35, 0.1);
	fixture__exit(&f);
}

/* No instruction begins like that: samples of such "code" are all that is known of it. */
static void data_is_no_code(void **state)
{
	static const struct program p = { EM_X86_64, false, BYTES(0x06, 0x06, 0x06, 0x06, 0x90, 0xc3),
					  6,         NULL,  { { 0, 4 }, { 4, 2 } } };
	static const struct sampled samples[] = { { 1, 40 }, { 4, 20 }, { 0, 0 } };
	struct fixture f;

	(void)state;
	estimate(&f, &p, samples, false);
	assert_bounds(&f, (const struct bounds[]){ { 0, 3 }, { 4, 5 }, { 0, 0 } });
	assert_near(count(&f, 0), 10, 0.1);
	assert_near(count(&f, 1), 10, 0.1);
	fixture__exit(&f);
}

static void assert_as_sampled(const struct program *p, const struct sampled *samples, bool as_sampled,
			      u64 unit)
{
	struct fixture f;

	estimate(&f, p, samples, as_sampled);
	assert_int_equal(f.use.nr_samples, f.use.nr_here + 1);
	for (size_t i = 0; samples[i].nr; i++) {
		assert_true(i < f.blocks.v.nr);
		assert_int_equal(f.blocks.v.v[i].from, CODE_AT + samples[i].at);
		assert_int_equal(f.blocks.v.v[i].to, CODE_AT + samples[i].at);
		assert_int_equal(f.blocks.v.v[i].nr, samples[i].nr * unit);
		assert_true(f.blocks.v.nr > i + 1 || !samples[i + 1].nr);
	}
	fixture__exit(&f);
}

static void samples_stay_where_nothing_is_estimated(void **state)
{
	static const struct sampled samples[] = { { 0, 7 }, { 4, 3 }, { 8, 100 }, { 0, 0 } };
	struct program p = choices[2].program;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(choices); i++)
		assert_as_sampled(&choices[i].program, samples, true, 1);
	/* code of other machines, and without a symbol */
	p.machine = EM_PPC64;
	assert_as_sampled(&p, samples, false, BLOCK_COUNT_UNIT);
	p.machine = EM_AARCH64;
	p.big_endian = true;
	assert_as_sampled(&p, samples, false, BLOCK_COUNT_UNIT);
	p.big_endian = false;
	p.functions[0] = (struct function){ 32, 4 };
	assert_as_sampled(&p, samples, false, BLOCK_COUNT_UNIT);
}

static void calls_are_known(void **state)
{
	static const struct program p[] = {
		{ EM_X86_64, false, BYTES(0xe8, 0, 0, 0, 0, 0x90, 0xff, 0xd0, 0xc3), 9, NULL, { { 0, 9 } } },
		{ EM_386, false, BYTES(0xe8, 0, 0, 0, 0, 0x90, 0xff, 0xd0, 0xc3), 9, NULL, { { 0, 9 } } },
		{ EM_AARCH64,
		  false,
		  BYTES(WORD(0x94000002), WORD(0xd503201f), WORD(0xd65f03c0)),
		  12,
		  NULL,
		  { { 0, 12 } } },
	};
	static const struct sampled samples[] = { { 0, 1 }, { 0, 0 } };
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(p); i++) {
		estimate(&f, &p[i], samples, false);
		assert_true(block_counts__is_call(&f.use, CODE_AT));
		assert_false(block_counts__is_call(&f.use, CODE_AT + (i < 2 ? 5 : 4)));
		assert_false(block_counts__is_call(&f.use, CODE_AT + 8));
		assert_false(block_counts__is_call(&f.use, CODE_AT + 0x100000));
		if (i < 2)
			assert_true(block_counts__is_call(&f.use, CODE_AT + 6));
		fixture__exit(&f);
	}
}

/* ---- odd files ---- */

/* Symbols inside of another one, as of code in assembly: each address is in one block. */
static void no_code_is_counted_twice(void **state)
{
	static const struct program p = {
		EM_X86_64, false, BYTES(0x90, 0x90, 0xeb, 0, 0x90, 0xc3, 0x90, 0x90, 0xc3),
		9,         NULL,  { { 0, 9 }, { 2, 2 }, { 4, 2 } }
	};
	static const struct sampled samples[] = { { 2, 10 }, { 4, 20 }, { 7, 30 }, { 0, 0 } };
	struct fixture f;

	(void)state;
	estimate(&f, &p, samples, false);
	for (size_t i = 0; i < f.blocks.v.nr; i++) {
		assert_true(f.blocks.v.v[i].from <= f.blocks.v.v[i].to);
		assert_true(!i || f.blocks.v.v[i].from > f.blocks.v.v[i - 1].to);
	}
	assert_near(count(&f, f.blocks.v.nr - 1), 10, 1);
	fixture__exit(&f);
}

/* Functions of more blocks than any that a compiler made: their samples are as they are. */
static void very_many_blocks_are_left(void **state)
{
	static const struct sampled samples[] = { { 0, 7 }, { 1000, 3 }, { 0, 0 } };
	enum { SIZE = 3 << 20 };
	u8 *code = malloc(SIZE);
	struct program p = { EM_X86_64, false, { 0 }, SIZE, code, { { 0, SIZE } } };

	(void)state;
	assert_non_null(code);
	memset(code, 0xc3, SIZE);
	assert_as_sampled(&p, samples, false, BLOCK_COUNT_UNIT);
	free(code);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_loop_keeps_its_count),
		cmocka_unit_test(both_ways_add_up),
		cmocka_unit_test(a_block_without_samples_gets_its_neighbours_count),
		cmocka_unit_test(jump_tables_lead_anywhere),
		cmocka_unit_test(data_is_no_code),
		cmocka_unit_test(samples_stay_where_nothing_is_estimated),
		cmocka_unit_test(calls_are_known),
		cmocka_unit_test(no_code_is_counted_twice),
		cmocka_unit_test(very_many_blocks_are_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
