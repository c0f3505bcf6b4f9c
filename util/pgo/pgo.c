#include "pgo/pgo.h"

#include "base/message/msg.h"
#include "base/system/file.h"
#include "base/system/thread.h"
#include "binary/symbols/elf_raw.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const struct pgo_format *const pgo_formats[] = { &pgo_sample_profile, &pgo_autofdo, &pgo_bolt,
						 &pgo_symbol_order, NULL };

void pgo_formats__list(struct strbuf *out)
{
	for (size_t i = 0; pgo_formats[i]; i++)
		strbuf__addf(out, "%-15s %-17s %s\n", pgo_formats[i]->name, pgo_formats[i]->suffix,
			     pgo_formats[i]->help);
}

const struct pgo_format *pgo_format__of(const struct export_args *a)
{
	for (size_t i = 0; pgo_formats[i]; i++) {
		const char *suffix = pgo_formats[i]->suffix;
		size_t len = a->output ? strlen(a->output) : 0, n = strlen(suffix);

		if (a->format ? !strcmp(a->format, pgo_formats[i]->name)
			      : len > n && !strcmp(a->output + len - n, suffix))
			return pgo_formats[i];
	}
	return NULL;
}

/* Say why a binary has no lines. */
static int explain_no_lines(struct session *s, struct dso *dso, struct err *err)
{
	struct elf_raw raw = { 0 };
	int ret = symbolizer__find_file(&s->symbolizer, dso, err);

	if (!ret)
		ret = elf_raw__open(&raw, dso->root, dso->file, &dso->build_id, err);
	elf_raw__close(&raw);
	if (!ret) {
		ret = err__set(err, -ENODATA, "'%s' has no debug information here",
			       dso__long_name(&s->machine.dsos, dso));
		err__advise(err, "compile it with -g; if it is elsewhere, name its folder: --symfs");
	} else {
		err__advise(err, "a profile is only right for the build that was recorded: keep its binary, "
				 "and name its folder: --symfs");
	}
	return ret;
}

/* Is the binary here, the one that was recorded, with what the format needs? */
static int check_binary(struct session *s, struct dso *dso, const struct pgo_format *f, struct err *err)
{
	if (!f->needs_lines || symbolizer__lines(&s->symbolizer, dso))
		return 0;
	return explain_no_lines(s, dso, err);
}

/* Say what the profile is of. */
static int tell(const struct code_use *u, const struct pgo_format *f)
{
	const struct dsos *dsos = &u->session->machine.dsos;

	info("%s of %s: %llu %s of %s, %.0f%% of all", f->name, dso__short_name(dsos, u->dso),
	     (unsigned long long)u->nr_here, u->has_branches ? "branches" : "samples", u->event,
	     100.0 * (double)u->nr_here / (double)u->nr_samples);
	if (u->nr_left_out)
		info("%llu samples of other events were left out; -e names events",
		     (unsigned long long)u->nr_left_out);
	return session__tell_damage(u->session);
}

static int check_args(const struct export_args *a, const struct pgo_format *f, struct err *err)
{
	if (a->filter.symbols || a->redact || a->labels)
		return err__set(err, -EINVAL, "--%s is not for %s",
				a->filter.symbols ? "symbols"
				: a->redact       ? "redact"
						  : "labels",
				f->name);
	if (a->weights.blocked_by || a->weights.critical_path)
		return err__set(err, -EINVAL, "%s is not for %s", weights_args__option(&a->weights), f->name);
	if (a->gcc && f != &pgo_autofdo)
		return err__set(err, -EINVAL, "--gcc is for %s only", pgo_autofdo.name);
	if (!a->output && !f->is_text && isatty(STDOUT_FILENO))
		return err__set(err, -EINVAL, "%s is not for a terminal; name a file: -o prof%s", f->name,
				f->suffix);
	return symbolize_opts__check(&a->symbols_of, err);
}

static int write_profile(const struct export_args *a, const struct pgo_format *f, const struct code_use *u,
			 struct err *err)
{
	struct export_out out;
	int ret = export_out__open(&out, a->output, u->session->reader->output_mode, false, err);

	if (ret)
		return ret;
	ret = f->write(u, &out, err);
	if (export_out__close(&out, !ret, ret ? NULL : err))
		ret = -EIO;
	return ret;
}

/* Open the recording and count its samples. Return 0, or a negative errno with err. */
static int open_use(const struct export_args *a, struct session **s, struct code_use *u, struct err *err)
{
	const struct session_opts opts = { .reader = { .nr_threads = thread__count(a->threads) },
					   .symbols = a->symbols_of,
					   .samples_follow = true };
	int ret = session__open(s, a->input, &opts, err);

	if (!ret && a->output && file__is_same((*s)->reader->path, a->output))
		ret = err__set(err, -EINVAL, "'%s' is the input: choose another output", a->output);
	return ret ? ret : code_use__collect(u, *s, a, err);
}

int pgo__run(const struct export_args *a, const struct pgo_format *f)
{
	struct session *s = NULL;
	struct code_use u = { 0 };
	struct err err = ERR_INIT;
	int ret = check_args(a, f, &err);

	if (!ret)
		ret = open_use(a, &s, &u, &err);
	if (!ret)
		ret = check_binary(s, u.dso, f, &err);
	if (!ret)
		ret = write_profile(a, f, &u, &err);
	if (ret)
		error__print(&err);
	else
		ret = tell(&u, f);
	code_use__exit(&u);
	session__delete(s);
	err__exit(&err);
	return ret ? 1 : 0;
}

/* ---- what profiles would lack ---- */

enum { FEW_SAMPLES = 1000, NAME_WIDTH = 15 };

static void add_lacks(const struct code_use *u, const struct pgo_format *f, struct strbuf *lines)
{
	struct err err = ERR_INIT;

	if (check_binary(u->session, u->dso, f, &err)) {
		strbuf__addf(lines, "%s\n", err.text.buf);
	} else {
		if (u->nr_here < FEW_SAMPLES)
			strbuf__addf(lines, "only %llu %s: record longer, or with a higher -F\n",
				     (unsigned long long)u->nr_here,
				     u->has_branches ? "branches" : "samples");
		if (f->lacks)
			f->lacks(u, lines);
	}
	err__exit(&err);
}

/* Print lines beside a name; the later ones below the first. */
static void print_beside(const char *name, char *lines)
{
	char *end = NULL;

	for (char *line = strtok_r(lines, "\n", &end); line; line = strtok_r(NULL, "\n", &end)) {
		printf("  %-*s %s\n", NAME_WIDTH, name, line);
		name = "";
	}
}

/* Go's compiler takes another format than all others. */
static bool is_go(const struct code_use *u)
{
	struct dso *dso = u->dso;
	struct elf_raw raw = { 0 };
	bool found = !symbolizer__find_file(&u->session->symbolizer, dso, NULL) &&
		     !elf_raw__open(&raw, dso->root, dso->file, &dso->build_id, NULL) &&
		     elf_raw__has_section(&raw, ".go.buildinfo");

	elf_raw__close(&raw);
	return found;
}

static void print_lacks(const struct code_use *u)
{
	static const struct pgo_format go = { .name = "pprof",
					      .needs_lines = true,
					      .lacks = code_use__lacks_calls };
	static const struct pgo_format *const of_go[] = { &go, NULL };
	const struct pgo_format *const *formats = is_go(u) ? of_go : pgo_formats;
	struct strbuf lines = STRBUF_INIT;

	strbuf__add_masked(&lines, dso__short_name(&u->session->machine.dsos, u->dso));
	printf("Profiles of %s for compilers (perf export --format):\n", lines.buf);
	for (size_t i = 0; formats[i]; i++) {
		strbuf__reset(&lines);
		add_lacks(u, formats[i], &lines);
		if (!lines.len)
			strbuf__addstr(&lines, "ready");
		print_beside(formats[i]->name, lines.buf);
	}
	strbuf__exit(&lines);
}

int pgo__explain(const struct export_args *a)
{
	struct session *s = NULL;
	struct code_use u = { 0 };
	struct err err = ERR_INIT;
	int ret = open_use(a, &s, &u, &err);

	if (!ret)
		print_lacks(&u);
	else if (ret != -ENODATA)
		error__print(&err);
	code_use__exit(&u);
	session__delete(s);
	err__exit(&err);
	return ret && ret != -ENODATA ? -1 : 0;
}
