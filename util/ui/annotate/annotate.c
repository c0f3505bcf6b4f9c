/* perf annotate: from the options to the output. */
#include "ui/annotate/annotate.h"

#include "base/command/pager.h"
#include "base/message/called_name.h"
#include "base/message/msg.h"
#include "base/message/word_list.h"
#include "base/system/thread.h"
#include "base/text/fold_name.h"
#include "binary/elf/debuginfod.h"
#include "profile/places/survey.h"
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
	struct pager pager;
	struct suggest near; /* of names of functions, for the one that was not found */
	struct arena names;  /* those that were offered to near */
	struct err err;
};

/* ---- options ---- */

static int annotate__parse(struct annotate *n)
{
	const struct annotate_args *a = n->args;

	n->opts.asks_objdump = true;
	n->opts.objdump = a->objdump;
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

	return !want || n->hot.inlined || !strcmp(want, symtab__name(&f->dso->symtab, f->sym)) ||
	       name__is(hot_function__name(&n->hot, f), want);
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

static void annotate__offer(struct annotate *n, const char *name)
{
	suggest__offer(&n->near, arena__strdup(&n->names, name));
}

/* Note the names of the functions that there are. */
static void annotate__offer_names(struct annotate *n)
{
	for (size_t i = 0; i < n->hot.v.nr && !n->hot.inlined; i++)
		annotate__offer(n, hot_function__name(&n->hot, &n->hot.v.v[i]));
	for (size_t i = 0; i < n->hot.places.inlined_names.nr; i++)
		annotate__offer(n, places__text(&n->hot.places, n->hot.places.inlined_names.v[i].text));
}

static int annotate__none(struct annotate *n)
{
	if (!n->args->symbol)
		return err__set(&n->err, -ENOENT, "'%s' has no samples in functions%s", n->args->input,
				n->args->filter.dsos ? " of these binaries" : "");
	err__set(&n->err, -ENOENT, "no sample of '%s' is in a function '%s'", n->args->input,
		 n->args->symbol);
	if (!err__suggest(&n->err, &n->near))
		err__advise(&n->err, "to see the functions: %s report -s symbol", called_name());
	return -ENOENT;
}

/* Return the number of functions to be shown. */
static size_t annotate__choose(struct annotate *n, bool *wanted)
{
	size_t nr = 0;

	for (size_t i = 0; i < n->hot.v.nr; i++) {
		const struct hot_function *f = &n->hot.v.v[i];

		wanted[i] = sample_filter__wants_dso(&n->filter, &n->session->machine.dsos, f->dso) &&
			    is_large(n, f) && is_named(n, f);
		nr += wanted[i];
	}
	return nr;
}

/* ---- output ---- */

static void annotate__show(struct annotate *n, const struct annotated *a, struct strbuf *out)
{
	const struct annotate_args *args = n->args;
	struct annotate_style style = args->style;

	if (a->no_code.text.len && args->skip_missing)
		return;
	style.lines &= !n->hot.inlined; /* annotate_text__add_inlined has them */
	if (!args->no_group) {
		annotate_text__add(out, &n->hot, a, n->events.v, (u32)n->events.nr, &style, &n->sources,
				   NULL);
		return;
	}
	for (size_t i = 0; i < n->events.nr; i++)
		if (hot_code__cost(&n->hot, a->function->costs, n->events.v[i])->nr)
			annotate_text__add(out, &n->hot, a, &n->events.v[i], 1, &style, &n->sources, NULL);
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
					   .spans = sample_filter__spans(&n->filter),
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

/* Show what was inlined of one function: first all of it, then the code in each function. */
static void annotate__print_inlined(struct annotate *n, const bool *wanted, struct strbuf *out)
{
	ARRAY(struct annotated) parts = { 0 };

	for (size_t i = 0; i < n->hot.v.nr; i++)
		if (wanted[i])
			annotated__init(array__push(&parts), &n->hot, &n->hot.v.v[i], &n->opts);
	annotate_text__add_inlined(out, &n->hot, parts.v, parts.nr, n->events.v[0], &n->args->style);
	for (size_t i = 0; i < parts.nr; i++) {
		annotate__show(n, &parts.v[i], out);
		annotated__exit(&parts.v[i]);
	}
	fwrite(out->buf, 1, out->len, stdout);
	array__exit(&parts);
}

static int annotate__print(struct annotate *n, const bool *wanted)
{
	struct strbuf out = STRBUF_INIT;
	struct annotated annotated;
	int ret = annotate__find_blocks(n, wanted);

	if (ret)
		return ret;
	hot_code__find_addresses(&n->hot, wanted);
	source_files__init(&n->sources, &n->session->symbolizer, &n->args->sources);
	if (!n->pager.pid)
		pager__start(&n->pager);
	if (n->hot.inlined)
		annotate__print_inlined(n, wanted, &out);
	for (size_t i = 0; i < n->hot.v.nr && !n->hot.inlined && !ferror(stdout); i++) {
		if (!wanted[i])
			continue;
		strbuf__reset(&out);
		annotated__init(&annotated, &n->hot, &n->hot.v.v[i], &n->opts);
		annotate__show(n, &annotated, &out);
		annotated__exit(&annotated);
		fwrite(out.buf, 1, out.len, stdout);
	}
	strbuf__exit(&out);
	source_files__exit(&n->sources);
	return 0;
}

/*
 * Show the functions that the options name. inlined: instead, show where this one was inlined; NULL: no.
 * Return -ENOENT if there are none.
 */
static int annotate__functions(struct annotate *n, const char *inlined)
{
	int ret = -ENOENT;
	bool *wanted;

	hot_code__init(&n->hot, &n->profile, NULL, inlined);
	n->events.nr = 0;
	for (u32 e = 0; e < n->hot.nr_events; e++)
		if (n->hot.totals[e].nr)
			array__add(&n->events, e);
	wanted = xcalloc(n->hot.v.nr + 1, sizeof(*wanted));
	if (annotate__choose(n, wanted))
		ret = annotate__print(n, wanted);
	else if (n->args->symbol)
		annotate__offer_names(n);
	free(wanted);
	hot_code__exit(&n->hot);
	return ret;
}

static int annotate__collect(struct annotate *n)
{
	const struct profile_opts opts = { .no_chains = true,
					   .cpus = sample_filter__cpus(&n->filter),
					   .spans = sample_filter__spans(&n->filter),
					   .nr_threads = thread__count(0) };
	int ret = profile__collect(&n->profile, n->session, &opts, &n->err), more;
	const char *symbol = n->args->symbol;
	char *inlined;

	if (ret)
		return ret;
	survey__rows(n->session, &n->profile.rows, symbol ? DWARF_WANTS_INLINED : 0, opts.nr_threads);
	suggest__init(&n->near, "", symbol ? symbol : "");
	ret = annotate__functions(n, NULL);
	/* Only the frames of the samples tell whether it is an inlined function, too. */
	if (symbol && (!ret || ret == -ENOENT)) {
		inlined = sample_filter__unmarked(symbol);
		more = annotate__functions(n, inlined);
		ret = more == -ENOENT ? ret : more;
		free(inlined);
	}
	if (ret == -ENOENT)
		annotate__none(n);
	pager__finish(&n->pager);
	symbolizer__wait(&n->session->symbolizer);
	profile__exit(&n->profile);
	arena__exit(&n->names);
	return ret;
}

static int annotate__run(struct annotate *n)
{
	const struct dump_opts dump = { .nr_threads = thread__count(0) };
	int ret;

	if (n->args->dump)
		return dump__run(n->session, &dump, STDOUT_FILENO, &n->err);
	ret = sample_filter__parse(&n->filter, &n->args->filter, n->session, &n->err);
	if (!ret)
		ret = weights_args__choose_spans(&n->args->spans, n->session, &n->filter, &n->err);
	if (ret)
		return ret;
	sample_filter__tell_spans(&n->filter, false);
	return annotate__collect(n);
}

int annotate__main(const struct annotate_args *a)
{
	struct annotate n = { .args = a, .pager = PAGER_INIT, .names = ARENA_INIT, .err = ERR_INIT };
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
