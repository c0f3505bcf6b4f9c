/*
 * A process that pretends to be a Java virtual machine: fake_jvm FILE HOW SECONDS
 * It ends after these seconds, or when there is a file "stop".
 * FILE becomes a library whose tables describe code that is called all the time. HOW: honest, or a lie, see
 * fill().
 */
#include <elf.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
	IMAGE = 1 << 20,
	AT_SYMBOLS = 0x400,
	AT_NAMES = 0x800,
	AT_VALUES = 0x1000,
	AT_STRUCTS = 0x2000,
	AT_TYPES = 0x4000,
	AT_TEXTS = 0x5000,
	AT_HEAP = 0x10000,
	AT_METHODS = 0x20000, /* 0x400 bytes each */
	HEAP = 1 << 20,
	SEGMENT = 128,
	BLOCK = 4096, /* bytes of a piece of code */
	BLOCKS = HEAP / BLOCK,
};

static char *image, *heap, *map;
static size_t texts, structs, types, symbols, names;

static void put(void *to, uint64_t x, size_t size)
{
	memcpy(to, &x, size);
}

static uint64_t text(const char *s)
{
	char *at = image + AT_TEXTS + texts;

	strcpy(at, s);
	texts += strlen(s) + 1;
	return (uintptr_t)at;
}

static void symbol(const char *name, uint64_t value)
{
	Elf64_Sym s = { .st_name = (uint32_t)names,
			.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
			.st_shndx = 5,
			.st_value = AT_VALUES + 8 * symbols,
			.st_size = 8 };

	strcpy(image + AT_NAMES + names, name);
	memcpy(image + AT_SYMBOLS + sizeof(s) * symbols++, &s, sizeof(s));
	put(image + s.st_value, value, 8);
	names += strlen(name) + 1;
}

/* An entry of the table; at: offset in the object, or address */
static void field(const char *type, const char *name, const char *form, uint64_t at)
{
	char *e = image + AT_STRUCTS + 48 * structs++;
	int is_static = at > IMAGE;

	put(e, text(type), 8);
	put(e + 8, text(name), 8);
	put(e + 16, form ? text(form) : 0, 8);
	put(e + 24, (uint64_t)is_static, 4);
	put(e + 32, is_static ? 0 : at, 8);
	put(e + 40, is_static ? at : 0, 8);
}

static void type(const char *name, uint64_t size)
{
	char *e = image + AT_TYPES + 40 * types++;

	put(e, text(name), 8);
	put(e + 24, size, 8);
}

static void tables(void)
{
	static const struct {
		const char *type, *name, *form;
		uint64_t at;
	} fields[] = {
		{ "GrowableArrayBase", "_len", "int", 0 },
		{ "GrowableArray<int>", "_data", "int*", 8 },
		{ "CodeHeap", "_memory", NULL, 0 },
		{ "CodeHeap", "_segmap", NULL, 32 },
		{ "CodeHeap", "_log2_segment_size", "int", 64 },
		{ "VirtualSpace", "_low", "char*", 0 },
		{ "VirtualSpace", "_high", "char*", 8 },
		{ "HeapBlock::Header", "_length", "uint32_t", 0 },
		{ "HeapBlock::Header", "_used", "bool", 4 },
		{ "CodeBlob", "_name", "const char*", 0 },
		{ "CodeBlob", "_size", "int", 8 },
		{ "CodeBlob", "_frame_size", "int", 12 },
		{ "CodeBlob", "_frame_complete_offset", "int", 16 },
		{ "CodeBlob", "_code_offset", "int", 20 },
		{ "CodeBlob", "_data_offset", "int", 24 },
		{ "nmethod", "_method", "Method*", 32 },
		{ "nmethod", "_compile_id", "int", 40 },
		{ "Method", "_constMethod", "ConstMethod*", 8 },
		{ "ConstMethod", "_constants", "ConstantPool*", 0 },
		{ "ConstMethod", "_constMethod_size", "int", 8 },
		{ "ConstMethod", "_code_size", "u2", 12 },
		{ "ConstMethod", "_name_index", "u2", 14 },
		{ "ConstMethod", "_signature_index", "u2", 16 },
		{ "ConstantPool", "_pool_holder", "InstanceKlass*", 0 },
		{ "ConstantPool", "_length", "int", 8 },
		{ "Klass", "_name", "Symbol*", 8 },
		{ "Symbol", "_length", "u2", 0 },
		{ "Symbol", "_body", NULL, 2 },
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		field(fields[i].type, fields[i].name, fields[i].form, fields[i].at);
	field("CodeCache", "_heaps", "GrowableArray<CodeHeap*>*", (uintptr_t)image + AT_HEAP);
	type("ConstMethod", 24);
	type("ConstantPool", 16);
	type("HeapBlock", 8);
	type("nmethod", 64);
}

static void library(void)
{
	const uint64_t base = (uintptr_t)image;
	Elf64_Ehdr h = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB },
			 .e_phoff = sizeof(h),
			 .e_phentsize = sizeof(Elf64_Phdr),
			 .e_phnum = 1 };
	const Elf64_Phdr p = { .p_type = PT_DYNAMIC, .p_vaddr = 0x200 };
	const Elf64_Dyn d[] = { { .d_tag = DT_STRTAB, .d_un.d_ptr = base + AT_NAMES },
				{ .d_tag = DT_SYMTAB, .d_un.d_ptr = base + AT_SYMBOLS } };

	memcpy(image, &h, sizeof(h));
	memcpy(image + sizeof(h), &p, sizeof(p));
	memcpy(image + 0x200, d, sizeof(d));
	symbol("gHotSpotVMStructs", base + AT_STRUCTS);
	symbol("gHotSpotVMStructEntryTypeNameOffset", 0);
	symbol("gHotSpotVMStructEntryFieldNameOffset", 8);
	symbol("gHotSpotVMStructEntryTypeStringOffset", 16);
	symbol("gHotSpotVMStructEntryIsStaticOffset", 24);
	symbol("gHotSpotVMStructEntryOffsetOffset", 32);
	symbol("gHotSpotVMStructEntryAddressOffset", 40);
	symbol("gHotSpotVMStructEntryArrayStride", 48);
	symbol("gHotSpotVMTypes", base + AT_TYPES);
	symbol("gHotSpotVMTypeEntryTypeNameOffset", 0);
	symbol("gHotSpotVMTypeEntrySizeOffset", 24);
	symbol("gHotSpotVMTypeEntryArrayStride", 40);
	tables();
}

static void name(char *at, const char *s, size_t size)
{
	put(at, size, 2);
	memcpy(at + 2, s, strlen(s));
}

/* Piece of code nr, with its method: each a loop that ends with ret. */
static void piece(unsigned nr, const char *method_name, size_t name_size)
{
	static const char code[] = "\xb9\x00\x40\x00\x00\xff\xc9\x75\xfc\xc3";
	char *block = heap + nr * BLOCK, *blob = block + 8, *method = image + AT_METHODS + nr * 0x400;

	for (unsigned i = 0; i < BLOCK / SEGMENT; i++)
		map[nr * (BLOCK / SEGMENT) + i] = (char)(i ? 1 : 0);
	put(block, BLOCK / SEGMENT, 4);
	block[4] = 1;
	put(blob, text(nr % 2 ? "nmethod" : "native nmethod"), 8);
	put(blob + 8, BLOCK - 8, 4);
	put(blob + 12, 2, 4);
	put(blob + 16, 0, 4);
	put(blob + 20, 128, 4);
	put(blob + 24, 2048, 4);
	put(blob + 32, (uintptr_t)method, 8);
	put(blob + 40, nr, 4);
	memcpy(blob + 128, code, sizeof(code));
	put(method + 8, (uintptr_t)method + 0x40, 8);    /* ConstMethod */
	put(method + 0x40, (uintptr_t)method + 0x80, 8); /* ConstantPool */
	put(method + 0x48, 8, 4);
	put(method + 0x4c, 16, 2);
	put(method + 0x4e, 1, 2);
	put(method + 0x50, 2, 2);
	put(method + 0x80, (uintptr_t)method + 0x100, 8); /* Klass */
	put(method + 0x88, 3, 4);
	put(method + 0x90 + 8, (uintptr_t)method + 0x140, 8);
	put(method + 0x90 + 16, (uintptr_t)method + 0x200, 8);
	put(method + 0x108, (uintptr_t)method + 0x240, 8);
	name(method + 0x140, method_name, name_size);
	name(method + 0x200, "()V", 3);
	name(method + 0x240, "fake/Class", 10);
}

static int is(const char *how, const char *what)
{
	return !strcmp(how, what);
}

static void fill(const char *how)
{
	uint64_t list = (uintptr_t)image + AT_HEAP + 0x100, of = list + 0x100;
	const char *method = is(how, "escapes") ? "run\033[31m\n\r" : "run";

	library();
	put(image + AT_HEAP, list, 8);
	put((char *)list, is(how, "huge") ? INT32_MAX : 1, 4);
	put((char *)list + 8, list + 0x40, 8);
	put((char *)list + 0x40, of, 8);
	put((char *)of, (uintptr_t)heap, 8);
	put((char *)of + 8, is(how, "huge") ? UINT64_MAX / 2 : (uintptr_t)heap + HEAP, 8);
	put((char *)of + 32, (uintptr_t)map, 8);
	put((char *)of + 64, 7, 4);
	for (unsigned i = 0; i < BLOCKS; i++)
		piece(i, method, is(how, "huge") ? 0xffff : strlen(method));
	if (is(how, "loops")) /* each byte leads back by one, beyond the first */
		memset(map, 1, HEAP / SEGMENT);
	if (is(how, "endless")) { /* tables that go on through all of the memory, to texts without an end */
		for (uint64_t *w = (void *)(image + AT_STRUCTS); w < (uint64_t *)(image + IMAGE); w++)
			*w = (uintptr_t)image + AT_TEXTS;
		memset(image + AT_TEXTS, 'A', IMAGE - AT_TEXTS);
	}
	if (is(how, "gigabytes")) { /* all addresses lead into 64 GB of nothing */
		char *nothing = mmap(NULL, 1ull << 36, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		put((char *)of + 32, (uintptr_t)nothing, 8);
		put((char *)of + 8, UINT64_MAX, 8);
		for (unsigned i = 0; i < BLOCKS; i++) {
			put(heap + i * BLOCK, UINT32_MAX, 4);
			put(image + AT_METHODS + i * 0x400 + 8, (uintptr_t)nothing + i * (1ull << 27), 8);
		}
	}
}

static unsigned next(unsigned *seed)
{
	return (*seed = *seed * 1103515245 + 12345) >> 8;
}

/* Change tables, heads and methods while they are read; the code itself stays. */
static void *change(void *how)
{
	unsigned seed = 1, rounds = 0;

	for (;;) {
		unsigned at = next(&seed), nr = next(&seed) % BLOCKS;
		volatile char *to = is(how, "reborn") ? heap + nr * BLOCK + 8 + 40
				    : at % 3 == 0     ? image + at % IMAGE
				    : at % 3 == 1     ? heap + nr * BLOCK + at % 64
						      : map + at % (HEAP / SEGMENT);
		char old = *to;

		*to = (char)next(&seed);
		if (is(how, "changing") && at % 8) /* mostly right */
			*to = old;
		if (++rounds % 50000 == 0) /* perf reads while this changes, and while it does not */
			usleep(500);
	}
	return NULL;
}

static void *get(size_t size, int fd)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE | PROT_EXEC,
		       MAP_PRIVATE | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);

	if (p == MAP_FAILED) {
		perror("fake_jvm: mmap");
		exit(1);
	}
	return p;
}

/* The segment map is memory whose pages never come. Not permitted: the map stays right. */
static void stall(char *heap_object)
{
	const size_t size = HEAP / SEGMENT;
	char *never = get(size, -1);
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register r = { .range = { (uintptr_t)never, size },
				     .mode = UFFDIO_REGISTER_MODE_MISSING };

	if (fd >= 0 && !ioctl(fd, UFFDIO_API, &api) && !ioctl(fd, UFFDIO_REGISTER, &r))
		put(heap_object + 32, (uintptr_t)never, 8);
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc == 4 ? atoi(argv[3]) : 0);
	unsigned seed = 1;
	pthread_t thread;
	int fd;

	fd = argc == 4 ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0755) : -1;
	if (fd < 0 || ftruncate(fd, IMAGE))
		return 1;
	image = get(IMAGE, fd);
	heap = get(HEAP, -1);
	map = get(HEAP / SEGMENT, -1);
	fill(argv[2]);
	if ((is(argv[2], "changing") || is(argv[2], "garbage") || is(argv[2], "reborn")) &&
	    pthread_create(&thread, NULL, change, argv[2]))
		return 1;
	if (is(argv[2], "stall"))
		stall(image + AT_HEAP + 0x200);
	puts("ready");
	fflush(stdout);
	while (time(NULL) < end && access("stop", F_OK)) {
		for (unsigned i = 0; i < 100; i++)
			((void (*)(void))(uintptr_t)(heap + next(&seed) % BLOCKS * BLOCK + 8 + 128))();
		usleep(5000); /* each call takes some 10 us */
	}
	puts("done");
	return 0;
}
