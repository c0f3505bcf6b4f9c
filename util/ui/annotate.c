/* perf annotate: from the options to the output. */
#include "ui/annotate.h"

#include "base/command/pager.h"
#include "base/message/called_name.h"
#include "base/message/msg.h"
#include "base/message/word_list.h"
#include "base/system/thread.h"
#include "binary/elf/debuginfod.h"
#include "profile/gather/survey.h"
#include "profile/keys/sample_filter.h"
#include "ui/dump/dump.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct annotate {
	const struct annotate_args *args;
	struct annotate_opts opts;
	struct session *session;
	struct sample_filter filter;
	struct profile profile;
	struct hot_code hot;
	struct source_files sources;
	ARRAY(u32) events; /* those with samples */
	struct err err;
};

/* ---- options ---- */

static int annotate__parse(struct annotate *n)
{
	const struct annotate_args *a = n->args;

	for (const char *word = a->syntax; word && *word; word += strcspn(word, ","), word += *word == ',') {
		size_t len = strcspn(word, ",");

		if ((len == 5 && !strncmp(word, "intel", len)) ||
		    (len == 14 && !strncmp(word, "intel-mnemonic", len)))
			n->opts.syntax = DISASM_INTEL;
		else if (len != 3 || strncmp(word, "att", len))
			return err__set(&n->err, -EINVAL, "-M: '%.*s' is neither 'intel' nor 'att'", (int)len,
					word);
	}
	return symbolize_opts__check(&a->symbols, &n->err);
}

/* ---- which functions ---- */

static bool is_named(struct annotate *n, const struct hot_function *f)
{
	const char *want = n->args->symbol;

	return !want || !strcmp(want, hot_function__name(&n->hot, f)) ||
	       !strcmp(want, symtab__name(&f->dso->symtab, f->sym));
}

static bool is_large(const struct annotate *n, const struct hot_function *f)
{
	const struct annotate_style all = { .global = true, .hits = n->args->style.hits };

	for (size_t i = 0; i < n->events.nr; i++) {
		u32 e = n->events.v[i];

		if (annotate__percent(&n->hot, f, e, hot_code__cost(&n->hot, f->costs, e), &all) >=
		    n->args->limit)
			return true;
	}
	return false;
}

static int annotate__none(struct annotate *n)
{
	struct suggest near;

	if (!n->args->symbol)
		return err__set(&n->err, -ENOENT, "'%s' has no samples in functions%s", n->args->input,
				n->args->dsos ? " of these binaries" : "");
	err__set(&n->err, -ENOENT, "no sample of '%s' is in a function '%s'", n->args->input,
		 n->args->symbol);
	suggest__init(&near, "", n->args->symbol);
	for (size_t i = 0; i < n->hot.v.nr; i++)
		suggest__offer(&near, hot_function__name(&n->hot, &n->hot.v.v[i]));
	if (!err__suggest(&n->err, &near))
		err__advise(&n->err, "to see the functions: %s report -s symbol", called_name());
	return -ENOENT;
}

static int annotate__choose(struct annotate *n, bool **wanted)
{
	size_t nr = 0;

	*wanted = xcalloc(n->hot.v.nr + 1, sizeof(**wanted));
	for (size_t i = 0; i < n->hot.v.nr; i++) {
		const struct hot_function *f = &n->hot.v.v[i];

		(*wanted)[i] = sample_filter__wants_dso(&n->filter, &n->session->machine.dsos, f->dso) &&
			       is_large(n, f) && is_named(n, f);
		nr += (*wanted)[i];
	}
	return nr ? 0 : annotate__none(n);
}

/* ---- output ---- */

static void annotate__show(struct annotate *n, const struct hot_function *f, struct strbuf *out)
{
	const struct annotate_args *a = n->args;
	struct annotated annotated;

	annotated__init(&annotated, &n->hot, f, &n->opts);
	if (annotated.no_code.text.len && a->skip_missing)
		goto out;
	if (!a->no_group) {
		annotate_text__add(out, &n->hot, &annotated, n->events.v, (u32)n->events.nr, &a->style,
				   &n->sources);
		goto out;
	}
	for (size_t i = 0; i < n->events.nr; i++)
		if (hot_code__cost(&n->hot, f->costs, n->events.v[i])->nr)
			annotate_text__add(out, &n->hot, &annotated, &n->events.v[i], 1, &a->style,
					   &n->sources);
out:
	annotated__exit(&annotated);
}

/* Find how control went through the functions, if the recording has branch stacks. */
static int annotate__find_blocks(struct annotate *n, const bool *wanted)
{
	const struct evlist *l = &n->session->reader->evlist;
	const struct profile_opts opts = { .no_chains = true,
					   .blocks = true,
					   .all_blocks = true,
					   .split = PROFILE_SPLIT_PREDICTION,
					   .cpus = sample_filter__cpus(&n->filter),
					   .nr_threads = thread__count(0) };
	struct profile blocks;
	int ret;

	if (!(evlist__sample_type_any(l) & PERF_SAMPLE_BRANCH_STACK) || evlist__has_lbr_chains(l))
		return 0;
	ret = profile__collect(&blocks, n->session, &opts, &n->err);
	if (ret)
		return ret;
	hot_code__find_blocks(&n->hot, &blocks, wanted);
	profile__exit(&blocks);
	return 0;
}

static int annotate__print(struct annotate *n)
{
	struct pager pager = PAGER_INIT;
	struct strbuf out = STRBUF_INIT;
	bool *wanted;
	int ret = annotate__choose(n, &wanted);

	if (!ret)
		ret = annotate__find_blocks(n, wanted);
	if (!ret) {
		hot_code__find_addresses(&n->hot, wanted);
		source_files__init(&n->sources, &n->session->symbolizer, &n->args->sources);
		pager__start(&pager);
	}
	for (size_t i = 0; !ret && i < n->hot.v.nr && !ferror(stdout); i++) {
		if (!wanted[i])
			continue;
		strbuf__reset(&out);
		annotate__show(n, &n->hot.v.v[i], &out);
		fwrite(out.buf, 1, out.len, stdout);
	}
	pager__finish(&pager);
	free(wanted);
	strbuf__exit(&out);
	source_files__exit(&n->sources);
	return ret;
}

static int annotate__collect(struct annotate *n)
{
	const struct annotate_args *a = n->args;
	const struct profile_opts opts = { .no_chains = true,
					   .cpus = sample_filter__cpus(&n->filter),
					   .nr_threads = thread__count(0) };
	int ret = profile__collect(&n->profile, n->session, &opts, &n->err);

	if (ret)
		return ret;
	survey__rows(n->session, &n->profile.rows, 0, opts.nr_threads);
	hot_code__init(&n->hot, &n->profile, NULL, a->symbols.no_demangle, a->demangle_kernel);
	for (u32 e = 0; e < n->hot.nr_events; e++)
		if (n->hot.totals[e].nr)
			array__add(&n->events, e);
	ret = annotate__print(n);
	symbolizer__settle(&n->session->symbolizer);
	hot_code__exit(&n->hot);
	profile__exit(&n->profile);
	return ret;
}

static int annotate__run(struct annotate *n)
{
	const struct dump_opts dump = { .nr_threads = thread__count(0) };
	const struct filter_args filter = { .dsos = n->args->dsos, .cpus = n->args->cpus };
	int ret;

	if (n->args->dump)
		return dump__run(n->session, &dump, STDOUT_FILENO, &n->err);
	ret = sample_filter__parse(&n->filter, &filter, n->session, &n->err);
	return ret ? ret : annotate__collect(n);
}

int annotate__main(const struct annotate_args *a)
{
	struct annotate n = { .args = a, .err = ERR_INIT };
	struct session_opts opts = { .reader = { .nr_threads = thread__count(0) },
				     .symbols = a->symbols,
				     .samples_follow = !a->dump };
	const struct debuginfod_opts servers = { .seconds = a->debuginfod_seconds };
	int ret = annotate__parse(&n);

	if (!ret && a->debuginfod_seconds && !(opts.symbols.debuginfod = debuginfod__new(&servers, &n.err)))
		ret = -ENOENT;
	if (!ret)
		ret = session__open(&n.session, a->input, &opts, &n.err);
	if (!ret)
		ret = annotate__run(&n);
	if (ret && ret != -EPIPE)
		error__print(&n.err);
	fflush(stdout);
	if (!ret)
		ret = session__tell_damage(n.session);
	array__exit(&n.events);
	sample_filter__exit(&n.filter);
	session__delete(n.session);
	debuginfod__delete(opts.symbols.debuginfod);
	err__exit(&n.err);
	return ret && ret != -EPIPE;
}
