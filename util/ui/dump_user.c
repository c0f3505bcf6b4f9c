/* The records that the recorder makes, as text. */
#include "base/memory/cursor.h"
#include "ui/dump_record_private.h"
#include "ui/dump_text.h"

#include <string.h>

typedef unsigned long long ull;

static bool print_newline(const struct dump_line *l)
{
	strbuf__addch(l->out, '\n');
	return true;
}

static bool print_finished_round(const struct dump_line *l)
{
	strbuf__addstr(l->out, l->worker->format->obeys_rounds ? "\n" : ": unhandled!\n");
	return true;
}

static bool print_id_index(const struct dump_line *l)
{
	struct cursor c = dump_line__body(l);
	u64 nr = cursor__u64(&c);

	if (c.bad || nr > cursor__left(&c) / 32)
		return false;
	strbuf__addf(l->out, " nr: %llu\n", (ull)nr);
	for (u64 i = 0; i < nr; i++) {
		u64 id = cursor__u64(&c), idx = cursor__u64(&c), cpu = cursor__u64(&c), tid = cursor__u64(&c);

		strbuf__addf(l->out, " ... id: %llu  idx: %llu  cpu: %lld  tid: %lld\n", (ull)id, (ull)idx,
			     (long long)cpu, (long long)tid);
	}
	return true;
}

/* ---- AUX area tracing ---- */

struct aux_word { /* "  NAME  value", one for each word of an AUXTRACE_INFO */
	const char *name;
	bool hex;
};

static void print_aux_words(const struct dump_line *l, struct cursor *c, const struct aux_word *words,
			    size_t nr, int width)
{
	for (size_t i = 0; i < nr && cursor__left(c) >= 8; i++)
		strbuf__addf(l->out, words[i].hex ? "  %-*s %#llx\n" : "  %-*s %llu\n", width, words[i].name,
			     (ull)cursor__u64(c));
}

static void print_intel_pt(const struct dump_line *l, struct cursor *c)
{
	static const struct aux_word words[] = {
		{ "PMU Type", false },
		{ "Time Shift", false },
		{ "Time Muliplier", false },
		{ "Time Zero", false },
		{ "Cap Time Zero", false },
		{ "TSC bit", true },
		{ "NoRETComp bit", true },
		{ "Have sched_switch", false },
		{ "Snapshot mode", false },
		{ "Per-cpu maps", false },
		{ "MTC bit", true },
		{ "MTC freq bits", true },
		{ "TSC:CTC numerator", false },
		{ "TSC:CTC denominator", false },
		{ "CYC bit", true },
		{ "Max non-turbo ratio", false },
	};
	u64 len;
	size_t room;
	const char *filter;

	print_aux_words(l, c, words, ARRAY_SIZE(words), 19);
	if (cursor__left(c) < 8)
		return;
	len = cursor__u64(c);
	strbuf__addf(l->out, "  %-19s %llu\n", "Filter string len.", (ull)len);
	room = cursor__left(c);
	filter = cursor__str(c, room);
	strbuf__addf(l->out, "  %-19s ", "Filter string");
	strbuf__add_masked(l->out, filter && len ? filter : "");
	strbuf__addch(l->out, '\n');
}

static void print_intel_bts(const struct dump_line *l, struct cursor *c)
{
	static const struct aux_word words[] = {
		{ "PMU Type", false },  { "Time Shift", false },    { "Time Muliplier", false },
		{ "Time Zero", false }, { "Cap Time Zero", false }, { "Snapshot mode", false },
	};

	print_aux_words(l, c, words, ARRAY_SIZE(words), 18);
}

static void print_arm_spe(const struct dump_line *l, struct cursor *c)
{
	static const struct aux_word words[] = { { "PMU Type", false } };

	print_aux_words(l, c, words, ARRAY_SIZE(words), 18);
}

/* Words of one CPU, a line each with name and value in hex; the third word is their number. */
static const char *const etm4_words[] = {
	"Magic number\t\t      ",
	"CPU\t\t\t      ",
	"NR_TRC_PARAMS\t\t      ",
	"TRCCONFIGR\t\t      ",
	"TRCTRACEIDR\t\t      ",
	"TRCIDR0\t\t\t      ",
	"TRCIDR1\t\t\t      ",
	"TRCIDR2\t\t\t      ",
	"TRCIDR8\t\t\t      ",
	"TRCAUTHSTATUS\t\t      ",
	"TRCDEVARCH                    ",
};

static void print_cs_etm(const struct dump_line *l, struct cursor *c)
{
	u64 version = cursor__u64(c), pmu = cursor__u64(c), snapshot = cursor__u64(c);
	u64 head[3];

	if (c->bad)
		return;
	strbuf__addf(l->out,
		     "\tHeader version\t\t       %llx\n\tPMU type/num cpus\t       %llx\n\tSnapshot\t\t      "
		     " %llx\n",
		     (ull)version, (ull)pmu, (ull)snapshot);
	for (u32 cpu = 0; cpu < (u32)pmu && cursor__left(c) >= sizeof(head); cpu++) {
		for (size_t i = 0; i < ARRAY_SIZE(head); i++) {
			head[i] = cursor__u64(c);
			strbuf__addf(l->out, "\t%s %llx\n", etm4_words[i], (ull)head[i]);
		}
		for (u64 i = 0; i < head[2] && cursor__left(c) >= 8; i++) {
			if (i + 3 < ARRAY_SIZE(etm4_words))
				strbuf__addf(l->out, "\t%s %llx\n", etm4_words[i + 3], (ull)cursor__u64(c));
			else
				strbuf__addf(l->out, "\tUnknown parameter %llu: %llx\n", (ull)i,
					     (ull)cursor__u64(c));
		}
	}
}

static bool print_auxtrace_info(const struct dump_line *l)
{
	static void (*const prints[])(const struct dump_line *l, struct cursor *c) = {
		[1] = print_intel_pt,
		[2] = print_intel_bts,
		[3] = print_cs_etm,
		[4] = print_arm_spe,
	};
	struct cursor c = dump_line__body(l);
	u32 type = cursor__u32(&c);

	cursor__skip(&c, 4);
	if (c.bad)
		return false;
	strbuf__addf(l->out, " type: %u\n", type);
	if (type < ARRAY_SIZE(prints) && prints[type])
		prints[type](l, &c);
	return true;
}

static bool print_auxtrace(const struct dump_line *l)
{
	struct cursor c = dump_line__body(l);
	u64 size = cursor__u64(&c), offset = cursor__u64(&c), reference = cursor__u64(&c);
	u32 idx = cursor__u32(&c), tid = cursor__u32(&c), cpu = cursor__u32(&c);

	strbuf__addf(l->out, " size: %#llx  offset: %#llx  ref: %#llx  idx: %u  tid: %d  cpu: %d\n",
		     (ull)size, (ull)offset, (ull)reference, idx, (s32)tid, (s32)cpu);
	return !c.bad;
}

/* ---- what was recorded ---- */

enum { THREAD_MAP_NAME = 16 };

static bool print_thread_map(const struct dump_line *l)
{
	struct cursor c = dump_line__body(l);
	u64 nr = cursor__u64(&c);

	if (c.bad || nr > cursor__left(&c) / (8 + THREAD_MAP_NAME))
		return false;
	strbuf__addf(l->out, nr > 1 ? " nr: %llu threads: " : " nr: %llu thread: ", (ull)nr);
	for (u64 i = 0; i < nr; i++) {
		strbuf__addf(l->out, "%s%d", i ? ", " : "", (s32)cursor__u64(&c));
		cursor__skip(&c, THREAD_MAP_NAME);
	}
	strbuf__addch(l->out, '\n');
	return true;
}

static bool print_cpu_map(const struct dump_line *l)
{
	bool whole;

	strbuf__addstr(l->out, ": ");
	whole = dump_text__cpus(l->out, l->header + 1, l->header->size - sizeof(*l->header));
	strbuf__addch(l->out, '\n');
	return whole;
}

static void print_update_text(const struct dump_line *l, struct cursor *c, const char *name)
{
	const char *s = cursor__str(c, cursor__left(c));

	strbuf__addstr(l->out, name);
	strbuf__add_masked(l->out, s ? s : "");
	strbuf__addch(l->out, '\n');
}

static void print_update_unit(const struct dump_line *l, struct cursor *c)
{
	print_update_text(l, c, "... unit:  ");
}

static void print_update_scale(const struct dump_line *l, struct cursor *c)
{
	u64 bits = cursor__u64(c);
	double scale;

	memcpy(&scale, &bits, sizeof(scale));
	strbuf__addf(l->out, "... scale: %f\n", scale);
}

static void print_update_name(const struct dump_line *l, struct cursor *c)
{
	print_update_text(l, c, "... name:  ");
}

static void print_update_cpus(const struct dump_line *l, struct cursor *c)
{
	strbuf__addstr(l->out, "... ");
	c->bad |= !dump_text__cpus(l->out, c->p, cursor__left(c));
	strbuf__addch(l->out, '\n');
}

static bool print_event_update(const struct dump_line *l)
{
	static void (*const prints[])(const struct dump_line *l, struct cursor *c) = {
		print_update_unit,
		print_update_scale,
		print_update_name,
		print_update_cpus,
	};
	struct cursor c = dump_line__body(l);
	u64 type = cursor__u64(&c), id = cursor__u64(&c);

	strbuf__addf(l->out, "\n... id:    %llu\n", (ull)id);
	if (type < ARRAY_SIZE(prints))
		prints[type](l, &c);
	else
		strbuf__addstr(l->out, "... unknown type\n");
	return !c.bad;
}

static bool print_time_conv(const struct dump_line *l)
{
	struct cursor c = dump_line__body(l);
	u64 shift = cursor__u64(&c), mult = cursor__u64(&c), zero = cursor__u64(&c), cycles, mask;
	u8 cap_zero, cap_short;

	strbuf__addf(l->out,
		     "\n... Time Shift      %llu\n... Time Muliplier  %llu\n... Time Zero       %llu\n",
		     (ull)shift, (ull)mult, (ull)zero);
	if (c.bad || cursor__left(&c) < 2 * sizeof(u64) + 2)
		return !c.bad;
	cycles = cursor__u64(&c);
	mask = cursor__u64(&c);
	cap_zero = cursor__u8(&c);
	cap_short = cursor__u8(&c);
	strbuf__addf(l->out, "... Time Cycles     %llu\n... Time Mask       %#llx\n", (ull)cycles, (ull)mask);
	strbuf__addf(l->out, "... Cap Time Zero   %d\n... Cap Time Short  %d\n", cap_zero, cap_short);
	return true;
}

/* ---- counting ---- */

static bool print_stat_config(const struct dump_line *l)
{
	static const char *const names[] = { "aggr_mode", "interval ", "scale    " };
	struct cursor c = dump_line__body(l);
	u64 nr = cursor__u64(&c), values[ARRAY_SIZE(names)] = { 0 };

	for (u64 i = 0; i < nr && !c.bad; i++) {
		u64 tag = cursor__u64(&c), value = cursor__u64(&c);

		if (tag < ARRAY_SIZE(names))
			values[tag] = value;
	}
	strbuf__addf(l->out, "\n... %s %d\n... %s %d\n... %s %u\n", names[0], (int)values[0], names[2],
		     (int)values[2], names[1], (unsigned)values[1]);
	return !c.bad;
}

static bool print_stat(const struct dump_line *l)
{
	struct cursor c = dump_line__body(l);
	u64 id = cursor__u64(&c);
	u32 cpu = cursor__u32(&c), thread = cursor__u32(&c);
	u64 value = cursor__u64(&c), enabled = cursor__u64(&c), running = cursor__u64(&c);

	strbuf__addf(l->out, "\n... id %llu, cpu %d, thread %d\n... value %llu, enabled %llu, running %llu\n",
		     (ull)id, (s32)cpu, (s32)thread, (ull)value, (ull)enabled, (ull)running);
	return !c.bad;
}

static bool print_stat_round(const struct dump_line *l)
{
	struct cursor c = dump_line__body(l);
	u64 type = cursor__u64(&c), time = cursor__u64(&c);

	strbuf__addf(l->out, "\n... time %llu, type %s\n", (ull)time, type == 1 ? "FINAL" : "INTERVAL");
	return !c.bad;
}

#define USER(type) [(type)-RECORD_HEADER_ATTR]

const struct dump_type dump_user_types[RECORD_TYPE_MAX - RECORD_HEADER_ATTR] = {
	USER(RECORD_HEADER_ATTR) = { "ATTR", NULL, false },
	USER(RECORD_HEADER_EVENT_TYPE) = { "EVENT_TYPE", NULL, false },
	USER(RECORD_HEADER_TRACING_DATA) = { "TRACING_DATA", NULL, false },
	USER(RECORD_HEADER_BUILD_ID) = { "BUILD_ID", NULL, false },
	USER(RECORD_FINISHED_ROUND) = { "FINISHED_ROUND", print_finished_round, false },
	USER(RECORD_ID_INDEX) = { "ID_INDEX", print_id_index, false },
	USER(RECORD_AUXTRACE_INFO) = { "AUXTRACE_INFO", print_auxtrace_info, false },
	USER(RECORD_AUXTRACE) = { "AUXTRACE", print_auxtrace, false },
	USER(RECORD_AUXTRACE_ERROR) = { "AUXTRACE_ERROR", NULL, true },
	USER(RECORD_THREAD_MAP) = { "THREAD_MAP", print_thread_map, true },
	USER(RECORD_CPU_MAP) = { "CPU_MAP", print_cpu_map, true },
	USER(RECORD_STAT_CONFIG) = { "STAT_CONFIG", print_stat_config, true },
	USER(RECORD_STAT) = { "STAT", print_stat, true },
	USER(RECORD_STAT_ROUND) = { "STAT_ROUND", print_stat_round, true },
	USER(RECORD_EVENT_UPDATE) = { "EVENT_UPDATE", print_event_update, false },
	USER(RECORD_TIME_CONV) = { "TIME_CONV", print_time_conv, true },
	USER(RECORD_HEADER_FEATURE) = { "FEATURE", NULL, false },
	USER(RECORD_COMPRESSED) = { "COMPRESSED", print_newline, false },
	USER(RECORD_FINISHED_INIT) = { "FINISHED_INIT", NULL, true },
	USER(RECORD_COMPRESSED2) = { "COMPRESSED2", print_newline, false },
	USER(RECORD_BPF_METADATA) = { "BPF_METADATA", NULL, true },
};
