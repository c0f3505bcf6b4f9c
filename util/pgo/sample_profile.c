/*
 * LLVM's text sample profile, for clang -fprofile-sample-use=FILE and others that build on LLVM.
 * (llvm/include/llvm/ProfileData/SampleProfReader.h)
 *
 *	FUNCTION:TOTAL:HEAD
 *	 LINE[.DISCRIMINATOR]: COUNT [CALLED:COUNT ...]
 *	 LINE[.DISCRIMINATOR]: INLINED:TOTAL
 *	  ...
 */
#include "pgo/pgo.h"
#include "pgo/source_tree.h"

#include <ctype.h>

/*
 * A name with these characters would be read as something else: a count, a comment, a list of callers. There
 * is no way to quote one.
 */
static bool is_writable(const char *name)
{
	if (isdigit((u8)*name) || *name == '#' || *name == '[')
		return false;
	for (const char *p = name; *p; p++)
		if ((u8)*p <= ' ' || *p == ':' || *p == 0x7f)
			return false;
	return *name;
}

static void add_name(struct strbuf *out, const char *before, const char *name, u64 nr)
{
	strbuf__addstr(out, before);
	strbuf__add_masked(out, name);
	strbuf__addf(out, ":%llu", (unsigned long long)nr);
}

static void add_spot(struct strbuf *out, u32 depth, struct source_spot s)
{
	strbuf__addf(out, "%*s%u", (int)depth, "", s.line);
	if (s.discriminator)
		strbuf__addf(out, ".%u", s.discriminator);
	strbuf__addstr(out, ": ");
}

static void add_point(struct strbuf *out, const struct source_tree *t, const struct source_point *p,
		      u32 depth)
{
	add_spot(out, depth, p->spot);
	strbuf__addf(out, "%llu", (unsigned long long)p->nr);
	for (u32 i = 0; i < p->nr_targets; i++) {
		const struct source_target *target = &t->targets.v[p->first_target + i];

		if (is_writable(target->name))
			add_name(out, " ", target->name, target->nr);
	}
	strbuf__addch(out, '\n');
}

static void add_body(struct export_out *out, const struct source_tree *t, const struct source_body *b,
		     u32 depth)
{
	for (u32 i = 0; i < b->nr_points; i++)
		add_point(&out->text, t, source_tree__point(t, b, i), depth);
	for (u32 i = 0; i < b->nr_inlined; i++) {
		const struct source_body *inlined = source_tree__inlined(t, b, i);

		if (!is_writable(inlined->name))
			continue;
		add_spot(&out->text, depth, inlined->call);
		add_name(&out->text, "", inlined->name, inlined->total);
		strbuf__addch(&out->text, '\n');
		add_body(out, t, inlined, depth + 1);
	}
	export_out__flow(out);
}

static int sample_profile__write(const struct code_use *u, struct export_out *out, struct err *err)
{
	const struct source_tree_opts opts = { .llvm_discriminators = true, .sum_of_calls = true };
	struct source_tree t;
	int ret = source_tree__build(&t, u, &opts, err);

	if (ret)
		return ret;
	for (size_t i = 0; i < t.functions.nr; i++) {
		const struct source_body *b = &t.v.v[t.functions.v[i]];

		if (!is_writable(b->name))
			continue;
		add_name(&out->text, "", b->name, b->total);
		strbuf__addf(&out->text, ":%llu\n", (unsigned long long)b->head);
		add_body(out, &t, b, 1);
	}
	source_tree__exit(&t);
	return 0;
}

static void sample_profile__lacks(const struct code_use *u, struct strbuf *lines)
{
	const struct source_tree_opts opts = { .llvm_discriminators = true };
	struct source_tree t;
	bool has_discriminators = false;

	code_use__lacks_branches(u, lines);
	if (source_tree__build(&t, u, &opts, NULL)) {
		strbuf__addstr(lines, "no line of the code that ran is known: compile all of it with -g\n");
		return;
	}
	for (size_t i = 0; i < t.points.nr; i++)
		has_discriminators |= t.points.v[i].spot.discriminator != 0;
	if (!has_discriminators)
		strbuf__addstr(lines, "no discriminators: compile with -fdebug-info-for-profiling\n");
	source_tree__exit(&t);
}

const struct pgo_format pgo_sample_profile = {
	.name = "sample-profile",
	.suffix = ".prof",
	.help = "of a program, for clang -fprofile-sample-use",
	.is_text = true,
	.needs_lines = true,
	.write = sample_profile__write,
	.lacks = sample_profile__lacks,
};
