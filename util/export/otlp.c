/*
 * OpenTelemetry's profiles, v1development (github.com/open-telemetry/opentelemetry-proto 1.11.0,
 * opentelemetry/proto/profiles/v1development/profiles.proto): a ProfilesData. The format is not stable yet;
 * all that knows it is in this file.
 *
 * A process is a resource, with a profile for each event; with labels of its origin, it is one for each
 * control group and program that it had. A sample is a stack with attributes, and the times and values of
 * all samples that are equal in these. All names are in the dictionary; it is one message that may come in
 * pieces, which readers merge. The size of a message comes before it, so samples are passed twice: first to
 * add up sizes.
 *
 * Times are since 1970. Addresses are offsets in binaries, as in pprof.c.
 */
#include "export/export_formats.h"
#include "export/labels.h"
#include "export/protobuf.h"
#include "format/read/features.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

/* fields of messages */
enum { DATA_RESOURCE_PROFILES = 1, DATA_DICTIONARY };
enum {
	DICTIONARY_MAPPING = 1,
	DICTIONARY_LOCATION,
	DICTIONARY_FUNCTION,
	DICTIONARY_LINK,
	DICTIONARY_STRING,
	DICTIONARY_ATTRIBUTE,
	DICTIONARY_STACK
};
enum { RESOURCE_PROFILES_RESOURCE = 1, RESOURCE_PROFILES_SCOPE };
enum { RESOURCE_ATTRIBUTE = 1 };
enum { SCOPE_PROFILES_SCOPE = 1, SCOPE_PROFILES_PROFILE };
enum { SCOPE_NAME = 1 };
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE,
	PROFILE_TIME,
	PROFILE_DURATION,
	PROFILE_PERIOD_TYPE,
	PROFILE_PERIOD,
	PROFILE_ID
};
enum { TYPE_TYPE = 1, TYPE_UNIT };
enum { SAMPLE_STACK = 1, SAMPLE_ATTRIBUTES, SAMPLE_VALUES = 4, SAMPLE_TIMES };
enum { MAPPING_LIMIT = 2, MAPPING_FILE = 4, MAPPING_ATTRIBUTES };
enum { LOCATION_MAPPING = 1, LOCATION_ADDRESS, LOCATION_LINE, LOCATION_ATTRIBUTES };
enum { LINE_FUNCTION = 1, LINE_LINE };
enum { FUNCTION_NAME = 1, FUNCTION_RAW_NAME, FUNCTION_FILE };
enum { STACK_LOCATIONS = 1 };
enum { ATTRIBUTE_KEY = 1, ATTRIBUTE_VALUE };
enum { LINK_TRACE = 1, LINK_SPAN, TRACE_SIZE = 16, SPAN_SIZE = 8 };
/* of common.proto */
enum { KEY_VALUE_KEY = 1, KEY_VALUE_VALUE };
enum { VALUE_TEXT = 1, VALUE_NUMBER = 3, VALUE_STRING = 8 };

/* by the semantic conventions; NULL: not an attribute of samples */
static const char *const keys[LABELS] = {
	[LABEL_COMM] = "thread.name",
	[LABEL_TID] = "thread.id",
	[LABEL_CPU] = "cpu.logical_number",
	[LABEL_CGROUP] = "process.linux.cgroup",
	[LABEL_LOCK] = "lock",
	[LABEL_HOLDER] = "lock.holder",
};

struct otlp_frame {
	u32 function; /* index in the dictionary */
	u32 line, mapping;
	u64 addr;
	bool is_inlined, is_kernel;
};

struct otlp_function {
	u32 name, raw, file; /* strings */
};

struct otlp_attribute {
	u32 key; /* string */
	bool is_text;
	u64 value; /* of a text the string */
};

struct otlp_profile {
	struct strbuf head; /* its fields but the samples */
	u64 size;           /* bytes of head and samples */
};

struct otlp_process { /* of one origin */
	u32 pid, origin;
	struct strbuf resource, scope; /* their fields */
	size_t first;                  /* profile */
};

struct otlp {
	struct strpool strings;
	struct strbuf dictionary; /* the part that is not written yet */
	ARRAY(struct otlp_frame) frames;
	ARRAY(struct otlp_function) functions; /* by index - 1 */
	struct hash_table by_function;
	ARRAY(struct otlp_attribute) attributes; /* by index - 1 */
	struct hash_table by_attribute;
	ARRAY(u32) location_of_frame; /* of the function that is not inlined: index; 0: not written */
	u32 nr_locations;
	ARRAY(u32) stacks; /* by stack: index; 0: not written */
	u32 nr_stacks;
	ARRAY(struct otlp_process) processes;
	ARRAY(struct otlp_profile) profiles;
	struct {
		const char *text;
		u64 number;
		u32 attribute;     /* 0: none yet */
	} labels[LABELS];          /* the last value of each, and its attribute */
	struct export_sample last; /* of the message that is being made */
	bool has_last;
	u64 nr_times;
	struct strbuf values, times, scratch; /* times: not while sizes are measured */
	size_t process, profile;              /* the next ones to write */
};

/* ---- dictionary ---- */

static u32 otlp__string(struct otlp *o, const char *text)
{
	return text ? strpool__intern(&o->strings, text) : 0;
}

/* Write the pieces of the dictionary that are complete. Not inside of another message. */
static void otlp__flow(struct export *x, struct otlp *o, size_t least)
{
	if (o->dictionary.len < least)
		return;
	protobuf__add_bytes(&x->out->text, DATA_DICTIONARY, o->dictionary.buf, o->dictionary.len);
	strbuf__reset(&o->dictionary);
	export_out__flow(x->out);
}

static u32 otlp__attribute(struct otlp *o, const char *key, const char *text, u64 number)
{
	const struct otlp_attribute a = { otlp__string(o, key), text != NULL,
					  text ? otlp__string(o, text) : number };
	u64 hash = hash__add((u64)a.key << 1 | a.is_text, a.value);
	size_t from, value;
	u32 i;

	hash_table__for_each (&o->by_attribute, hash, i)
		if (o->attributes.v[i].key == a.key && o->attributes.v[i].is_text == a.is_text &&
		    o->attributes.v[i].value == a.value)
			return i + 1;
	i = (u32)o->attributes.nr;
	hash_table__insert(&o->by_attribute, hash, i);
	array__add(&o->attributes, a);
	from = protobuf__open(&o->dictionary, DICTIONARY_ATTRIBUTE);
	protobuf__add_number(&o->dictionary, ATTRIBUTE_KEY, a.key);
	value = protobuf__open(&o->dictionary, ATTRIBUTE_VALUE);
	protobuf__add_member(&o->dictionary, a.is_text ? VALUE_STRING : VALUE_NUMBER, a.value);
	protobuf__close(&o->dictionary, value);
	protobuf__close(&o->dictionary, from);
	return i + 1;
}

/* Append the index of one attribute as a list. */
static void add_attribute(struct strbuf *sb, u32 field, u32 attribute)
{
	size_t from = protobuf__open(sb, field);

	protobuf__add_varint(sb, attribute);
	protobuf__close(sb, from);
}

/* Begin the tables. The first element of each means "none". */
static void otlp__begin_tables(struct otlp *o)
{
	static const u8 zeros[TRACE_SIZE];

	for (u32 table = DICTIONARY_MAPPING; table <= DICTIONARY_STACK; table++) {
		size_t from;

		if (table == DICTIONARY_STRING) /* the strings are written at the end */
			continue;
		from = protobuf__open(&o->dictionary, table);
		if (table == DICTIONARY_LINK) {
			protobuf__add_bytes(&o->dictionary, LINK_TRACE, zeros, TRACE_SIZE);
			protobuf__add_bytes(&o->dictionary, LINK_SPAN, zeros, SPAN_SIZE);
		}
		protobuf__close(&o->dictionary, from);
	}
}

static int otlp__begin(struct export *x, struct err *err)
{
	struct otlp *o = xcalloc(1, sizeof(*o));

	(void)err;
	x->data = o;
	strpool__init(&o->strings);
	strbuf__init(&o->dictionary);
	strbuf__init(&o->values);
	strbuf__init(&o->times);
	strbuf__init(&o->scratch);
	otlp__begin_tables(o);
	for (size_t i = 0; i < x->tree.nr; i++)
		array__add(&o->stacks, 0);
	return 0;
}

static void otlp__binary(struct export *x, u32 id, const struct export_binary *b)
{
	struct otlp *o = x->data;
	struct strbuf *sb = &o->dictionary, hex = STRBUF_INIT;
	u32 attribute = 0;
	size_t from;

	(void)id;
	for (size_t i = 0; i < b->dso->build_id.size; i++)
		strbuf__addf(&hex, "%02x", b->dso->build_id.data[i]);
	if (hex.len)
		attribute = otlp__attribute(o, "process.executable.build_id.gnu", hex.buf, 0);
	from = protobuf__open(sb, DICTIONARY_MAPPING);
	protobuf__add_number(sb, MAPPING_LIMIT, b->end);
	protobuf__add_number(sb, MAPPING_FILE, otlp__string(o, b->path));
	if (attribute)
		add_attribute(sb, MAPPING_ATTRIBUTES, attribute);
	protobuf__close(sb, from);
	strbuf__exit(&hex);
}

static u32 otlp__function(struct otlp *o, const struct export_frame *frame)
{
	struct strbuf *sb = &o->dictionary;
	const struct otlp_function f = {
		otlp__string(o, frame->function),
		otlp__string(o, frame->symbol && !frame->is_inlined ? frame->symbol : frame->function),
		otlp__string(o, frame->file)
	};
	u64 hash = hash__add(hash__add(f.name, f.raw), f.file);
	size_t from;
	u32 i;

	hash_table__for_each (&o->by_function, hash, i)
		if (!memcmp(&o->functions.v[i], &f, sizeof(f)))
			return i + 1;
	i = (u32)o->functions.nr;
	hash_table__insert(&o->by_function, hash, i);
	array__add(&o->functions, f);
	from = protobuf__open(sb, DICTIONARY_FUNCTION);
	protobuf__add_number(sb, FUNCTION_NAME, f.name);
	protobuf__add_number(sb, FUNCTION_RAW_NAME, f.raw);
	protobuf__add_number(sb, FUNCTION_FILE, f.file);
	protobuf__close(sb, from);
	return i + 1;
}

static void otlp__frame(struct export *x, u32 id, const struct export_frame *frame)
{
	struct otlp *o = x->data;

	(void)id;
	array__add(&o->location_of_frame, 0);
	array__add(&o->frames,
		   ((struct otlp_frame){ .function = otlp__function(o, frame),
					 .line = frame->line,
					 .mapping = frame->binary == UINT32_MAX ? 0 : frame->binary + 1,
					 .addr = frame->addr,
					 .is_inlined = frame->is_inlined,
					 .is_kernel = frame->is_kernel }));
	otlp__flow(x, o, EXPORT_OUT_BLOCK);
}

/*
 * Return the location of the innermost frame of *stack, with all functions inlined there, and set *stack to
 * the caller.
 */
static u32 otlp__location(struct export *x, struct otlp *o, u32 *stack)
{
	struct strbuf *sb = &o->dictionary;
	u32 first = *stack, last = first, *id, type;
	const struct otlp_frame *f = &o->frames.v[x->tree.v[last].frame];
	size_t from, line;

	while (f->is_inlined && x->tree.v[last].parent) {
		last = x->tree.v[last].parent;
		f = &o->frames.v[x->tree.v[last].frame];
	}
	*stack = x->tree.v[last].parent;
	id = &o->location_of_frame.v[x->tree.v[last].frame];
	if (*id)
		return *id;
	*id = ++o->nr_locations;
	type = otlp__attribute(o, "profile.frame.type", f->is_kernel ? "kernel" : "native", 0);
	from = protobuf__open(sb, DICTIONARY_LOCATION);
	protobuf__add_number(sb, LOCATION_MAPPING, f->mapping);
	protobuf__add_number(sb, LOCATION_ADDRESS, f->addr);
	for (u32 at = first; at != *stack; at = x->tree.v[at].parent) {
		f = &o->frames.v[x->tree.v[at].frame];
		line = protobuf__open(sb, LOCATION_LINE);
		protobuf__add_number(sb, LINE_FUNCTION, f->function);
		protobuf__add_number(sb, LINE_LINE, f->line);
		protobuf__close(sb, line);
	}
	add_attribute(sb, LOCATION_ATTRIBUTES, type);
	protobuf__close(sb, from);
	return *id;
}

static u32 otlp__stack(struct export *x, struct otlp *o, u32 stack)
{
	struct strbuf ids = STRBUF_INIT;
	size_t from;

	if (!stack || o->stacks.v[stack])
		return o->stacks.v[stack];
	for (u32 at = stack; at;)
		protobuf__add_varint(&ids, otlp__location(x, o, &at));
	from = protobuf__open(&o->dictionary, DICTIONARY_STACK);
	protobuf__add_bytes(&o->dictionary, STACK_LOCATIONS, ids.buf, ids.len);
	protobuf__close(&o->dictionary, from);
	strbuf__exit(&ids);
	return o->stacks.v[stack] = ++o->nr_stacks;
}

/* ---- processes and profiles ---- */

static void add_text_value(struct strbuf *sb, u32 field, const char *key, const char *text)
{
	size_t from = protobuf__open(sb, field), value;

	protobuf__add_text(sb, KEY_VALUE_KEY, key);
	value = protobuf__open(sb, KEY_VALUE_VALUE);
	protobuf__add_text(sb, VALUE_TEXT, text);
	protobuf__close(sb, value);
	protobuf__close(sb, from);
}

/* pair: "KEY=VALUE" */
static void add_pair(struct strbuf *sb, u32 field, const char *pair)
{
	size_t len = strcspn(pair, "=");
	char *key = xasprintf("%.*s", (int)len, pair);

	add_text_value(sb, field, key, pair[len] ? pair + len + 1 : "");
	free(key);
}

/*
 * Add the resource attributes of a sample. A service that the user gives for all samples replaces the
 * sample's own.
 */
static void otlp__add_service(const struct export *x, struct strbuf *sb, const struct export_thread *t,
			      const struct export_origin *origin)
{
	const char *service = x->args->service ? x->args->service : origin->service;

	add_text_value(sb, RESOURCE_ATTRIBUTE, "service.name", service ? service : t->process);
	if (service)
		add_text_value(sb, RESOURCE_ATTRIBUTE, "process.executable.name", t->process);
	if (origin->container)
		add_text_value(sb, RESOURCE_ATTRIBUTE, "container.id", origin->container);
	if (origin->version)
		add_text_value(sb, RESOURCE_ATTRIBUTE, "service.version", origin->version);
}

static void otlp__add_process(struct export *x, struct otlp *o, const struct export_sample *s)
{
	const struct export_thread *t = &x->threads.v[s->thread];
	struct otlp_process *p = array__push(&o->processes);
	size_t from, value;
	char *host = NULL;

	*p = (struct otlp_process){ .pid = t->pid, .origin = s->origin, .first = o->profiles.nr };
	strbuf__init(&p->resource);
	strbuf__init(&p->scope);
	otlp__add_service(x, &p->resource, t, export__origin(x, s));
	for (size_t i = 0; i < x->args->nr_attributes; i++)
		add_pair(&p->resource, RESOURCE_ATTRIBUTE, x->args->attributes[i]);
	from = protobuf__open(&p->resource, RESOURCE_ATTRIBUTE);
	protobuf__add_text(&p->resource, KEY_VALUE_KEY, "process.pid");
	value = protobuf__open(&p->resource, KEY_VALUE_VALUE);
	protobuf__add_member(&p->resource, VALUE_NUMBER, (u64)(s32)t->pid);
	protobuf__close(&p->resource, value);
	protobuf__close(&p->resource, from);
	if (!features__string(x->session->reader, FEATURE_HOSTNAME, &host))
		add_text_value(&p->resource, RESOURCE_ATTRIBUTE, "host.name", host);
	free(host);
	protobuf__add_text(&p->scope, SCOPE_NAME, "perf");
}

static void otlp__add_type(struct otlp *o, struct strbuf *sb, u32 field, const char *type, const char *unit)
{
	size_t from = protobuf__open(sb, field);

	protobuf__add_number(sb, TYPE_TYPE, otlp__string(o, type));
	protobuf__add_number(sb, TYPE_UNIT, otlp__string(o, unit));
	protobuf__close(sb, from);
}

/*
 * The id of the newest profile, by which a server knows one that is sent again: a hash of the host, the time,
 * the process and what its event adds up to. It is the same each time that a recording is exported.
 */
static void otlp__add_id(const struct export *x, const struct otlp *o, u32 event, struct strbuf *sb)
{
	const struct otlp_process *p = &o->processes.v[o->processes.nr - 1];
	const struct export_event *e = &x->events.v[event];
	const u64 words[] = { x->epoch, x->last - x->first, p->pid, event, o->profiles.nr, e->nr, e->weight };
	u64 id[2];

	for (size_t i = 0; i < ARRAY_SIZE(id); i++)
		id[i] = htole64(hash__words(words, ARRAY_SIZE(words),
					    hash__bytes(p->resource.buf, p->resource.len, i + 1)));
	protobuf__add_bytes(sb, PROFILE_ID, id, sizeof(id));
}

/*
 * Add a profile in one of the two forms that engines know best: samples/count, each sample for a period of
 * cpu/nanoseconds; and off_cpu/nanoseconds. If the weights of samples differ, the weights are the values.
 */
static void otlp__add_profile(struct export *x, struct otlp *o, u32 event)
{
	const struct export_event *e = &x->events.v[event];
	const char *unit = e->is_time ? "nanoseconds" : "count", *type = export_event__type(e);
	struct otlp_profile *p = array__push(&o->profiles);
	u64 period = e->period;

	*p = (struct otlp_profile){ .head = STRBUF_INIT };
	if (period)
		otlp__add_type(o, &p->head, PROFILE_SAMPLE_TYPE, "samples", "count");
	else
		otlp__add_type(o, &p->head, PROFILE_SAMPLE_TYPE, type, unit);
	protobuf__add_fixed64(&p->head, PROFILE_TIME, x->epoch);
	protobuf__add_number(&p->head, PROFILE_DURATION, x->last - x->first + 1);
	if (e->kind == SAMPLE_RUNNING) {
		otlp__add_type(o, &p->head, PROFILE_PERIOD_TYPE, type, unit);
		protobuf__add_number(&p->head, PROFILE_PERIOD, period ? period : e->weight / e->nr);
	}
	otlp__add_id(x, o, event, &p->head);
	p->size = p->head.len;
}

/* ---- samples ---- */

/* Return the index of the attribute for a label; 0: none. */
static u32 otlp__label(const struct export *x, struct otlp *o, enum export_label label)
{
	const char *text = NULL;
	u64 number = 0;

	if (!keys[label] || !(x->labels & 1u << label))
		return 0;
	if (export_label__is_text(label))
		text = export_label__text(label, x, &o->last);
	else if (!export_label__number(label, x, &o->last, &number))
		return 0;
	if (export_label__is_text(label) && (!text || !*text))
		return 0;
	if (!o->labels[label].attribute || o->labels[label].text != text ||
	    o->labels[label].number != number) {
		o->labels[label].text = text;
		o->labels[label].number = number;
		o->labels[label].attribute = otlp__attribute(o, keys[label], text, (u64)(s32)number);
	}
	return o->labels[label].attribute;
}

/* Make the message of the last samples in scratch, but for its head and the times, which end it. */
static void otlp__make_sample(struct export *x, struct otlp *o)
{
	struct strbuf *sb = &o->scratch;
	size_t list;
	u32 attribute;

	strbuf__reset(sb);
	protobuf__add_number(sb, SAMPLE_STACK, otlp__stack(x, o, o->last.stack));
	list = protobuf__open(sb, SAMPLE_ATTRIBUTES);
	for (enum export_label l = 0; l < LABELS; l++)
		if ((attribute = otlp__label(x, o, l)))
			protobuf__add_varint(sb, attribute);
	protobuf__close(sb, list);
	if (o->values.len)
		protobuf__add_bytes(sb, SAMPLE_VALUES, o->values.buf, o->values.len);
	strbuf__reset(&o->values);
}

/* Return how many bytes a message takes, with its field and size. */
static u64 message_size(u32 field, u64 size)
{
	return protobuf__head_size(field, size) + size;
}

/* Write what comes before the first profile of the next process. */
static void otlp__begin_process(struct export *x, struct otlp *o)
{
	const struct otlp_process *p = &o->processes.v[o->process++];
	size_t end = o->process < o->processes.nr ? o->processes.v[o->process].first : o->profiles.nr;
	u64 size = message_size(SCOPE_PROFILES_SCOPE, p->scope.len);
	struct strbuf *sb = &x->out->text;

	for (size_t i = p->first; i < end; i++)
		size += message_size(SCOPE_PROFILES_PROFILE, o->profiles.v[i].size);
	protobuf__add_head(sb, DATA_RESOURCE_PROFILES,
			   message_size(RESOURCE_PROFILES_RESOURCE, p->resource.len) +
				   message_size(RESOURCE_PROFILES_SCOPE, size));
	protobuf__add_bytes(sb, RESOURCE_PROFILES_RESOURCE, p->resource.buf, p->resource.len);
	protobuf__add_head(sb, RESOURCE_PROFILES_SCOPE, size);
	protobuf__add_bytes(sb, SCOPE_PROFILES_SCOPE, p->scope.buf, p->scope.len);
}

static void otlp__begin_profile(struct export *x, struct otlp *o)
{
	const struct otlp_profile *p = &o->profiles.v[o->profile];

	if (o->process < o->processes.nr && o->processes.v[o->process].first == o->profile)
		otlp__begin_process(x, o);
	protobuf__add_head(&x->out->text, SCOPE_PROFILES_PROFILE, p->size);
	strbuf__add(&x->out->text, p->head.buf, p->head.len);
	o->profile++;
}

static void otlp__end_sample(struct export *x, struct otlp *o)
{
	struct strbuf *sb = &x->out->text;
	u64 size;

	if (!o->has_last)
		return;
	otlp__make_sample(x, o);
	size = o->scratch.len + message_size(SAMPLE_TIMES, o->nr_times * sizeof(u64));
	if (x->is_measuring) {
		o->profiles.v[o->profiles.nr - 1].size += message_size(PROFILE_SAMPLE, size);
	} else {
		protobuf__add_head(sb, PROFILE_SAMPLE, size);
		strbuf__add(sb, o->scratch.buf, o->scratch.len);
		protobuf__add_bytes(sb, SAMPLE_TIMES, o->times.buf, o->times.len);
		strbuf__reset(&o->times);
	}
	o->nr_times = 0;
	o->has_last = false;
}

/* Begin the profile of a sample that has another process or event than the last one, or is the first. */
static void otlp__next_profile(struct export *x, struct otlp *o, const struct export_sample *s)
{
	const struct otlp_process *last = o->processes.nr ? &o->processes.v[o->processes.nr - 1] : NULL;

	if (!x->is_measuring) {
		otlp__begin_profile(x, o);
		return;
	}
	otlp__flow(x, o, EXPORT_OUT_BLOCK);
	if (!last || last->pid != x->threads.v[s->thread].pid || last->origin != s->origin)
		otlp__add_process(x, o, s);
	otlp__add_profile(x, o, s->event);
}

static bool is_other_profile(const struct export *x, const struct export_sample *a,
			     const struct export_sample *b)
{
	return a->event != b->event || a->origin != b->origin ||
	       x->threads.v[a->thread].pid != x->threads.v[b->thread].pid;
}

static bool is_other_sample(const struct export *x, const struct export_sample *a,
			    const struct export_sample *b)
{
	return a->stack != b->stack || is_other_profile(x, a, b) ||
	       (x->labels & 1u << LABEL_TID && a->thread != b->thread) ||
	       (x->labels & 1u << LABEL_COMM && a->comm != b->comm) || (x->by_cpu && a->cpu != b->cpu);
}

static void otlp__sample(struct export *x, const struct export_sample *s)
{
	struct otlp *o = x->data;
	bool is_next = o->has_last && !is_other_sample(x, &o->last, s);

	if (!is_next) {
		bool begins = !o->has_last || is_other_profile(x, &o->last, s);

		otlp__end_sample(x, o);
		if (begins)
			otlp__next_profile(x, o, s);
		o->last = *s;
		o->has_last = true;
	}
	if (!x->events.v[s->event].period)
		protobuf__add_varint(&o->values, s->weight);
	o->nr_times += s->nr;
	for (u64 i = 0; i < s->nr && !x->is_measuring; i++)
		protobuf__add_bytes64(&o->times, x->epoch + (s->times[i] - x->first));
}

static void otlp__measured(struct export *x)
{
	struct otlp *o = x->data;

	x->is_measuring = true;
	otlp__end_sample(x, o);
	x->is_measuring = false;
	otlp__flow(x, o, 1);
}

static void otlp__end(struct export *x)
{
	struct otlp *o = x->data;

	otlp__end_sample(x, o);
	for (u32 i = 0; i < o->strings.strings.nr; i++) {
		protobuf__add_text(&o->dictionary, DICTIONARY_STRING, strpool__get(&o->strings, i));
		otlp__flow(x, o, EXPORT_OUT_BLOCK);
	}
	otlp__flow(x, o, 1);
	strpool__exit(&o->strings);
	array__exit(&o->frames);
	array__exit(&o->functions);
	hash_table__exit(&o->by_function);
	array__exit(&o->attributes);
	hash_table__exit(&o->by_attribute);
	array__exit(&o->location_of_frame);
	array__exit(&o->stacks);
	for (size_t i = 0; i < o->processes.nr; i++) {
		strbuf__exit(&o->processes.v[i].resource);
		strbuf__exit(&o->processes.v[i].scope);
	}
	array__exit(&o->processes);
	for (size_t i = 0; i < o->profiles.nr; i++)
		strbuf__exit(&o->profiles.v[i].head);
	array__exit(&o->profiles);
	strbuf__exit(&o->dictionary);
	strbuf__exit(&o->values);
	strbuf__exit(&o->times);
	strbuf__exit(&o->scratch);
	free(o);
}

const struct export_format export_otlp = {
	.name = "otlp",
	.suffix = ".otlp",
	.help = "OpenTelemetry profiles (v1development), for collectors and engines",
	.is_timed = true,
	.by_stack = true,
	.labels = 1u << LABEL_COMM | 1u << LABEL_TID,
	.begin = otlp__begin,
	.binary = otlp__binary,
	.frame = otlp__frame,
	.sample = otlp__sample,
	.measured = otlp__measured,
	.end = otlp__end,
};
