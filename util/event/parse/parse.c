#include "base/message/bug.h"
#include "event/parse/parse_private.h"

#include "base/message/called_name.h"
#include "event/evsel/event_name.h"
#include "event/pmu/pfm.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

/* ---- errors ---- */

enum { EXCERPT_BEFORE = 40, EXCERPT_AFTER = 30 }; /* columns: with dots and indent, one terminal line */

/*
 * Add a line with the text around the word, and a line that marks the word, or only the start of a long
 * word.
 */
static void parser__mark(struct parser *ps, struct word at)
{
	size_t column = (size_t)(at.p - ps->text), left = strlen(at.p), shown, from;
	const char *dots_before = column > EXCERPT_BEFORE ? "..." : "";
	struct strbuf line = STRBUF_INIT;
	const char *dots_after;

	from = column > EXCERPT_BEFORE ? column - EXCERPT_BEFORE : 0;
	shown = column - from + MIN(left, (size_t)EXCERPT_AFTER);
	dots_after = from + shown < strlen(ps->text) ? "..." : "";
	for (size_t i = 0; i < shown; i++)
		strbuf__addch(&line, iscntrl((unsigned char)ps->text[from + i]) ? ' ' : ps->text[from + i]);
	err__advise(ps->err, "  %s%s%s", dots_before, line.buf, dots_after);
	strbuf__reset(&line);
	strbuf__addchars(&line, ' ', strlen(dots_before) + column - from);
	strbuf__addch(&line, '^');
	if (at.len > 1)
		strbuf__addchars(&line, '~', MIN(at.len, (size_t)EXCERPT_AFTER) - 1);
	err__advise(ps->err, "  %s", line.buf);
	strbuf__exit(&line);
}

static int parser__vfail(struct parser *ps, int code, struct word at, const char *fmt, va_list ap)
{
	struct strbuf text = STRBUF_INIT;

	strbuf__vaddf(&text, fmt, ap);
	if (at.len) {
		char *word = word__dup(at);

		strbuf__addstr(&text, " '");
		strbuf__add_masked(&text, word);
		strbuf__addch(&text, '\'');
		free(word);
	}
	err__set(ps->err, code, "%s at column %zu", text.buf, (size_t)(at.p - ps->text) + 1);
	parser__mark(ps, at);
	strbuf__exit(&text);
	return code;
}

int parser__fail(struct parser *ps, struct word at, const char *fmt, ...)
{
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = parser__vfail(ps, -EINVAL, at, fmt, ap);
	va_end(ap);
	return ret;
}

int parser__fail_with(struct parser *ps, int code, struct word at, const char *fmt, ...)
{
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = parser__vfail(ps, code, at, fmt, ap);
	va_end(ap);
	return ret;
}

void parser__suggest(struct parser *ps, struct word at, parse_offer_fn offer, void *ctx)
{
	struct arena names = ARENA_INIT;
	char *word = word__dup(at);
	struct suggest s;

	suggest__init(&s, "", word);
	offer(ctx, &s, &names);
	err__suggest(ps->err, &s);
	arena__exit(&names);
	free(word);
}

int parser__choose(struct parser *ps, const struct word_list *l, struct word at)
{
	int i = word_list__find(l, at.p, at.len);

	if (i >= 0)
		return i;
	parser__fail(ps, at, "unknown %s", l->what);
	word_list__advise(l, at.p, at.len, ps->err);
	return -EINVAL;
}

struct offer_ctx {
	struct suggest *suggest;
	struct arena *names;
};

static void offer_name(const char *name, void *ctx)
{
	struct offer_ctx *c = ctx;

	/* the name from for_each is valid during the call only */
	suggest__offer(c->suggest, arena__strdup(c->names, name));
}

static void offer_events(void *ctx, struct suggest *s, struct arena *names)
{
	struct offer_ctx c = { s, names };

	event_name__for_each(offer_name, &c);
	offer_pmu_events(ctx, s, names);
}

static int parser__unknown_event(struct parser *ps, struct word w)
{
	parser__fail(ps, w, "unknown event");
	parser__suggest(ps, w, offer_events, ps);
	err__advise(ps->err, "%s list shows the events of this machine", called_name());
	return -EINVAL;
}

/* ---- words ---- */

bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

static void parser__skip_blanks(struct parser *ps)
{
	while (is_blank(*ps->p))
		ps->p++;
}

struct word parser__word(const struct parser *ps)
{
	return (struct word){ ps->p, strcspn(ps->p, ",:/{} \t\n") };
}

bool word__is(struct word w, const char *text)
{
	return strlen(text) == w.len && !memcmp(w.p, text, w.len);
}

char *word__dup(struct word w)
{
	char *s = xmalloc(w.len + 1);

	memcpy(s, w.p, w.len);
	s[w.len] = '\0';
	return s;
}

int word__number(struct word w, unsigned base, u64 *value)
{
	u64 x = 0;

	if (base == 10 && w.len > 2 && w.p[0] == '0' && (w.p[1] == 'x' || w.p[1] == 'X')) {
		base = 16;
		w.p += 2;
		w.len -= 2;
	}
	if (!w.len)
		return -EINVAL;
	for (size_t i = 0; i < w.len; i++) {
		char c = w.p[i];
		unsigned digit = isdigit((unsigned char)c)    ? (unsigned)(c - '0')
				 : isxdigit((unsigned char)c) ? (unsigned)((c | 0x20) - 'a') + 10
							      : 99;

		if (digit >= base)
			return -EINVAL;
		if (x > (UINT64_MAX - digit) / base)
			return -ERANGE;
		x = x * base + digit;
	}
	*value = x;
	return 0;
}

int parser__number(struct parser *ps, struct word w, const char *what, u64 *value)
{
	int ret = word__number(w, 10, value);

	if (ret == -ERANGE)
		return parser__fail(ps, w, "number of more than 64 bits:");
	return ret ? parser__fail(ps, w, "expected %s, found%s", what, w.len ? "" : " nothing") : 0;
}

/* ---- events by name ---- */

struct pmus *parser__pmus(struct parser *ps)
{
	if (!ps->has_pmus)
		pmus__init(&ps->pmus, ps->opts->sysfs);
	ps->has_pmus = true;
	return &ps->pmus;
}

struct evsel *parser__add(struct parser *ps, u32 type, u64 config)
{
	const struct perf_event_attr attr = {
		.size = sizeof(attr), .type = type, .config = config, .exclude_guest = 1
	};

	return evlist__add_request(&ps->out, &attr, NULL);
}

static bool is_of_cores(u32 type)
{
	return type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE || type == PERF_TYPE_RAW;
}

static int parser__add_everywhere(struct parser *ps, struct word w, u32 type, u64 config)
{
	struct evsel *e;

	ps->p = w.p + w.len;
	if (is_of_cores(type) && parser__for_each_core(ps, w, type, config) != -ENOENT)
		return 0;
	e = parser__add(ps, type, config);
	if (type == PERF_TYPE_SOFTWARE && config == PERF_COUNT_SW_BPF_OUTPUT) {
		e->attr.sample_period = 1;
		e->attr.sample_type = PERF_SAMPLE_PERIOD;
	}
	return 0;
}

static int find_named(struct parser *ps, struct word w)
{
	u32 type;
	u64 config;

	if (event_name__find(w.p, w.len, &type, &config))
		return -ENOENT;
	return parser__add_everywhere(ps, w, type, config);
}

/* Times that perf stat itself takes; the attr is that of an event that counts nothing. */
static int find_tool(struct parser *ps, struct word w)
{
	static const char *const names[] = { [TOOL_DURATION_TIME] = "duration_time",
					     [TOOL_USER_TIME] = "user_time",
					     [TOOL_SYSTEM_TIME] = "system_time" };

	for (unsigned i = TOOL_NONE + 1; i < ARRAY_SIZE(names); i++) {
		if (!word__is(w, names[i]))
			continue;
		ps->p = w.p + w.len;
		parser__add(ps, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY)->request->tool = i;
		return 0;
	}
	return -ENOENT;
}

/* rNNN: the PMU's own event number, in hexadecimal. */
static int find_raw(struct parser *ps, struct word w)
{
	u64 config;
	int ret;

	if (w.len < 2 || *w.p != 'r')
		return -ENOENT;
	ret = word__number((struct word){ w.p + 1, w.len - 1 }, 16, &config);
	if (ret == -ERANGE)
		return parser__fail(ps, w, "raw event of more than 64 bits:");
	return ret ? -ENOENT : parser__add_everywhere(ps, w, PERF_TYPE_RAW, config);
}

static int find_pmu(struct parser *ps, struct word w)
{
	return w.len && w.p[w.len] == '/' ? parser__pmu_event(ps) : -ENOENT;
}

static int find_tracepoint(struct parser *ps, struct word w)
{
	return w.len && w.p[w.len] == ':' ? parser__tracepoint(ps) : -ENOENT;
}

static int find_pfm(struct parser *ps, struct word w)
{
	(void)w;
	return parser__pfm(ps);
}

/* Tried in this order until one does not return -ENOENT. Those that read few files come first. */
static int (*const finders[])(struct parser *ps, struct word w) = {
	find_named, find_tool, find_raw, find_pmu, find_tracepoint, parser__pmu_alias, find_pfm,
};

static int parser__named(struct parser *ps)
{
	struct word w = parser__word(ps), rest = { w.p + w.len + 1, 0 };

	if (!w.len)
		return parser__fail(ps, (struct word){ w.p, *w.p && *w.p != ',' }, "expected an event%s",
				    *w.p && *w.p != ',' ? ", found" : "");
	for (size_t i = 0; i < ARRAY_SIZE(finders); i++) {
		int ret = finders[i](ps, w);

		if (ret != -ENOENT)
			return ret;
	}
	if (w.p[w.len] == '/')
		return parser__unknown_pmu(ps, w);
	if (w.p[w.len] == ':')
		rest.len = strcspn(rest.p, ",:/{} \t\n");
	return rest.len && !is_modifiers(rest) ? parser__no_system(ps) : parser__unknown_event(ps, w);
}

/* Events that do not begin with a name. */
static const struct event_form {
	const char *prefix;
	int (*parse)(struct parser *ps);
} event_forms[] = {
	{ "mem:", parser__watch },
	{ "uprobe:", parser__uprobe },
	{ "kprobe:", parser__kprobe },
	{ "", parser__named },
};

static int parser__pfm_only(struct parser *ps)
{
	struct word w = parser__word(ps);
	int ret = parser__pfm(ps);

	if (ret != -ENOENT)
		return ret;
	if (!w.len)
		return parser__fail(ps, w, "expected an event");
	parser__fail(ps, (struct word){ w.p, strcspn(w.p, ",{} \t\n") }, "libpfm4 knows no event");
	err__advise(ps->err, "'%s list pfm' shows those of this machine", called_name());
	return -EINVAL;
}

static int parser__core_event(struct parser *ps)
{
	const struct event_form *f = event_forms;

	if (ps->pfm_only)
		return parser__pfm_only(ps);
	while (strncmp(ps->p, f->prefix, strlen(f->prefix)))
		f++;
	return f->parse(ps);
}

/* ---- one event ---- */

/* Append rest, the event's text after its head (terms and modifiers), to e's name. */
static void evsel__name_head(const struct parser *ps, struct evsel *e, struct word rest)
{
	const char *join = "";
	char *name;

	if (ps->head_in_slashes) { /* e->name is "PMU/event"; rest is ":u", "/term/u" or empty */
		join = rest.len && *rest.p == '/' ? "," : "/";
		if (rest.len) {
			rest.p++;
			rest.len--;
		}
	}
	name = xasprintf("%s%s%.*s", e->name, join, (int)rest.len, rest.p);
	free(e->name);
	e->name = name;
}

static void parser__name_event(struct parser *ps, struct word whole)
{
	const char *end = whole.p + whole.len;

	for (size_t i = ps->first; i < ps->out.evsels.nr; i++) {
		struct evsel *e = ps->out.evsels.v[i];

		if (ps->own_name) {
			free(e->name);
			e->name = xstrdup(ps->own_name);
		} else if (e->name) {
			const char *from = ps->head.p + ps->head.len;

			evsel__name_head(ps, e, (struct word){ from, (size_t)(end - from) });
		} else {
			e->name = word__dup(whole);
		}
	}
}

/* Parse what may follow any event: /terms/, then modifiers. */
static int parser__tail(struct parser *ps, const char **end)
{
	int ret = 0;

	if (*ps->p == '/' && !ps->had_terms)
		ret = parser__terms(ps);
	*end = ps->p;
	if (is_blank(*ps->p) && ps->p[strspn(ps->p, " \t\n")] == ':')
		parser__skip_blanks(ps);
	if (!ret && (*ps->p == ':' || ps->had_terms)) {
		ps->p += *ps->p == ':';
		ret = parser__modifiers(ps, parser__word(ps), false);
		*end = ps->p;
	}
	return ret;
}

static int parser__event(struct parser *ps)
{
	const char *start, *end;
	int ret;

	parser__skip_blanks(ps);
	start = ps->p;
	ps->first = ps->out.evsels.nr;
	ps->head = (struct word){ start, 0 };
	ps->head_in_slashes = false;
	ps->had_terms = false;
	free(ps->own_name);
	ps->own_name = NULL;
	ret = parser__core_event(ps);
	if (!ret)
		ret = parser__tail(ps, &end);
	if (!ret)
		parser__name_event(ps, (struct word){ start, (size_t)(end - start) });
	parser__skip_blanks(ps);
	return ret;
}

/* ---- groups ---- */

/*
 * An event may expand to one event for each of several PMUs. Events of different PMUs cannot be counted in
 * one group: {a,b} on cpu_core and cpu_atom becomes the groups {a,b} of cpu_core and {a,b} of cpu_atom.
 */
static void parser__split_group(struct parser *ps, size_t first)
{
	struct evsel **v = ps->out.evsels.v;
	size_t nr = ps->out.evsels.nr;

	while (first < nr) {
		const char *pmu = NULL;
		size_t end = first;

		for (size_t i = first; i < nr; i++) {
			struct evsel *e = v[i];

			if (e->request->in_each_pmu && pmu && strcmp(e->request->pmu, pmu))
				continue;
			if (e->request->in_each_pmu)
				pmu = e->request->pmu;
			memmove(&v[end + 1], &v[end], (i - end) * sizeof(*v));
			v[end++] = e;
		}
		evlist__group(&ps->out, first, end - first);
		first = end;
	}
	for (size_t i = 0; i < nr; i++)
		v[i]->idx = (u32)i;
}

static int parser__group_end(struct parser *ps, struct word name, size_t first)
{
	int ret = 0;

	ps->p++; /* '}' */
	parser__split_group(ps, first);
	for (size_t i = first; name.len && i < ps->out.evsels.nr; i++)
		if (ps->out.evsels.v[i]->leader == i)
			ps->out.evsels.v[i]->group_name = word__dup(name);
	ps->first = first;
	if (*ps->p == ':') {
		ps->p++;
		ret = parser__modifiers(ps, parser__word(ps), true);
	}
	parser__skip_blanks(ps);
	return ret;
}

static int parser__group(struct parser *ps, struct word name)
{
	const char *open = name.p + name.len;
	size_t first = ps->out.evsels.nr;
	int ret;

	ps->p = open;
	do {
		ps->p++; /* '{' or ',' */
		parser__skip_blanks(ps);
		if (*ps->p == '{')
			return parser__fail(ps, (struct word){ ps->p, 1 },
					    "a group holds no other group: unexpected");
		ret = parser__event(ps);
	} while (!ret && *ps->p == ',');
	if (ret)
		return ret;
	if (!*ps->p)
		return parser__fail(ps, (struct word){ open, 1 }, "this group is not closed by a '}':");
	if (*ps->p != '}')
		return parser__fail(ps, (struct word){ ps->p, 1 }, "expected a comma or '}', found");
	return parser__group_end(ps, name, first);
}

static int parser__item(struct parser *ps)
{
	struct word name;

	parser__skip_blanks(ps);
	name = parser__word(ps);
	return name.p[name.len] == '{' ? parser__group(ps, name) : parser__event(ps);
}

static int parser__list(struct parser *ps)
{
	int ret = parser__item(ps);

	while (!ret && *ps->p == ',') {
		ps->p++;
		ret = parser__item(ps);
	}
	if (!ret && *ps->p)
		ret = parser__fail(ps, (struct word){ ps->p, 1 }, "expected a comma or the end, found");
	return ret;
}

static int parser__run(struct parser *ps, struct evlist *l)
{
	int ret;

	evlist__init(&ps->out);
	ret = parser__list(ps);
	if (!ret)
		evlist__move(l, &ps->out);
	evlist__exit(&ps->out);
	if (ps->has_pmus)
		pmus__exit(&ps->pmus);
	strbuf__exit(&ps->mount);
	free(ps->own_name);
	return ret;
}

int parse_events_with(struct evlist *l, const char *text, const struct parse_opts *opts, struct err *err)
{
	static const struct parse_opts usual = { .sysfs = "/sys" };
	struct parser ps = {
		.text = text, .p = text, .err = err, .opts = opts ? opts : &usual, .mount = STRBUF_INIT
	};

	return parser__run(&ps, l);
}

int parse_events(struct evlist *l, const char *text, struct err *err)
{
	return parse_events_with(l, text, NULL, err);
}

void parse_default_event(struct evlist *l)
{
	enum { MOST_PRECISE = 3 };

	BUG_UNLESS(!l->evsels.nr, "%zu events", l->evsels.nr);
	/* this makes several events on a machine with several kinds of cores */
	parse_events(l, "cycles", NULL);
	for (size_t i = 0; i < l->evsels.nr; i++)
		l->evsels.v[i]->attr.precise_ip = MOST_PRECISE;
}

int parse_pfm_events(struct evlist *l, const char *text, struct err *err)
{
	static const struct parse_opts usual = { .sysfs = "/sys" };
	struct parser ps = {
		.text = text, .p = text, .err = err, .opts = &usual, .mount = STRBUF_INIT, .pfm_only = true
	};

	return pfm__load(err) ? -ENOTSUP : parser__run(&ps, l);
}
