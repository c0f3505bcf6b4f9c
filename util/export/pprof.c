/*
 * pprof's profile.proto (github.com/google/pprof, proto/profile.proto), by the rules of its strictest
 * reader: ids count up from 1, string 0 is empty, all texts are UTF-8. Values are the number of samples,
 * then the weight of each event. Functions inlined at an address are lines of its location, the innermost
 * first.
 *
 * go build -pgo reads these files, too. It takes the first values, and of a line the distance from the first
 * line of the function. It wants what Go's own profiles have: functions by their names in the runtime, and no
 * wrappers, as of methods that are called through interfaces, so that these are callees of their callers.
 *
 * Addresses are offsets in the file, so each mapping begins at 0: the same function of several processes
 * is one location.
 */
#include "export/export_formats.h"

#include "base/text/path_name.h"
#include "export/labels.h"
#include "export/protobuf.h"
#include "format/read/features.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* fields of messages */
enum { /* Profile */
       PROFILE_SAMPLE_TYPE = 1,
       PROFILE_SAMPLE,
       PROFILE_MAPPING,
       PROFILE_LOCATION,
       PROFILE_FUNCTION,
       PROFILE_STRING,
       PROFILE_TIME = 9,
       PROFILE_DURATION,
       PROFILE_PERIOD_TYPE,
       PROFILE_PERIOD,
       PROFILE_COMMENT,
       PROFILE_DEFAULT_TYPE
};
enum { TYPE_TYPE = 1, TYPE_UNIT };
enum { SAMPLE_LOCATIONS = 1, SAMPLE_VALUES, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_TEXT, LABEL_NUMBER, LABEL_UNIT };
enum {
	MAPPING_ID = 1,
	MAPPING_START,
	MAPPING_LIMIT,
	MAPPING_OFFSET,
	MAPPING_FILE,
	MAPPING_BUILD_ID,
	MAPPING_HAS_FUNCTIONS,
	MAPPING_HAS_FILES,
	MAPPING_HAS_LINES,
	MAPPING_HAS_INLINES
};
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE };
enum { LINE_FUNCTION = 1, LINE_LINE };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_RAW_NAME, FUNCTION_FILE, FUNCTION_START_LINE };

struct pprof_frame {
	u32 function; /* id */
	u32 line, mapping;
	u64 addr, start; /* start: of the function that contains the code; 0: unknown */
	bool is_inlined;
	bool is_wrapper; /* code that Go's compiler made up; not shown */
};

struct pprof_function {
	u32 name, raw, file; /* strings */
	u32 start_line;      /* 0: unknown */
};

struct pprof_sample {
	u32 stack;
	u64 labels[LABELS]; /* of a number: itself + 1; of a text: its string; 0: no such label */
};

struct pprof {
	struct strpool strings;
	ARRAY(struct pprof_frame) frames;
	ARRAY(struct pprof_function) functions; /* by id - 1 */
	struct hash_table by_function;
	struct hash_table wrappers;   /* frames of wrappers, by start */
	ARRAY(u32) location_of_frame; /* of the function that is not inlined: id; 0: not written */
	u32 nr_locations;
	ARRAY(struct pprof_sample) samples;
	struct hash_table by_sample;
	ARRAY(u64) values; /* of each sample: count, then a value for each event */
	ARRAY(u32) value_of_event;
	u32 nr_values;
};

static u32 pprof__string(struct pprof *p, const char *text)
{
	return text ? strpool__intern(&p->strings, text) : 0;
}

/* Add the type of an event's values. Engines know times by the names "cpu" and "off_cpu". */
static void pprof__add_type(struct pprof *p, struct strbuf *sb, u32 field, const char *type, const char *unit)
{
	size_t from = protobuf__open(sb, field);

	protobuf__add_number(sb, TYPE_TYPE, pprof__string(p, type));
	protobuf__add_number(sb, TYPE_UNIT, pprof__string(p, unit));
	protobuf__close(sb, from);
}

static void pprof__add_types(struct export *x, struct pprof *p)
{
	struct strbuf *sb = &x->out->text;
	const struct export_event *period = NULL;

	pprof__add_type(p, sb, PROFILE_SAMPLE_TYPE, "samples", "count");
	p->nr_values = 1;
	for (size_t i = 0; i < x->events.nr; i++) {
		const struct export_event *e = &x->events.v[i];

		array__add(&p->value_of_event, e->nr ? p->nr_values++ : 0);
		if (!e->nr)
			continue;
		pprof__add_type(p, sb, PROFILE_SAMPLE_TYPE, export_event__type(e),
				e->is_time ? "nanoseconds" : "count");
		protobuf__add_number(sb, PROFILE_DEFAULT_TYPE,
				     period ? 0 : pprof__string(p, export_event__type(e)));
		period = period ? period : e;
	}
	if (!period)
		return;
	pprof__add_type(p, sb, PROFILE_PERIOD_TYPE, export_event__type(period),
			period->is_time ? "nanoseconds" : "count");
	protobuf__add_number(sb, PROFILE_PERIOD, period->weight / period->nr);
}

static int pprof__begin(struct export *x, struct err *err)
{
	struct pprof *p = xcalloc(1, sizeof(*p));
	struct strbuf *sb = &x->out->text;
	char *host = NULL, lost[64];

	(void)err;
	strpool__init(&p->strings);
	x->data = p;
	pprof__add_types(x, p);
	protobuf__add_number(sb, PROFILE_TIME, x->epoch);
	protobuf__add_number(sb, PROFILE_DURATION, x->last - x->first);
	if (!features__string(x->session->reader, FEATURE_HOSTNAME, &host))
		protobuf__add_number(sb, PROFILE_COMMENT, pprof__string(p, host));
	free(host);
	snprintf(lost, sizeof(lost), "lost samples: %llu", (unsigned long long)x->nr_lost);
	if (x->nr_lost)
		protobuf__add_number(sb, PROFILE_COMMENT, pprof__string(p, lost));
	return 0;
}

static void pprof__binary(struct export *x, u32 id, const struct export_binary *b)
{
	struct pprof *p = x->data;
	struct strbuf *sb = &x->out->text, hex = STRBUF_INIT;
	size_t from = protobuf__open(sb, PROFILE_MAPPING);

	for (size_t i = 0; i < b->dso->build_id.size; i++)
		strbuf__addf(&hex, "%02x", b->dso->build_id.data[i]);
	protobuf__add_number(sb, MAPPING_ID, (u64)id + 1);
	protobuf__add_number(sb, MAPPING_LIMIT, b->end);
	protobuf__add_number(sb, MAPPING_FILE, pprof__string(p, b->path));
	protobuf__add_number(sb, MAPPING_BUILD_ID, pprof__string(p, hex.buf));
	for (u32 has = MAPPING_HAS_FUNCTIONS; has <= MAPPING_HAS_INLINES; has++)
		protobuf__add_bool(sb, has, true);
	protobuf__close(sb, from);
	strbuf__exit(&hex);
}

/* Return the string of a name as shown. Go's linker adds the calling convention to names of assembly code. */
static u32 pprof__name(struct pprof *p, const char *name)
{
	static const char convention[] = ".abi0";
	size_t len = strlen(name), tail = sizeof(convention) - 1;
	char *cut;
	u32 id;

	if (len <= tail || strcmp(name + len - tail, convention))
		return pprof__string(p, name);
	cut = xasprintf("%.*s", (int)(len - tail), name);
	id = pprof__string(p, cut);
	free(cut);
	return id;
}

/* Is it code that Go's compiler made up, without a source? */
static bool is_of_wrapper(const struct export_frame *frame)
{
	return frame->file && !strcmp(path__name(frame->file), "<autogenerated>");
}

static u32 pprof__function(struct export *x, struct pprof *p, const struct export_frame *frame)
{
	struct strbuf *sb = &x->out->text;
	const struct pprof_function f = { pprof__name(p, frame->function),
					  pprof__string(p, frame->own_symbol ? frame->own_symbol
									     : frame->function),
					  pprof__string(p, frame->file), frame->start_line };
	u64 hash = hash__add(hash__add(f.name, f.raw), (u64)f.start_line << 32 | f.file);
	size_t from;
	u32 i;

	hash_table__for_each (&p->by_function, hash, i)
		if (!memcmp(&p->functions.v[i], &f, sizeof(f)))
			return i + 1;
	i = (u32)p->functions.nr;
	hash_table__insert(&p->by_function, hash, i);
	array__add(&p->functions, f);
	from = protobuf__open(sb, PROFILE_FUNCTION);
	protobuf__add_number(sb, FUNCTION_ID, (u64)i + 1);
	protobuf__add_number(sb, FUNCTION_NAME, f.name);
	protobuf__add_number(sb, FUNCTION_RAW_NAME, f.raw);
	protobuf__add_number(sb, FUNCTION_FILE, f.file);
	protobuf__add_number(sb, FUNCTION_START_LINE, f.start_line);
	protobuf__close(sb, from);
	return i + 1;
}

static void pprof__frame(struct export *x, u32 id, const struct export_frame *frame)
{
	struct pprof *p = x->data;

	(void)id;
	if (is_of_wrapper(frame) && !frame->is_inlined && frame->function_addr)
		hash_table__insert(&p->wrappers, hash__u64(frame->function_addr), (u32)p->frames.nr);
	array__add(&p->location_of_frame, 0);
	array__add(&p->frames,
		   ((struct pprof_frame){ .function = pprof__function(x, p, frame),
					  .line = frame->line,
					  .mapping = frame->binary == UINT32_MAX ? 0 : frame->binary + 1,
					  .addr = frame->addr,
					  .start = frame->function_addr,
					  .is_inlined = frame->is_inlined,
					  .is_wrapper = is_of_wrapper(frame) }));
}

/* Mark the code of wrappers that has no line: their first instructions. */
static void pprof__mark_wrappers(struct pprof *p)
{
	for (size_t i = 0; i < p->frames.nr; i++) {
		struct pprof_frame *f = &p->frames.v[i];
		u32 k;

		if (f->line || f->is_inlined)
			continue;
		hash_table__for_each (&p->wrappers, hash__u64(f->start), k)
			f->is_wrapper |=
				p->frames.v[k].start == f->start && p->frames.v[k].mapping == f->mapping;
	}
}

/*
 * Return the location of the innermost frame of *stack, with all functions inlined there, and set *stack
 * to the caller. The functions at an address are always the same, so the one that is not inlined stands
 * for them. Return 0 if all of them are wrappers.
 */
static u32 pprof__location(struct export *x, struct pprof *p, u32 *stack)
{
	struct strbuf *sb = &x->out->text;
	u32 first = *stack, last = first, *id;
	const struct pprof_frame *f = &p->frames.v[x->tree.v[last].frame];
	size_t from, line;
	bool is_shown = !f->is_wrapper;

	while (f->is_inlined && x->tree.v[last].parent) {
		last = x->tree.v[last].parent;
		f = &p->frames.v[x->tree.v[last].frame];
		is_shown |= !f->is_wrapper;
	}
	*stack = x->tree.v[last].parent;
	id = &p->location_of_frame.v[x->tree.v[last].frame];
	if (*id || !is_shown)
		return *id;
	*id = ++p->nr_locations;
	from = protobuf__open(sb, PROFILE_LOCATION);
	protobuf__add_number(sb, LOCATION_ID, *id);
	protobuf__add_number(sb, LOCATION_MAPPING, f->mapping);
	protobuf__add_number(sb, LOCATION_ADDRESS, f->addr);
	for (u32 at = first; at != *stack; at = x->tree.v[at].parent) {
		f = &p->frames.v[x->tree.v[at].frame];
		if (f->is_wrapper)
			continue;
		line = protobuf__open(sb, LOCATION_LINE);
		protobuf__add_number(sb, LINE_FUNCTION, f->function);
		protobuf__add_number(sb, LINE_LINE, f->line);
		protobuf__close(sb, line);
	}
	protobuf__close(sb, from);
	return *id;
}

static u64 pprof__label(struct export *x, struct pprof *p, enum export_label label,
			const struct export_sample *s)
{
	u64 number;

	if (!(x->labels & 1u << label))
		return 0;
	if (export_label__is_text(label))
		return pprof__string(p, export_label__text(label, x, s));
	return export_label__number(label, x, s, &number) ? number + 1 : 0;
}

static void pprof__sample(struct export *x, const struct export_sample *s)
{
	struct pprof *p = x->data;
	struct pprof_sample key = { .stack = s->stack };
	u64 hash = s->stack;
	u32 i;

	for (i = 0; i < LABELS; i++) {
		key.labels[i] = pprof__label(x, p, i, s);
		hash = hash__add(hash, key.labels[i]);
	}
	hash_table__for_each (&p->by_sample, hash, i)
		if (p->samples.v[i].stack == key.stack &&
		    !memcmp(p->samples.v[i].labels, key.labels, sizeof(key.labels)))
			goto count;
	i = (u32)p->samples.nr;
	hash_table__insert(&p->by_sample, hash, i);
	array__add(&p->samples, key);
	for (u32 k = 0; k < p->nr_values; k++)
		array__add(&p->values, 0);
count:
	p->values.v[(size_t)i * p->nr_values] += s->nr;
	p->values.v[(size_t)i * p->nr_values + p->value_of_event.v[s->event]] += s->weight;
}

static void pprof__write_label(struct pprof *p, struct strbuf *sb, enum export_label label, u64 value)
{
	size_t from = protobuf__open(sb, SAMPLE_LABEL);

	protobuf__add_number(sb, LABEL_KEY, pprof__string(p, export_label__name(label)));
	if (export_label__is_text(label))
		protobuf__add_number(sb, LABEL_TEXT, value);
	else
		protobuf__add_number(sb, LABEL_NUMBER, value - 1);
	if (label == LABEL_TIMESTAMP)
		protobuf__add_number(sb, LABEL_UNIT, pprof__string(p, "nanoseconds"));
	protobuf__close(sb, from);
}

/* Write a sample. A location is written on its first use, so it is before the sample, not in it. */
static void pprof__write_sample(struct export *x, struct pprof *p, size_t index)
{
	const struct pprof_sample *s = &p->samples.v[index];
	struct strbuf *sb = &x->out->text, ids = STRBUF_INIT;
	size_t from, packed;

	for (u32 stack = s->stack; stack;) {
		u32 id = pprof__location(x, p, &stack);

		if (id)
			protobuf__add_varint(&ids, id);
	}
	from = protobuf__open(sb, PROFILE_SAMPLE);
	protobuf__add_bytes(sb, SAMPLE_LOCATIONS, ids.buf, ids.len);
	packed = protobuf__open(sb, SAMPLE_VALUES);
	for (u32 i = 0; i < p->nr_values; i++)
		protobuf__add_varint(sb, p->values.v[index * p->nr_values + i]);
	protobuf__close(sb, packed);
	for (u32 i = 0; i < LABELS; i++)
		if (s->labels[i])
			pprof__write_label(p, sb, i, s->labels[i]);
	protobuf__close(sb, from);
	strbuf__exit(&ids);
	export_out__flow(x->out);
}

static void pprof__end(struct export *x)
{
	struct pprof *p = x->data;

	pprof__mark_wrappers(p);
	for (size_t i = 0; i < p->samples.nr; i++)
		pprof__write_sample(x, p, i);
	for (u32 i = 0; i < p->strings.strings.nr; i++) {
		protobuf__add_text(&x->out->text, PROFILE_STRING, strpool__get(&p->strings, i));
		export_out__flow(x->out);
	}
	strpool__exit(&p->strings);
	array__exit(&p->frames);
	array__exit(&p->functions);
	hash_table__exit(&p->by_function);
	hash_table__exit(&p->wrappers);
	array__exit(&p->location_of_frame);
	array__exit(&p->samples);
	hash_table__exit(&p->by_sample);
	array__exit(&p->values);
	array__exit(&p->value_of_event);
	free(p);
}

const struct export_format export_pprof = {
	.name = "pprof",
	.suffix = ".pb.gz",
	.help = "profile.proto, for pprof and engines that take its files",
	.is_packed = true,
	.parts = EXPORT_LOST,
	.labels = 1u << LABEL_COMM,
	.starts = true,
	.begin = pprof__begin,
	.binary = pprof__binary,
	.frame = pprof__frame,
	.sample = pprof__sample,
	.end = pprof__end,
};
