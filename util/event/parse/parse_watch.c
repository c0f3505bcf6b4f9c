/*
 * mem:, uprobe: and kprobe: with names, which the recorder later turns into attrs
 * (event/evsel/event_request.h).
 */
#include "event/parse/parse_private.h"

#include <ctype.h>
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <string.h>

/* ---- words ---- */

static struct word parser__quoted(struct parser *ps, int *ret)
{
	const char *end = strchr(ps->p + 1, *ps->p);
	struct word w = { ps->p + 1, 0 };

	if (!end) {
		*ret = parser__fail(ps, (struct word){ ps->p, 1 }, "this quote has no end:");
		return w;
	}
	w.len = (size_t)(end - w.p);
	ps->p = end + 1;
	return w;
}

/*
 * Parse the name of a variable or function, up to one of stops, a single colon or the end of the event. C++
 * names contain "::", and any text in <> or (); other names can be quoted.
 */
static int parser__symbol(struct parser *ps, const char *stops, const char *what, struct word *w)
{
	const char *p = ps->p;
	int depth = 0, ret = 0;

	if (*p == '"' || *p == '\'') {
		*w = parser__quoted(ps, &ret);
		return !ret && !w->len ? parser__fail(ps, *w, "expected %s", what) : ret;
	}
	for (; *p; p++) {
		if (*p == '<' || *p == '(')
			depth++;
		else if ((*p == '>' || *p == ')') && depth)
			depth--;
		else if (*p == ':' && p[1] == ':' && p[2] && !strchr(",:/{}", p[2]))
			p++;
		else if (!depth && (strchr(stops, *p) || strchr(",:{}", *p) || is_blank(*p)))
			break;
	}
	*w = (struct word){ ps->p, (size_t)(p - ps->p) };
	if (depth)
		return parser__fail(ps, *w, "a bracket is not closed in");
	if (!w->len)
		return parser__fail(ps, (struct word){ p, *p && *p != ',' }, "expected %s, found%s", what,
				    *p && *p != ',' ? "" : " nothing");
	ps->p = p;
	return 0;
}

static struct word digits(const char *p)
{
	return (struct word){ p, strcspn(p, ",:/+@[]%{} \t\n") };
}

/* ---- mem: ---- */

/* Parse the letters r, w, x, each at most once; any other word is left for the modifiers. */
static int parser__access(struct parser *ps, u32 *type)
{
	static const struct {
		char letter;
		u32 bit;
	} rows[] = { { 'r', HW_BREAKPOINT_R }, { 'w', HW_BREAKPOINT_W }, { 'x', HW_BREAKPOINT_X } };
	const char *p = ps->p;

	*type = 0;
	for (; *p; p++) {
		size_t i = 0;

		while (i < ARRAY_SIZE(rows) && rows[i].letter != *p)
			i++;
		if (i == ARRAY_SIZE(rows))
			break;
		if (*type & rows[i].bit)
			return parser__fail(ps, (struct word){ p, 1 }, "one too many access");
		*type |= rows[i].bit;
	}
	if (p != ps->p && p != ps->p + parser__word(ps).len)
		return parser__fail(ps, (struct word){ p, 1 }, "expected some of r, w and x, found");
	ps->p = p;
	return 0;
}

/* At '/': parse a length, unless terms follow. */
static int parser__length(struct parser *ps, u64 *length)
{
	struct word w = digits(ps->p + 1);
	int ret;

	if (isalpha((unsigned char)*w.p))
		return 0;
	ret = parser__number(ps, w, "a length in bytes", length);
	if (!ret)
		ps->p = w.p + w.len;
	return ret;
}

/* Cut "+0x10" or "/8" off the end of a path. Return whether there was one, and its *value. */
static bool cut_number(struct word *path, char sign, u64 *value)
{
	const char *at = memrchr(path->p, sign, path->len);
	struct word number;

	if (!at || at == path->p)
		return false;
	number = (struct word){ at + 1, (size_t)(path->p + path->len - at) - 1 };
	if (!number.len || !isdigit((unsigned char)*number.p) || word__number(number, 10, value))
		return false;
	path->len = (size_t)(at - path->p);
	return true;
}

/* Split "libfoo.so.1.count" or "kernel.count" after the name of the binary; return the members. */
static struct word cut_members(struct word *path)
{
	const char *end = path->p + path->len, *p = memmem(path->p, path->len, ".so", 3);

	if (p) {
		p += 3;
		while (end - p > 1 && *p == '.' && isdigit((unsigned char)p[1]))
			for (p++; p < end && isdigit((unsigned char)*p); p++)
				;
	} else if (path->len > 7 && !memcmp(path->p, "kernel.", 7)) {
		p = path->p + 6;
	}
	if (!p || end - p < 2 || *p != '.')
		return (struct word){ end, 0 };
	path->len = (size_t)(p - path->p);
	return (struct word){ p + 1, (size_t)(end - p) - 1 };
}

static void watch__set_members(struct watch_spec *s, struct word w)
{
	free(s->members);
	s->members = w.len ? word__dup(w) : NULL;
}

/*
 * At '@'. A path may contain '/', '+' and '.', which also begin the parts after it: cut numbers after the
 * last of them, and members after ".so" and its version. A quoted path is taken whole.
 */
static int parser__dso(struct parser *ps, struct watch_spec *s)
{
	struct word w = { ps->p + 1, strcspn(ps->p + 1, ":,[]{} \t\n") }, members;
	int ret = 0;

	ps->p++;
	if (*ps->p == '"' || *ps->p == '\'') {
		w = parser__quoted(ps, &ret);
	} else {
		ps->p = w.p + w.len;
		cut_number(&w, '/', &s->length);
		cut_number(&w, '+', &s->offset);
		members = cut_members(&w);
		if (members.len)
			watch__set_members(s, members);
	}
	if (!ret && !w.len)
		ret = parser__fail(ps, w, "expected the name of a binary");
	s->dso = ret ? NULL : word__dup(w);
	return ret;
}

/* At '.' */
static int parser__members(struct parser *ps, struct watch_spec *s)
{
	struct word w = { ps->p + 1, strcspn(ps->p + 1, "@+,:/[]{} \t\n") };

	if (!w.len)
		return parser__fail(ps, w, "expected a member");
	watch__set_members(s, w);
	ps->p = w.p + w.len;
	return 0;
}

/* At '+' */
static int parser__offset(struct parser *ps, u64 *offset)
{
	struct word w = digits(ps->p + 1);
	int ret = parser__number(ps, w, "an offset in bytes", offset);

	if (!ret)
		ps->p = w.p + w.len;
	return ret;
}

/* At '[': parse [START] or [START:COUNT]. */
static int parser__slice(struct parser *ps, struct watch_spec *s)
{
	struct word open = { ps->p, 1 }, w = digits(ps->p + 1);
	int ret = parser__number(ps, w, "the number of an element", &s->start);

	s->is_slice = true;
	s->count = 1;
	ps->p = w.p + w.len;
	if (!ret && *ps->p == ':') {
		w = digits(ps->p + 1);
		ret = parser__number(ps, w, "how many elements", &s->count);
		ps->p = w.p + w.len;
	}
	if (!ret && !s->count)
		ret = parser__fail(ps, w, "at least one element can be watched, not");
	if (!ret && *ps->p != ']')
		ret = parser__fail(ps, open, "this bracket is not closed by a ']':");
	ps->p += !ret;
	return ret;
}

/* Parse the parts after the symbol, in any order, each at most once. */
static int parser__watch_parts(struct parser *ps, struct watch_spec *s)
{
	const char *seen = "";
	char used[8] = "";
	size_t nr = 0;
	int ret = 0;

	while (!ret && *ps->p && strchr("@.+/[", *ps->p)) {
		const char *at = ps->p;

		if (strchr(seen, *at))
			return parser__fail(ps, (struct word){ at, 1 }, "this stood before already:");
		used[nr++] = *at;
		seen = used;
		if (*at == '@')
			ret = parser__dso(ps, s);
		else if (*at == '.')
			ret = parser__members(ps, s);
		else if (*at == '+')
			ret = parser__offset(ps, &s->offset);
		else if (*at == '[')
			ret = parser__slice(ps, s);
		else
			ret = parser__length(ps, &s->length);
		if (ps->p == at) /* terms follow */
			break;
	}
	return ret;
}

static int parser__watch_symbol(struct parser *ps, struct evsel *e, u64 *length)
{
	struct watch_spec *s = e->request->watch = xcalloc(1, sizeof(*s));
	struct word w;
	int ret = parser__symbol(ps, "@.+/[", "an address or the name of a variable", &w);

	if (ret)
		return ret;
	s->symbol = word__dup(w);
	s->pos = (size_t)(w.p - ps->text);
	s->len = w.len;
	ret = parser__watch_parts(ps, s);
	*length = s->length;
	return ret;
}

static int parser__watch_address(struct parser *ps, struct evsel *e, u64 *length)
{
	struct word w = parser__word(ps);
	u64 address = 0;
	int ret = parser__number(ps, w, "an address", &address);

	if (ret)
		return ret;
	e->attr.bp_addr = address;
	ps->p = w.p + w.len;
	return *ps->p == '/' ? parser__length(ps, length) : 0;
}

/* sample_period 1 means "every access", unless -c or -F is given. */
int parser__watch(struct parser *ps)
{
	struct evsel *e = parser__add(ps, PERF_TYPE_BREAKPOINT, 0);
	u64 length = 0;
	u32 access = 0;
	int ret;

	ps->p += strlen("mem:");
	if (isdigit((unsigned char)*ps->p))
		ret = parser__watch_address(ps, e, &length);
	else
		ret = parser__watch_symbol(ps, e, &length);
	if (!ret && *ps->p == ':') {
		ps->p++;
		ret = parser__access(ps, &access);
		if (!ret && !access)
			ps->p--; /* modifiers, and no access letters */
	}
	if (ret)
		return ret;
	if (e->request->watch)
		e->request->watch->access = access;
	e->attr.bp_type = access ? access : HW_BREAKPOINT_RW;
	e->attr.bp_len = length                               ? length
			 : e->attr.bp_type == HW_BREAKPOINT_X ? sizeof(long)
							      : HW_BREAKPOINT_LEN_4;
	e->attr.sample_period = 1;
	return 0;
}

/* ---- uprobe:, kprobe: ---- */

/* Parse the binary's path, up to the colon. */
static int parser__binary(struct parser *ps, struct probe_spec *s)
{
	struct word w = { ps->p, strcspn(ps->p, ":,{} \t\n") };
	int ret = 0;

	if (*ps->p == '"' || *ps->p == '\'')
		w = parser__quoted(ps, &ret);
	else
		ps->p = w.p + w.len;
	if (ret)
		return ret;
	if (!w.len || *ps->p != ':')
		return parser__fail(ps, w, "expected BINARY:FUNCTION, found%s", w.len ? "" : " nothing");
	s->binary = word__dup(w);
	ps->p++;
	return 0;
}

/* FUNCTION[+OFFSET][%return] */
static int parser__function(struct parser *ps, struct probe_spec *s)
{
	struct word w;
	int ret = parser__symbol(ps, "+%/", "the name of a function", &w);

	if (ret)
		return ret;
	s->function = word__dup(w);
	s->pos = (size_t)(w.p - ps->text);
	s->len = w.len;
	if (*ps->p == '+')
		ret = parser__offset(ps, &s->offset);
	if (!ret && *ps->p == '%') {
		w = (struct word){ ps->p + 1, strcspn(ps->p + 1, ",:/{} \t\n") };
		if (!word__is(w, "return"))
			return parser__fail(ps, w, "expected %%return, found%s", w.len ? "" : " nothing");
		s->is_return = true;
		ps->p = w.p + w.len;
	}
	if (!ret && s->is_return && s->offset)
		ret = parser__fail(ps, w, "a function returns from anywhere: no offset goes with");
	return ret;
}

static int parser__probe(struct parser *ps, const char *pmu_name, bool has_binary, const char *advice)
{
	struct pmu *pmu = pmus__find(parser__pmus(ps), pmu_name);
	struct word form = { ps->p, strlen(pmu_name) };
	struct evsel *e = parser__add(ps, pmu ? pmu->type : 0, 0);
	const struct pmu_format *f;
	u64 words[PMU_CONFIG_WORDS] = { 0 };
	int ret = 0;

	e->request->probe = xcalloc(1, sizeof(*e->request->probe));
	e->request->pmu = xstrdup(pmu_name);
	e->attr.sample_period = 1;
	ps->p += form.len + 1;
	if (has_binary)
		ret = parser__binary(ps, e->request->probe);
	if (!ret)
		ret = parser__function(ps, e->request->probe);
	if (!ret && !pmu) {
		ret = parser__fail_with(ps, -ENOTSUP, form, "this kernel has no PMU");
		err__advise(ps->err, "%s", advice);
	}
	if (ret)
		return ret;
	pmu__load(&ps->pmus, pmu);
	f = pmu__format(pmu, "retprobe");
	if (e->request->probe->is_return && f && !pmu_format__set(f, 1, words))
		pmu__apply_config(e, words);
	return 0;
}

int parser__uprobe(struct parser *ps)
{
	return parser__probe(ps, "uprobe", true,
			     "it was built without CONFIG_UPROBE_EVENTS; up to 4 functions can be sampled "
			     "with breakpoints: mem:FUNCTION:x");
}

int parser__kprobe(struct parser *ps)
{
	return parser__probe(ps, "kprobe", false,
			     "it was built without CONFIG_KPROBE_EVENTS; a tracepoint may serve: perf list");
}
