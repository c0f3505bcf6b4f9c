/*
 * AutoFDO's file of counts, for gcc -fauto-profile=FILE. Numbers have 4 or 8 bytes, the lowest first; strings
 * are named by their index.
 *
 *	MAGIC VERSION 0
 *	SUMMARY                                  (version 3, as have what is in brackets)
 *	TAG_NAMES SIZE: [0] NR_STRINGS STRING... (0 files)
 *	TAG_FUNCTIONS SIZE: NR_FUNCTIONS (HEAD:8 [TIME:8] NAME BODY)...
 *	TAG_MODULES 4: 0
 *	STRING: SIZE BYTES... NUL [FILE]         (version 1: SIZE in words)
 *	BODY:   NR_POINTS NR_INLINED (SPOT NR_TARGETS COUNT:8 TARGET...)... (SPOT NAME BODY)...
 *	TARGET: TARGET_CALLS NAME:8 COUNT:8
 *	SPOT:   LINE << 16 | DISCRIMINATOR
 */
#include "base/memory/strpool.h"
#include "base/message/msg.h"
#include "binary/elf/compilers.h"
#include "pgo/pgo.h"
#include "pgo/source_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAGIC = 0x67636461, /* "gcda" */
	TARGET_CALLS = 7,
	GCC_DEFAULT = 15,
};

static const u32 tag_summary = 0xa8000000, tag_names = 0xaa000000, tag_functions = 0xac000000,
		 tag_modules = 0xae000000;
static const u32 no_file = UINT32_MAX;
static const u64 count_max = 1ull << 60; /* gcc has 61 bits for a count */

static const struct {
	unsigned first, last; /* major versions of gcc that read it */
	u32 version;
} versions[] = { { 5, 11, 1 }, { 12, 15, 2 }, { 16, 16, 3 } };

struct autofdo {
	u32 version;
	struct source_tree tree;
	struct strpool names;
	struct strbuf functions; /* contents of the section */
	ARRAY(u64) counts;       /* of points */
	u64 max_head;
};

/* ---- functions ---- */

static u64 limited(u64 nr)
{
	return MIN(nr, count_max);
}

static void add_spot(struct strbuf *out, struct source_spot s)
{
	strbuf__add_u32(out, s.line << 16 | s.discriminator);
}

static void autofdo__add_point(struct autofdo *a, const struct source_point *p)
{
	struct strbuf *out = &a->functions;

	add_spot(out, p->spot);
	strbuf__add_u32(out, p->nr_targets);
	strbuf__add_u64(out, limited(p->nr));
	array__add(&a->counts, limited(p->nr));
	for (u32 i = 0; i < p->nr_targets; i++) {
		const struct source_target *target = &a->tree.targets.v[p->first_target + i];

		strbuf__add_u32(out, TARGET_CALLS);
		strbuf__add_u64(out, strpool__intern(&a->names, target->name));
		strbuf__add_u64(out, limited(target->nr));
	}
}

static void autofdo__add_body(struct autofdo *a, const struct source_body *b)
{
	struct strbuf *out = &a->functions;

	strbuf__add_u32(out, b->nr_points);
	strbuf__add_u32(out, b->nr_inlined);
	for (u32 i = 0; i < b->nr_points; i++)
		autofdo__add_point(a, source_tree__point(&a->tree, b, i));
	for (u32 i = 0; i < b->nr_inlined; i++) {
		const struct source_body *inlined = source_tree__inlined(&a->tree, b, i);

		add_spot(out, inlined->call);
		strbuf__add_u32(out, strpool__intern(&a->names, inlined->name));
		autofdo__add_body(a, inlined);
	}
}

static void autofdo__add_functions(struct autofdo *a)
{
	strbuf__add_u32(&a->functions, (u32)a->tree.functions.nr);
	for (size_t i = 0; i < a->tree.functions.nr; i++) {
		const struct source_body *b = &a->tree.v.v[a->tree.functions.v[i]];
		u64 head = limited(MAX(b->head, (u64)1)); /* 0: gcc takes the whole function for cold */

		strbuf__add_u64(&a->functions, head);
		a->max_head = MAX(a->max_head, head);
		if (a->version == 3)
			strbuf__add_u64(&a->functions, 0); /* when it first ran: unknown */
		strbuf__add_u32(&a->functions, strpool__intern(&a->names, b->name));
		autofdo__add_body(a, b);
	}
}

/* ---- names ---- */

static void autofdo__add_name(const struct autofdo *a, struct strbuf *out, const char *name)
{
	size_t size = strlen(name) + 1, padding = a->version == 1 ? -size & 3 : 0;

	strbuf__add_u32(out, (u32)(a->version == 1 ? (size + padding) / 4 : size));
	strbuf__add(out, name, size);
	strbuf__addchars(out, '\0', padding);
	if (a->version == 3)
		strbuf__add_u32(out, no_file);
}

static void autofdo__list_names(const struct autofdo *a, struct strbuf *out)
{
	if (a->version == 3)
		strbuf__add_u32(out, 0); /* files */
	strbuf__add_u32(out, (u32)a->names.strings.nr);
	for (size_t i = 0; i < a->names.strings.nr; i++)
		autofdo__add_name(a, out, a->names.strings.v[i]);
}

/* ---- the summary ---- */

static int compare_counts(const void *x, const void *y)
{
	const u64 *a = x, *b = y;

	return (*a < *b) - (*a > *b);
}

/*
 * How many points, the largest first, have a part of all counts, and the smallest count of them: gcc takes
 * those of 99.9% for hot.
 */
static void autofdo__add_summary(struct autofdo *a, struct strbuf *out)
{
	/* parts of a million: as LLVM's summaries have them */
	static const u32 parts[] = { 10000,  100000, 200000, 300000, 400000, 500000, 600000, 700000,
				     800000, 900000, 950000, 990000, 999000, 999900, 999990, 999999 };
	double total = 0, sum = 0;
	size_t nr = 0;

	if (a->counts.nr)
		qsort(a->counts.v, a->counts.nr, sizeof(u64), compare_counts);
	for (size_t i = 0; i < a->counts.nr; i++)
		total += (double)a->counts.v[i];
	strbuf__add_u32(out, tag_summary);
	strbuf__add_u64(out, limited((u64)total));
	strbuf__add_u64(out, a->counts.nr ? a->counts.v[0] : 0);
	strbuf__add_u64(out, a->max_head);
	strbuf__add_u64(out, a->counts.nr);
	strbuf__add_u64(out, a->tree.functions.nr);
	strbuf__add_u64(out, ARRAY_SIZE(parts));
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		while (nr < a->counts.nr && sum < total * parts[i] / 1e6)
			sum += (double)a->counts.v[nr++];
		strbuf__add_u32(out, parts[i]);
		strbuf__add_u64(out, nr ? a->counts.v[nr - 1] : 0);
		strbuf__add_u64(out, nr);
	}
}

/* ---- the version ---- */

/* Return the major version of gcc that shall read the profile, or 0 with err. */
static unsigned choose_gcc(const struct code_use *u, struct err *err)
{
	const struct dso *dso = u->dso;
	struct compilers c = { 0 };
	unsigned long gcc;
	char *end;

	if (u->args->gcc) {
		gcc = strtoul(u->args->gcc, &end, 10);
		if (end == u->args->gcc || (*end && *end != '.') || !gcc || gcc > 999) {
			err__set(err, -EINVAL, "--gcc is a version, such as 14, not '%s'", u->args->gcc);
			return 0;
		}
		return (unsigned)gcc;
	}
	if (dso->file)
		compilers__read(&c, dso->file, &dso->build_id, dso->root, &dso->places);
	if (c.clang)
		warning("clang compiled %s or a part of it: for clang, use --format %s",
			dso__short_name(&u->session->machine.dsos, dso), pgo_sample_profile.name);
	return c.gcc ? c.gcc : GCC_DEFAULT;
}

static int choose_version(const struct code_use *u, u32 *version, struct err *err)
{
	unsigned gcc = choose_gcc(u, err);
	int ret;

	if (!gcc)
		return -EINVAL;
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++)
		if (gcc >= versions[i].first && gcc <= versions[i].last) {
			*version = versions[i].version;
			return 0;
		}
	ret = err__set(err, -EOPNOTSUPP, "the profiles of gcc %u are unknown here", gcc);
	err__advise(err, "if gcc 5 to 16 shall read it, name its version: --gcc %u", GCC_DEFAULT);
	return ret;
}

/* ---- the file ---- */

static void add_section(struct export_out *out, u32 tag, const struct strbuf *contents)
{
	strbuf__add_u32(&out->text, tag);
	strbuf__add_u32(&out->text, (u32)contents->len);
	export_out__add(out, contents->buf, contents->len);
}

static int autofdo__finish(struct autofdo *a, struct export_out *out, struct err *err)
{
	struct strbuf names = STRBUF_INIT;
	int ret = 0;

	autofdo__list_names(a, &names);
	if (names.len > UINT32_MAX || a->functions.len > UINT32_MAX) {
		ret = err__set(err, -EFBIG, "the profile is too large for its format");
	} else {
		strbuf__add_u32(&out->text, MAGIC);
		strbuf__add_u32(&out->text, a->version);
		strbuf__add_u32(&out->text, 0);
		if (a->version == 3)
			autofdo__add_summary(a, &out->text);
		add_section(out, tag_names, &names);
		add_section(out, tag_functions, &a->functions);
		strbuf__add_u32(&out->text, tag_modules);
		strbuf__add_u32(&out->text, 4);
		strbuf__add_u32(&out->text, 0);
	}
	strbuf__exit(&names);
	return ret;
}

static int autofdo__write(const struct code_use *u, struct export_out *out, struct err *err)
{
	const struct source_tree_opts opts = { .gcc_names = true, .only_pointers = true };
	struct autofdo a = { .functions = STRBUF_INIT };
	int ret = choose_version(u, &a.version, err);

	if (!ret)
		ret = source_tree__build(&a.tree, u, &opts, err);
	if (ret)
		return ret;
	strpool__init(&a.names);
	autofdo__add_functions(&a);
	ret = autofdo__finish(&a, out, err);
	array__exit(&a.counts);
	strbuf__exit(&a.functions);
	strpool__exit(&a.names);
	source_tree__exit(&a.tree);
	return ret;
}

static void autofdo__lacks(const struct code_use *u, struct strbuf *lines)
{
	const struct dso *dso = u->dso;
	struct compilers c;

	code_use__lacks_branches(u, lines);
	if (!dso->file)
		return;
	compilers__read(&c, dso->file, &dso->build_id, dso->root, &dso->places);
	if (c.clang)
		strbuf__addstr(lines, "clang compiled it, or a part of it\n");
	else if (!c.gcc)
		strbuf__addstr(lines, "gcc did not compile it\n");
}

const struct pgo_format pgo_autofdo = {
	.name = "autofdo",
	.suffix = ".afdo",
	.help = "of a program, for gcc -fauto-profile",
	.needs_lines = true,
	.write = autofdo__write,
	.lacks = autofdo__lacks,
};
