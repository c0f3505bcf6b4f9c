/* The facts that stock perf's data convert --to-json begins with, under its names. */
#include "format/read/features.h"

#include "base/memory/cursor.h"

#include <time.h>

typedef unsigned long long ull;

static void add_string(const struct reader *r, const char *gap, const char *key, enum feature f,
		       struct strbuf *out)
{
	char *text;

	(void)features__string(r, f, &text);
	strbuf__addf(out, ",%s\"%s\":%s", gap, key, *gap ? " " : "");
	strbuf__add_json(out, text ? text : "");
	free(text);
}

static void add_time(const struct reader *r, struct strbuf *out)
{
	time_t when = (time_t)r->mtime;
	char text[64];
	struct tm tm;

	if (!gmtime_r(&when, &tm) || !strftime(text, sizeof(text), "%FT%TZ", &tm))
		*text = '\0';
	strbuf__add_json(out, text);
}

static void add_cmdline(const struct reader *r, const char *gap, struct strbuf *out)
{
	struct strbuf sb = STRBUF_INIT;
	struct cursor c;
	const char *word;
	u32 nr = 0;

	if (!reader__feature(r, FEATURE_CMDLINE, &sb)) {
		c = cursor__make(sb.buf, sb.len, r->needs_swap);
		nr = cursor__u32(&c);
	}
	for (u32 i = 0; i < nr && (word = cursor__str(&c, cursor__u32(&c))); i++) {
		strbuf__addf(out, "%s%s%s", i ? "," : "", gap, *gap ? "\t" : "");
		strbuf__add_json(out, word);
	}
	strbuf__exit(&sb);
}

static void add_nrcpus(const struct reader *r, const char *gap, struct strbuf *out)
{
	const char *blank = *gap ? " " : "";
	struct strbuf sb = STRBUF_INIT;
	u32 available = 0, online = 0;
	struct cursor c;

	if (!reader__feature(r, FEATURE_NRCPUS, &sb)) {
		c = cursor__make(sb.buf, sb.len, r->needs_swap);
		available = cursor__u32(&c);
		online = cursor__u32(&c);
	}
	strbuf__addf(out, ",%s\"nrcpus-online\":%s%u,%s\"nrcpus-avail\":%s%u", gap, blank, online, gap, blank,
		     available);
	strbuf__exit(&sb);
}

static void add_clock(const struct reader *r, const char *gap, struct strbuf *out)
{
	const char *blank = *gap ? " " : "";
	struct strbuf sb = STRBUF_INIT;
	struct cursor c;

	if (!reader__feature(r, FEATURE_CLOCK_DATA, &sb)) {
		u32 version, id;
		u64 wall, reference;

		c = cursor__make(sb.buf, sb.len, r->needs_swap);
		version = cursor__u32(&c);
		id = cursor__u32(&c);
		wall = cursor__u64(&c);
		reference = cursor__u64(&c);
		if (version == 1 && !c.bad)
			strbuf__addf(out,
				     ",%s\"clockid\":%s%u,%s\"clock-time\":%s%llu,%s\"real-time\":%s%llu",
				     gap, blank, id, gap, blank, (ull)reference, gap, blank, (ull)wall);
	}
	strbuf__exit(&sb);
}

void features__add_json(const struct reader *r, const char *gap, struct strbuf *out)
{
	const struct perf_data_section *data = &r->header.data;
	const char *blank = *gap ? " " : "";

	strbuf__addf(out, "%s\"header-version\":%s%d,%s\"captured-on\":%s", gap, blank, r->is_v1 ? 0 : 1, gap,
		     blank);
	add_time(r, out);
	strbuf__addf(out, ",%s\"data-offset\":%s%llu", gap, blank, (ull)data->offset);
	strbuf__addf(out, ",%s\"data-size\":%s%llu", gap, blank, (ull)data->size);
	strbuf__addf(out, ",%s\"feat-offset\":%s%llu", gap, blank, (ull)(data->offset + data->size));
	add_string(r, gap, "hostname", FEATURE_HOSTNAME, out);
	add_string(r, gap, "os-release", FEATURE_OSRELEASE, out);
	add_string(r, gap, "arch", FEATURE_ARCH, out);
	add_string(r, gap, "cpu-desc", FEATURE_CPUDESC, out);
	add_string(r, gap, "cpuid", FEATURE_CPUID, out);
	add_nrcpus(r, gap, out);
	add_clock(r, gap, out);
	add_string(r, gap, "perf-version", FEATURE_VERSION, out);
	strbuf__addf(out, ",%s\"cmdline\":%s[", gap, blank);
	add_cmdline(r, gap, out);
	strbuf__addf(out, "%s]", gap);
}
