/*
 * Write a recording with one sample at each address of a program or library, which need not run:
 *
 *	samples ELF-FILE <ADDRESSES >RECORDING
 *
 * Each line of ADDRESSES begins with a virtual address of the file, in decimal. The sample of line N has the
 * thread id N. The file is mapped as the dynamic linker maps it.
 */
#include <elf.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PID = 1, PAGE = 4096 };
static const uint64_t load_address = 0x7f0000000000;

struct section {
	uint64_t offset, size;
};

struct file_header { /* of perf.data */
	char magic[8];
	uint64_t size, attr_size;
	struct section attrs, data, event_types;
	uint64_t features[4];
};

static void add_map(FILE *out, const Elf64_Phdr *p, const char *path)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		uint64_t start, size, offset;
		char path[4096];
	} map = { .header = { .type = PERF_RECORD_MMAP, .misc = PERF_RECORD_MISC_USER },
		  .pid = PID,
		  .tid = PID };
	uint64_t before = p->p_vaddr % PAGE;

	map.start = load_address + p->p_vaddr - before;
	map.size = p->p_filesz + before;
	map.offset = p->p_offset - before;
	snprintf(map.path, sizeof(map.path), "%s", path);
	map.header.size = (uint16_t)(sizeof(map) - sizeof(map.path) + (strlen(map.path) / 8 + 1) * 8);
	fwrite(&map, map.header.size, 1, out);
}

static int add_maps(FILE *out, const char *path)
{
	char *full = realpath(path, NULL);
	FILE *in = full ? fopen(full, "r") : NULL;
	Elf64_Ehdr elf;
	Elf64_Phdr p;

	if (!in || fread(&elf, sizeof(elf), 1, in) != 1 || memcmp(elf.e_ident, ELFMAG, SELFMAG)) {
		fprintf(stderr, "samples: cannot read '%s'\n", path);
		return 1;
	}
	for (unsigned i = 0; i < elf.e_phnum; i++) {
		fseek(in, (long)(elf.e_phoff + i * sizeof(p)), SEEK_SET);
		if (fread(&p, sizeof(p), 1, in) == 1 && p.p_type == PT_LOAD && p.p_flags & PF_X)
			add_map(out, &p, full);
	}
	fclose(in);
	free(full);
	return 0;
}

static void add_samples(FILE *out)
{
	struct {
		struct perf_event_header header;
		uint64_t ip;
		uint32_t pid, tid;
	} sample = {
		.header = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(sample) },
		.pid = PID,
	};
	char line[256];

	while (fgets(line, sizeof(line), stdin)) {
		sample.ip = load_address + strtoull(line, NULL, 10);
		sample.tid++;
		fwrite(&sample, sizeof(sample), 1, out);
	}
}

int main(int argc, char **argv)
{
	struct file_header header = { "PERFILE2", .size = sizeof(header) };
	struct {
		struct perf_event_attr attr;
		struct section ids;
	} event = { .attr = { .type = PERF_TYPE_SOFTWARE,
			      .size = sizeof(event.attr),
			      .config = PERF_COUNT_SW_CPU_CLOCK,
			      .sample_period = 1,
			      .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID } };

	header.attr_size = sizeof(event);
	header.attrs = (struct section){ sizeof(header), sizeof(event) };
	header.data.offset = sizeof(header) + sizeof(event);
	fwrite(&header, sizeof(header), 1, stdout);
	fwrite(&event, sizeof(event), 1, stdout);
	if (argc != 2 || add_maps(stdout, argv[1]))
		return 1;
	add_samples(stdout);
	header.data.size = (uint64_t)ftell(stdout) - header.data.offset;
	rewind(stdout);
	fwrite(&header, sizeof(header), 1, stdout);
	return fflush(stdout) || ferror(stdout);
}
