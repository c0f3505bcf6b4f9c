/* The records that the recorder makes, as text. */
#include "base/memory/cursor.h"
#include "ui/dump/dump_record_private.h"
#include "ui/dump/dump_text.h"

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
	for (u64 i = 0; i < nr; i++)
		dump_text__fields(l->out, " ... id: %8u  idx: %8u  cpu: %8d  tid: %8d\n", &c);
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

/* ---- the recording ---- */

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

static bool print_event_update(const struct dump_line *l)
{
	struct cursor c = dump_line__body(l);
	u64 type = cursor__u64(&c), bits;
	double scale;

	dump_text__fields(l->out, "\n... id:    %8u\n", &c);
	switch (type) {
	case EVENT_UPDATE_UNIT:
		dump_text__fields(l->out, "... unit:  %s\n", &c);
		break;
	case EVENT_UPDATE_SCALE:
		bits = cursor__u64(&c);
		memcpy(&scale, &bits, sizeof(scale));
		strbuf__addf(l->out, "... scale: %f\n", scale);
		break;
	case EVENT_UPDATE_NAME:
		dump_text__fields(l->out, "... name:  %s\n", &c);
		break;
	case EVENT_UPDATE_CPUS:
		strbuf__addstr(l->out, "... ");
		c.bad |= !dump_text__cpus(l->out, c.p, cursor__left(&c));
		strbuf__addch(l->out, '\n');
		break;
	default:
		strbuf__addstr(l->out, "... unknown type\n");
	}
	return !c.bad;
}

static bool print_time_conv(const struct dump_line *l)
{
	struct cursor c = dump_line__body(l);

	dump_text__fields(
		l->out, "\n... Time Shift      %8u\n... Time Muliplier  %8u\n... Time Zero       %8u\n", &c);
	if (c.bad || cursor__left(&c) < 2 * sizeof(u64) + 2)
		return !c.bad;
	dump_text__fields(l->out,
			  "... Time Cycles     %8u\n... Time Mask       %8#\n... Cap Time Zero   %1u\n"
			  "... Cap Time Short  %1u\n",
			  &c);
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

static bool print_stat_round(const struct dump_line *l)
{
	struct cursor c = dump_line__body(l);
	u64 type = cursor__u64(&c), time = cursor__u64(&c);

	strbuf__addf(l->out, "\n... time %llu, type %s\n", (ull)time, type == 1 ? "FINAL" : "INTERVAL");
	return !c.bad;
}

#define USER(type) [(type)-RECORD_HEADER_ATTR]

const struct dump_type dump_user_types[RECORD_TYPE_MAX - RECORD_HEADER_ATTR] = {
	USER(RECORD_FINISHED_ROUND) = { print_finished_round, false },
	USER(RECORD_ID_INDEX) = { print_id_index, false },
	USER(RECORD_AUXTRACE_INFO) = { print_auxtrace_info, false },
	USER(RECORD_AUXTRACE) = { NULL, false,
				  " size: %8#  offset: %8#  ref: %8#  idx: %4u  tid: %4d  cpu: %4d\n" },
	USER(RECORD_AUXTRACE_ERROR) = { NULL, true },
	USER(RECORD_THREAD_MAP) = { print_thread_map, true },
	USER(RECORD_CPU_MAP) = { print_cpu_map, true },
	USER(RECORD_STAT_CONFIG) = { print_stat_config, true },
	USER(RECORD_STAT) = { NULL, true,
			      "\n... id %8u, cpu %4d, thread %4d\n... value %8u, enabled %8u, running "
			      "%8u\n" },
	USER(RECORD_STAT_ROUND) = { print_stat_round, true },
	USER(RECORD_EVENT_UPDATE) = { print_event_update, false },
	USER(RECORD_TIME_CONV) = { print_time_conv, true },
	USER(RECORD_COMPRESSED) = { print_newline, false },
	USER(RECORD_FINISHED_INIT) = { NULL, true },
	USER(RECORD_COMPRESSED2) = { print_newline, false },
	USER(RECORD_BPF_METADATA) = { NULL, true },
	USER(RECORD_SCHEDSTAT_CPU) = { NULL, true },
	USER(RECORD_SCHEDSTAT_DOMAIN) = { NULL, true },
};
