#include "script/output_fields.h"

#include "base/message/msg.h"
#include "base/message/word_list.h"
#include "format/records/sample_field.h"
#include "format/records/wait_detail.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#define ANY_SAMPLE SAMPLE_FIELDS /* needs no field of the sample */

/* Rows up to OUT_FIELDS are in the order of enum output_field. */
static const struct output_row {
	const char *name;
	u32 needs;       /* enum sample_field_id; ANY_SAMPLE */
	const char *why; /* of fields that are not supported: what they need */
} rows[] = {
	[OUT_COMM] = { "comm", FIELD_TID, NULL },
	[OUT_TID] = { "tid", FIELD_TID, NULL },
	[OUT_PID] = { "pid", FIELD_TID, NULL },
	[OUT_TIME] = { "time", FIELD_TIME, NULL },
	[OUT_CPU] = { "cpu", FIELD_CPU, NULL },
	[OUT_EVENT] = { "event", ANY_SAMPLE, NULL },
	[OUT_TRACE] = { "trace", FIELD_RAW, NULL },
	[OUT_IP] = { "ip", FIELD_IP, NULL },
	[OUT_SYM] = { "sym", ANY_SAMPLE, NULL },
	[OUT_DSO] = { "dso", ANY_SAMPLE, NULL },
	[OUT_DSOFF] = { "dsoff", ANY_SAMPLE, NULL },
	[OUT_ADDR] = { "addr", FIELD_ADDR, NULL },
	[OUT_SYMOFF] = { "symoff", ANY_SAMPLE, NULL },
	[OUT_SRCLINE] = { "srcline", FIELD_IP, NULL },
	[OUT_PERIOD] = { "period", ANY_SAMPLE, NULL },
	[OUT_IREGS] = { "iregs", FIELD_INTR_REGS, NULL },
	[OUT_UREGS] = { "uregs", FIELD_USER_REGS, NULL },
	[OUT_BRSTACK] = { "brstack", FIELD_BRANCHES, NULL },
	[OUT_BRSTACKSYM] = { "brstacksym", FIELD_BRANCHES, NULL },
	[OUT_DATA_SRC] = { "data_src", FIELD_DATA_SRC, NULL },
	[OUT_WEIGHT] = { "weight", FIELD_WEIGHT, NULL },
	[OUT_BPF_OUTPUT] = { "bpf-output", ANY_SAMPLE, NULL },
	[OUT_BRSTACKOFF] = { "brstackoff", FIELD_BRANCHES, NULL },
	[OUT_PHYS_ADDR] = { "phys_addr", FIELD_PHYS_ADDR, NULL },
	[OUT_MISC] = { "misc", ANY_SAMPLE, NULL },
	[OUT_DATA_PAGE_SIZE] = { "data_page_size", FIELD_DATA_PAGE_SIZE, NULL },
	[OUT_CODE_PAGE_SIZE] = { "code_page_size", FIELD_CODE_PAGE_SIZE, NULL },
	[OUT_INS_LAT] = { "ins_lat", FIELD_INS_LAT, NULL },
	[OUT_CGROUP] = { "cgroup", FIELD_CGROUP, NULL },
	[OUT_RETIRE_LAT] = { "retire_lat", FIELD_RETIRE_LAT, NULL },
	[OUT_INSN] = { "insn", FIELD_IP, NULL },
	[OUT_INSNLEN] = { "insnlen", FIELD_IP, NULL },
	[OUT_DISASM] = { "disasm", FIELD_IP, NULL },
	[OUT_SRCCODE] = { "srccode", FIELD_IP, NULL },
	[OUT_BRSTACKINSN] = { "brstackinsn", FIELD_BRANCHES, NULL },
	[OUT_BRSTACKINSNLEN] = { "brstackinsnlen", FIELD_BRANCHES, NULL },
	[OUT_BRSTACKDISASM] = { "brstackdisasm", FIELD_BRANCHES, NULL },
	[OUT_LOCK] = { "lock", ANY_SAMPLE, NULL },
	[OUT_HOLDER] = { "holder", ANY_SAMPLE, NULL },

#define AUX "it comes from AUX traces, which perf does not decode yet"
	{ "flags", 0, AUX },
	{ "callindent", 0, AUX },
	{ "synth", 0, AUX },
	{ "ipc", 0, AUX },
	{ "tod", 0, "perf script prints the times of the recording only" },
	{ "brcntr", 0, "the counters of branches are not printed" },
	{ "metric", 0, "it needs the metrics of perf stat, which perf does not have" },
	{ "machine_pid", 0, "it needs a recording of a guest that was added to one of its host" },
	{ "vcpu", 0, "it needs a recording of a guest that was added to one of its host" },
};

static const struct word_list fields_list = WORD_LIST("field", rows, 0);

static const char *const kinds[] = { "hw", "sw", "trace", "raw", NULL, "synth" };
static const struct word_list kinds_list = WORD_LIST("kind of event", kinds, 0);

static enum output_kind attr__kind(const struct perf_event_attr *attr)
{
	switch (attr->type) {
	case PERF_TYPE_HARDWARE:
		return KIND_HW;
	case PERF_TYPE_SOFTWARE:
		return KIND_SW;
	case PERF_TYPE_TRACEPOINT:
		return KIND_TRACE;
	case PERF_TYPE_RAW:
		return KIND_RAW;
	default:
		return KIND_OTHER;
	}
}

/* Can events of this kind have the field at all? */
static bool kind__may_have(enum output_kind kind, enum output_field f)
{
	return f == OUT_TRACE ? kind == KIND_TRACE : f == OUT_BPF_OUTPUT ? kind == KIND_SW : true;
}

void output_fields__init(struct output_fields *f)
{
	const u64 who = OUT(COMM) | OUT(TID) | OUT(CPU) | OUT(TIME) | OUT(EVENT);
	const u64 where = OUT(IP) | OUT(SYM) | OUT(SYMOFF) | OUT(DSO) | OUT(PERIOD);

	*f = (struct output_fields){ .fields = { 0 } };
	for (int k = 0; k < OUTPUT_KINDS; k++)
		f->fields[k] = who | where;
	f->fields[KIND_TRACE] = who | OUT(TRACE);
	f->fields[KIND_SW] |= OUT(BPF_OUTPUT);
	f->fields[KIND_RAW] |= OUT(ADDR) | OUT(DATA_SRC) | OUT(WEIGHT) | OUT(PHYS_ADDR) |
			       OUT(DATA_PAGE_SIZE) | OUT(CODE_PAGE_SIZE) | OUT(INS_LAT);
}

/* One word of a list: what it does, and to which field. */
struct field_word {
	char sign; /* '+', '-', or 0 */
	enum output_field field;
};

static int parse_word(const char *word, size_t len, struct field_word *w, struct err *err)
{
	int i;

	w->sign = len && strchr("+-", *word) ? *word : 0;
	i = word_list__choose(&fields_list, word + !!w->sign, len - !!w->sign, err);
	if (i < 0)
		return i;
	if (i >= OUT_FIELDS)
		return err__set(err, -EOPNOTSUPP, "field '%s' is not supported: %s", rows[i].name,
				rows[i].why);
	w->field = (enum output_field)i;
	return 0;
}

/* only: the kind that the list is for, or -1: all that may have the field. */
static int apply_word(struct output_fields *f, const struct field_word *w, int only, struct err *err)
{
	if (only >= 0 && !kind__may_have((enum output_kind)only, w->field))
		return err__set(err, -EINVAL, "field '%s' is not in samples of '%s' events",
				rows[w->field].name, kinds[only]);
	for (int k = 0; k < OUTPUT_KINDS; k++) {
		if ((only >= 0 && k != only) || !kind__may_have((enum output_kind)k, w->field))
			continue;
		f->is_set[k] = true;
		if (w->sign == '-') {
			f->fields[k] &= ~(1ull << w->field);
			f->asked[k] &= ~(1ull << w->field);
		} else {
			f->fields[k] |= 1ull << w->field;
			f->asked[k] |= 1ull << w->field;
		}
	}
	return 0;
}

/* A list without signs replaces the fields chosen before. */
static void output_fields__clear(struct output_fields *f, int only)
{
	for (int k = 0; k < OUTPUT_KINDS; k++)
		if (only < 0 || k == only) {
			f->fields[k] = f->asked[k] = 0;
			f->is_set[k] = true;
		}
}

int output_fields__parse(struct output_fields *f, const char *text, struct err *err)
{
	const char *colon = strchr(text, ':'), *list = colon ? colon + 1 : text;
	int only = -1, ret = 0;
	bool first = true, has_sign = false;

	if (colon && (only = word_list__choose(&kinds_list, text, (size_t)(colon - text), err)) < 0)
		return only;
	if (!*list) {
		if (!colon)
			return err__set(err, -EINVAL, "-F '' would print nothing");
		output_fields__clear(f, only);
	}
	for (const char *p = list; *p && !ret;) {
		size_t len = strcspn(p, ", ");
		struct field_word w = { 0 };

		if (len) {
			ret = parse_word(p, len, &w, err);
			if (!ret && !first && has_sign != (w.sign != 0))
				return err__set(
					err, -EINVAL,
					"'%s' has fields with and without + or -: write all in one way",
					text);
			if (!ret && first && !w.sign)
				output_fields__clear(f, only);
			if (!ret) {
				has_sign = w.sign != 0;
				first = false;
				ret = apply_word(f, &w, only, err);
			}
		}
		p += len + (p[len] != '\0');
	}
	return ret;
}

bool output_fields__asks(const struct output_fields *f, u64 fields)
{
	for (int k = 0; k < OUTPUT_KINDS; k++)
		if (f->asked[k] & fields)
			return true;
	return false;
}

/* ---- what the events of a recording have ---- */

/* Only waits have holders; who ended waits for a lock is a sample of that lock, too. */
static bool evsel__has_locks(const struct evsel *e, enum output_field f)
{
	enum wait_event event = evsel__wait_event(e);

	return e->attr.sample_type & PERF_SAMPLE_RAW &&
	       (event == WAIT_EVENT_OFF_CPU || (event == WAIT_EVENT_ENDED && f == OUT_LOCK));
}

static bool evsel__has(const struct evsel *e, enum output_field f)
{
	const struct perf_event_attr *attr = &e->attr;
	u32 needs = rows[f].needs;

	if (f == OUT_SRCLINE || f == OUT_IP)
		return attr->sample_type & (PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN);
	if (f == OUT_BPF_OUTPUT)
		return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_BPF_OUTPUT;
	if (f == OUT_LOCK || f == OUT_HOLDER)
		return evsel__has_locks(e, f);
	return needs == ANY_SAMPLE || sample_field__is_in(&sample_fields[needs], attr);
}

/* Samples of tracepoints with call chains show them by default. */
static u64 output_fields__of(const struct output_fields *f, const struct evsel *e, enum output_kind kind)
{
	u64 fields = f->fields[kind];

	if (kind == KIND_TRACE && !f->is_set[kind] && e->attr.sample_type & PERF_SAMPLE_CALLCHAIN)
		fields |= OUT(IP) | OUT(SYM) | OUT(SYMOFF) | OUT(DSO);
	return fields;
}

static void add_event(struct strbuf *names, const char *name)
{
	strbuf__addf(names, "%s'", names->len ? ", " : "");
	strbuf__add_masked(names, name);
	strbuf__addch(names, '\'');
}

/* In the words of stock perf: perf2bolt goes on without addresses of memory only if it reads them. */
static void add_lack(struct strbuf *sb, const char *events, const char *name)
{
	strbuf__addf(sb, "Samples for %s event do not have ", events);
	for (const char *c = name; *c; c++)
		strbuf__addch(sb, (char)toupper((unsigned char)*c));
	strbuf__addf(sb, " attribute set. Cannot print '%s' field.", name);
}

/* Check which events have a field that was asked for, and which lack it. */
static int check_field(const struct output_fields *f, const struct evlist *l, enum output_field field,
		       struct err *err)
{
	struct strbuf lacking = STRBUF_INIT, text = STRBUF_INIT;
	bool any = false, asked = false;
	int ret = 0;

	for (size_t i = 0; i < l->evsels.nr; i++) {
		const struct evsel *e = l->evsels.v[i];
		enum output_kind kind = attr__kind(&e->attr);

		asked |= f->asked[kind] >> field & 1;
		if (f->asked[kind] >> field & 1 && evsel__has(e, field))
			any = true;
		else
			add_event(&lacking, e->name);
	}
	if (lacking.len)
		add_lack(&text, lacking.buf, rows[field].name);
	if (asked && !any)
		ret = err__set(err, -EINVAL, "%s", text.buf);
	if (ret && 1ull << field & OUT_LOCKS)
		err__advise(err, "record with --off-cpu=locks");
	if (!ret && asked && lacking.len && !(1ull << field & OUT_LOCKS)) /* which few events ever have */
		info("%s", text.buf);
	strbuf__exit(&text);
	strbuf__exit(&lacking);
	return ret;
}

int output_fields__resolve(const struct output_fields *f, const struct evlist *l, u64 *by_event,
			   struct err *err)
{
	u64 asked = 0;

	for (size_t i = 0; i < l->evsels.nr; i++) {
		const struct evsel *e = l->evsels.v[i];
		enum output_kind kind = attr__kind(&e->attr);

		asked |= f->asked[kind];
		by_event[i] = output_fields__of(f, e, kind);
		for (int field = 0; field < OUT_FIELDS; field++)
			if (!evsel__has(e, (enum output_field)field))
				by_event[i] &= ~(1ull << field);
	}
	for (int field = 0; field < OUT_FIELDS; field++)
		if (asked >> field & 1) {
			int ret = check_field(f, l, (enum output_field)field, err);

			if (ret)
				return ret;
		}
	return 0;
}
