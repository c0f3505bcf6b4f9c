#include "event/parse.h"

#include "base/arena.h"
#include "base/suggest.h"
#include "event/event_name.h"

#include <ctype.h>
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <string.h>

/* One event of the text, read but not yet in the evlist: all of the text must be right before anything is
 * added. */
struct parsed {
	struct perf_event_attr attr;
	const char *name; /* in the text, len bytes */
	size_t len;
};

struct parser {
	const char *text, *p;
	struct err *err;
	ARRAY(struct parsed) events;
};

/* ---- errors ---- */

static int column_of(const struct parser *ps, const char *at)
{
	return (int)(at - ps->text) + 1;
}

/* "WHAT 'WORD' at column N of 'TEXT'" */
static int parser__fail(struct parser *ps, const char *what, const char *at, size_t len)
{
	if (!len)
		return err__set(ps->err, -EINVAL, "%s at column %d of '%s'", what, column_of(ps, at),
				ps->text);
	return err__set(ps->err, -EINVAL, "%s '%.*s' at column %d of '%s'", what, (int)len, at,
			column_of(ps, at), ps->text);
}

struct suggest_ctx {
	struct suggest suggest;
	struct arena names; /* those offered: for_each's do not live long enough */
};

static void offer_name(const char *name, void *ctx)
{
	struct suggest_ctx *c = ctx;

	suggest__offer(&c->suggest, arena__strdup(&c->names, name));
}

static int parser__unknown_event(struct parser *ps, const char *at, size_t len)
{
	char *word = xasprintf("%.*s", (int)len, at);
	struct suggest_ctx c = { .names = ARENA_INIT };
	struct strbuf names = STRBUF_INIT;
	int ret = parser__fail(ps, "unknown event", at, len);

	suggest__init(&c.suggest, word);
	event_name__for_each(offer_name, &c);
	suggest__add_to(&c.suggest, "", &names);
	if (names.len)
		err__advise(ps->err, "did you mean %s?", names.buf);
	strbuf__exit(&names);
	arena__exit(&c.names);
	free(word);
	return ret;
}

/* ---- words ---- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

static void parser__skip_blanks(struct parser *ps)
{
	while (is_blank(*ps->p))
		ps->p++;
}

static size_t word_length(const char *p)
{
	return strcspn(p, ",:/{} \t\n");
}

/*
 * A number, hexadecimal with 0x, else decimal (010 is ten, as in stock perf); the whole of len bytes.
 * -EINVAL, -ERANGE.
 */
static int parse_number(const char *p, size_t len, unsigned base, u64 *value)
{
	u64 x = 0;

	if (base == 10 && len > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
		base = 16;
		p += 2;
		len -= 2;
	}
	if (!len)
		return -EINVAL;
	for (size_t i = 0; i < len; i++) {
		unsigned digit = isdigit((unsigned char)p[i])    ? (unsigned)(p[i] - '0')
				 : isxdigit((unsigned char)p[i]) ? (unsigned)((p[i] | 0x20) - 'a') + 10
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

/* ---- modifiers ---- */

enum modifier {
	MOD_USER,
	MOD_KERNEL,
	MOD_HV,
	MOD_IDLE,
	MOD_GUEST,
	MOD_HOST,
	MOD_PRECISE,
	MOD_PRECISE_MAX,
	MOD_PINNED,
	MOD_EXCLUSIVE,
	MOD_SAMPLE_READ,
	MOD_WEAK,
	MOD_BPF,
	MOD_NR,
};

/* S, W and b say something about groups and counting: alone they change nothing in the attr. */
static const struct modifier_row {
	char letter;
	u8 max; /* how often it may stand in one word */
} modifier_rows[MOD_NR] = {
	[MOD_USER] = { 'u', 1 },      [MOD_KERNEL] = { 'k', 1 },      [MOD_HV] = { 'h', 1 },
	[MOD_IDLE] = { 'I', 1 },      [MOD_GUEST] = { 'G', 1 },       [MOD_HOST] = { 'H', 1 },
	[MOD_PRECISE] = { 'p', 3 },   [MOD_PRECISE_MAX] = { 'P', 1 }, [MOD_PINNED] = { 'D', 1 },
	[MOD_EXCLUSIVE] = { 'e', 1 }, [MOD_SAMPLE_READ] = { 'S', 1 }, [MOD_WEAK] = { 'W', 1 },
	[MOD_BPF] = { 'b', 1 },
};

static int modifier__find(char letter)
{
	for (int i = 0; i < MOD_NR; i++)
		if (modifier_rows[i].letter == letter)
			return i;
	return -1;
}

/*
 * As stock perf means them. A letter of u, k, h leaves out the levels that are not named. The guest is left
 * out without a modifier and with u or p, but neither with k alone nor when G or H say who counts.
 */
static void modifiers__apply(const u8 count[MOD_NR], bool any, struct perf_event_attr *attr)
{
	bool levels = count[MOD_USER] || count[MOD_KERNEL] || count[MOD_HV];

	if (levels) {
		attr->exclude_user = !count[MOD_USER];
		attr->exclude_kernel = !count[MOD_KERNEL];
		attr->exclude_hv = !count[MOD_HV];
	}
	if (count[MOD_GUEST] || count[MOD_HOST]) {
		attr->exclude_host = !count[MOD_HOST];
		attr->exclude_guest = !count[MOD_GUEST];
	} else {
		attr->exclude_guest = !any || count[MOD_USER] || count[MOD_PRECISE];
	}
	attr->exclude_idle = count[MOD_IDLE];
	attr->precise_ip = count[MOD_PRECISE_MAX] ? 3 : count[MOD_PRECISE] & 3;
	attr->pinned = count[MOD_PINNED];
	attr->exclusive = count[MOD_EXCLUSIVE];
}

/* The letters behind a ':', which may be none. */
static int parser__modifiers(struct parser *ps, struct perf_event_attr *attr)
{
	u8 count[MOD_NR] = { 0 };
	size_t len = word_length(ps->p);

	for (size_t i = 0; i < len; i++) {
		int m = modifier__find(ps->p[i]);

		if (m < 0)
			return parser__fail(ps, "unknown modifier", ps->p + i, 1);
		if (++count[m] > modifier_rows[m].max)
			return parser__fail(ps, "one too many modifier", ps->p + i, 1);
	}
	modifiers__apply(count, len > 0, attr);
	ps->p += len;
	return 0;
}

/* ---- mem:ADDR[/len][:rwx] ---- */

static int parser__number(struct parser *ps, const char *what, u64 *value)
{
	size_t len = word_length(ps->p);
	int ret = parse_number(ps->p, len, 10, value);

	if (ret == -ERANGE)
		return parser__fail(ps, "number too big for a 64-bit machine:", ps->p, len);
	if (ret)
		return parser__fail(ps, what, ps->p, len);
	ps->p += len;
	return 0;
}

/* The letters of r, w, x, each at most once; a word that is none of it is left for the modifiers. */
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
			return parser__fail(ps, "one too many access", p, 1);
		*type |= rows[i].bit;
	}
	if (p != ps->p && p != ps->p + word_length(ps->p))
		return parser__fail(ps, "expected some of r, w and x, found", p, 1);
	ps->p = p;
	return 0;
}

/* At "mem:". sample_period 1 stands for "every touch" as long as neither -c nor -F is given. */
static int parser__breakpoint(struct parser *ps, struct perf_event_attr *attr)
{
	u64 addr, len = 0;
	u32 type = 0;
	int ret;

	ps->p += strlen("mem:");
	ret = parser__number(ps, "expected an address, found", &addr);
	if (!ret && *ps->p == '/') {
		ps->p++;
		ret = parser__number(ps, "expected a length in bytes, found", &len);
	}
	if (!ret && *ps->p == ':') {
		ps->p++;
		ret = parser__access(ps, &type);
		if (!ret && !type)
			ps->p--; /* modifiers without an access */
	}
	if (ret)
		return ret;
	attr->type = PERF_TYPE_BREAKPOINT;
	attr->bp_addr = addr;
	attr->bp_type = type ? type : HW_BREAKPOINT_RW;
	attr->bp_len = len ? len : attr->bp_type == HW_BREAKPOINT_X ? sizeof(long) : HW_BREAKPOINT_LEN_4;
	attr->sample_period = 1;
	return 0;
}

/* ---- events ---- */

/* What is perf's language but not yet ours; told apart from typing errors. */
static int parser__not_supported(struct parser *ps, const char *at, size_t len)
{
	size_t letters = at[len] == ':' ? strspn(at + len + 1, "ukhIGHpPDeSWb") : 0;

	if (*at == '{')
		return parser__fail(ps, "groups in braces are not supported yet: '{'", at, 0);
	if (at[len] == '/')
		return parser__fail(ps, "events of a named PMU are not supported yet:", at,
				    strcspn(at, ", "));
	if (at[len] == ':' && len && at[len + 1] && letters < word_length(at + len + 1))
		return parser__fail(ps, "tracepoints are not supported yet, and there is no other event", at,
				    strcspn(at, ", "));
	return 0;
}

/* rNNN: the number in hexadecimal, as the PMU wants it. */
static int parse_raw(const char *p, size_t len, u64 *config)
{
	if (len < 2 || *p != 'r')
		return -EINVAL;
	return parse_number(p + 1, len - 1, 16, config);
}

static int parser__named(struct parser *ps, struct perf_event_attr *attr)
{
	size_t len = word_length(ps->p);
	u32 type = PERF_TYPE_RAW;
	u64 config = 0;
	int ret;

	if (!len && *ps->p != '{')
		return parser__fail(ps, "expected an event", ps->p, *ps->p && *ps->p != ',');
	if (event_name__find(ps->p, len, &type, &config)) {
		ret = parse_raw(ps->p, len, &config);
		if (ret == -ERANGE)
			return parser__fail(ps, "raw event has more than 64 bits:", ps->p, len);
		if (ret) {
			ret = parser__not_supported(ps, ps->p, len);
			return ret ? ret : parser__unknown_event(ps, ps->p, len);
		}
	}
	attr->type = type;
	attr->config = config;
	if (type == PERF_TYPE_SOFTWARE && config == PERF_COUNT_SW_BPF_OUTPUT)
		attr->sample_period = 1;
	ps->p += len;
	return 0;
}

static int parser__event(struct parser *ps)
{
	struct parsed e = { .attr.size = sizeof(struct perf_event_attr), .attr.exclude_guest = 1 };
	int ret;

	parser__skip_blanks(ps);
	e.name = ps->p;
	if (!strncmp(ps->p, "mem:", 4))
		ret = parser__breakpoint(ps, &e.attr);
	else
		ret = parser__named(ps, &e.attr);
	e.len = (size_t)(ps->p - e.name);
	if (!ret && is_blank(*ps->p) && ps->p[strspn(ps->p, " \t\n")] == ':')
		parser__skip_blanks(ps);
	if (!ret && *ps->p == ':') {
		ps->p++;
		ret = parser__modifiers(ps, &e.attr);
		e.len = (size_t)(ps->p - e.name);
	}
	if (ret)
		return ret;
	parser__skip_blanks(ps);
	if (*ps->p && *ps->p != ',')
		return parser__fail(ps, "expected a comma or the end, found", ps->p, 1);
	array__add(&ps->events, e);
	return 0;
}

int parse_events(struct evlist *l, const char *text, struct err *err)
{
	struct parser ps = { .text = text, .p = text, .err = err };
	int ret = parser__event(&ps);

	while (!ret && *ps.p == ',') {
		ps.p++;
		ret = parser__event(&ps);
	}
	for (size_t i = 0; !ret && i < ps.events.nr; i++) {
		const struct parsed *e = &ps.events.v[i];
		char *name = xasprintf("%.*s", (int)e->len, e->name);

		evlist__add(l, &e->attr, sizeof(e->attr), name);
		free(name);
	}
	array__exit(&ps.events);
	return ret;
}
