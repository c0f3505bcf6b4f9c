/*
 * Any bytes for the section of stored code: what was read is inside of the input, and every lookup ends.
 * Seeds: see seeds_code_section. The first byte of an input says which byte order it is of.
 */
#include "format/file/code_section.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_inside(const struct code_section *c, const void *p, size_t size)
{
	const char *at = p, *begin = c->content.buf, *end = begin + c->content.len;

	if (at < begin || at > end || size > (size_t)(end - at))
		__builtin_trap();
}

static void sources(const struct code_section *c, const struct code_entry *e)
{
	struct stored_source run;

	for (size_t i = 0; i < e->sources.nr; i++) {
		const struct source_excerpt_chunk *s = code_entry__find_source(e, e->sources.v[i].file);

		for (u32 k = 0; s && k < s->nr_runs; k++)
			if (source_excerpt__run(s, k, &run))
				check_inside(c, run.text, run.size);
	}
}

static void entry(const struct code_section *c, const struct code_entry *e)
{
	struct names_address lines;
	struct code_ref ref;
	u64 addr;

	for (size_t i = 0; i < e->functions.nr; i++) {
		const struct stored_function *f = &e->functions.v[i], *found = code_entry__find(e, f->start);

		if (!found || f->start + f->size < f->start)
			__builtin_trap();
		check_inside(c, f->code, f->size);
		for (u64 k = 0; k < 64 && k < f->size; k++)
			if (code_entry__find_lines(e, f->start + k, &lines))
				for (u32 n = 0; n < lines.nr; n++)
					names_lines__frame(&e->lines, lines.first + n);
		code_entry__find_addr(e, f->vaddr, &addr);
	}
	for (u64 vaddr = 0; vaddr < 512; vaddr++)
		for (int is_data = 0; is_data < 2; is_data++)
			if (code_entry__find_ref(e, vaddr * 8, is_data, &ref))
				check_inside(c, ref.name, strlen(ref.name) + 1);
	sources(c, e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct code_section c;
	struct code_summary s;

	if (!size)
		return 0;
	code_section__summary(data + 1, size - 1, data[0] & 1, &s);
	code_section__read(&c, data + 1, size - 1, data[0] & 1, NULL);
	for (size_t i = 0; i < c.entries.nr; i++)
		entry(&c, &c.entries.v[i]);
	code_section__exit(&c);
	return 0;
}
