/*
 * Readers of what exports write, which share no code with the writers. They take nothing but what the format
 * allows, and collect the texts of the output and its sum of weights.
 */
#ifndef TESTS_READ_BACK_H
#define TESTS_READ_BACK_H

#include "base/memory/array.h"
#include "base/memory/strpool.h"
#include "base/text/strbuf.h"

#include <stdlib.h>
#include <string.h>

#define expect(condition)                 \
	do {                              \
		if (!(condition))         \
			__builtin_trap(); \
	} while (0)

struct read_back {
	struct strpool texts;
	u64 weight;
};

/* ---- UTF-8 ---- */

static inline void expect_utf8(const u8 *s, size_t size)
{
	for (size_t i = 0; i < size;) {
		u32 c = s[i++], more = c < 0x80       ? 0
				       : c >> 5 == 6  ? 1
				       : c >> 4 == 14 ? 2
				       : c >> 3 == 30 ? 3
						      : 9;
		static const u32 least[] = { 0, 0x80, 0x800, 0x10000 };

		expect(more <= 3 && more <= size - i);
		c &= more ? 0x3fu >> more : 0x7f;
		for (u32 k = 0; k < more; k++, i++) {
			expect(s[i] >> 6 == 2);
			c = c << 6 | (s[i] & 0x3f);
		}
		expect(c >= least[more] && c <= 0x10ffff && (c < 0xd800 || c > 0xdfff));
	}
}

/* ---- JSON ---- */

struct json {
	const char *p, *end;
	struct read_back *to;
	struct strbuf text;   /* the last string */
	bool is_milliseconds; /* weights, in Firefox's format */
};

static inline void json_blanks(struct json *j)
{
	while (j->p < j->end && strchr(" \n\t", *j->p))
		j->p++;
}

static inline char json_next(struct json *j)
{
	expect(j->p < j->end);
	return *j->p++;
}

static inline void json_string(struct json *j)
{
	strbuf__reset(&j->text);
	for (char c; (c = json_next(j)) != '"';) {
		char hex[5] = "";

		expect((u8)c >= 0x20);
		if (c != '\\') {
			strbuf__addch(&j->text, c);
			continue;
		}
		c = json_next(j);
		if (c != 'u') {
			expect(c == '"' || c == '\\');
			strbuf__addch(&j->text, c);
			continue;
		}
		for (int i = 0; i < 4; i++)
			hex[i] = json_next(j);
		expect(strspn(hex, "0123456789abcdef") == 4 && strtoul(hex, NULL, 16) - 1 < 0x7f);
		strbuf__addch(&j->text, (char)strtoul(hex, NULL, 16));
	}
	expect_utf8((const u8 *)j->text.buf, j->text.len);
}

/* Return the number in millionths, modulo 2^64. */
static inline u64 json_number(struct json *j)
{
	bool is_negative = *j->p == '-';
	unsigned decimals = 0;
	u64 x = 0;

	j->p += is_negative;
	expect(j->p < j->end && *j->p >= '0' && *j->p <= '9');
	expect(*j->p != '0' || j->p + 1 == j->end || j->p[1] < '0' || j->p[1] > '9');
	for (; j->p < j->end && *j->p >= '0' && *j->p <= '9'; j->p++)
		x = x * 10 + (u64)(*j->p - '0');
	if (j->p < j->end && *j->p == '.')
		for (j->p++; j->p < j->end && *j->p >= '0' && *j->p <= '9'; j->p++, decimals++)
			x = decimals < 6 ? x * 10 + (u64)(*j->p - '0') : x;
	for (; decimals < 6; decimals++)
		x *= 10;
	return is_negative ? -x : x;
}

static inline void json_value(struct json *j, bool is_weight);

static inline void json_object(struct json *j)
{
	json_blanks(j);
	while (*j->p != '}') {
		bool is_unit;

		expect(json_next(j) == '"');
		json_string(j);
		is_unit = !strcmp(j->text.buf, "weightType");
		json_blanks(j);
		expect(json_next(j) == ':');
		json_value(j, !strcmp(j->text.buf, "weight") || !strcmp(j->text.buf, "weights") ||
				      !strcmp(j->text.buf, "timestamp"));
		if (is_unit)
			j->is_milliseconds = !strcmp(j->text.buf, "tracing-ms");
		json_blanks(j);
		expect(j->p < j->end && (*j->p == '}' || *j->p == ','));
		j->p += *j->p == ',';
		expect(j->p[-1] != ',' || *j->p != '}');
		json_blanks(j);
	}
	j->p++;
}

static inline void json_array(struct json *j, bool is_weight)
{
	json_blanks(j);
	while (*j->p != ']') {
		json_value(j, is_weight);
		json_blanks(j);
		expect(j->p < j->end && (*j->p == ']' || *j->p == ','));
		j->p += *j->p == ',';
		expect(j->p[-1] != ',' || *j->p != ']');
	}
	j->p++;
}

static inline void json_value(struct json *j, bool is_weight)
{
	static const char *const words[] = { "null", "true", "false" };
	u64 x;

	json_blanks(j);
	expect(j->p < j->end);
	for (size_t i = 0; i < 3; i++)
		if ((size_t)(j->end - j->p) >= strlen(words[i]) &&
		    !memcmp(j->p, words[i], strlen(words[i]))) {
			j->p += strlen(words[i]);
			return;
		}
	if (*j->p == '{') {
		j->p++;
		json_object(j);
	} else if (*j->p == '[') {
		j->p++;
		json_array(j, is_weight);
	} else if (*j->p == '"') {
		j->p++;
		json_string(j);
		strpool__internn(&j->to->texts, j->text.buf, j->text.len);
	} else {
		x = json_number(j);
		j->to->weight += is_weight ? (j->is_milliseconds ? x : x / 1000000) : 0;
	}
}

/* Any number of documents. */
static inline void read_json(struct read_back *to, const char *data, size_t size)
{
	struct json j = { .p = data, .end = data + size, .to = to, .text = STRBUF_INIT };

	while (json_blanks(&j), j.p < j.end)
		json_value(&j, false);
	strbuf__exit(&j.text);
}

/* ---- protobuf ---- */

struct piece {
	const u8 *p, *end;
};

struct member {
	u64 field, number; /* number: of a varint or a fixed64 */
	struct piece bytes;
};

static inline u64 varint(struct piece *m)
{
	u64 x = 0;
	u8 byte;

	for (unsigned shift = 0;; shift += 7) {
		expect(m->p < m->end && shift < 64);
		byte = *m->p++;
		x |= (u64)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return x;
	}
}

static inline bool next_member(struct piece *m, struct member *f)
{
	u64 key, size;

	if (m->p == m->end)
		return false;
	key = varint(m);
	*f = (struct member){ .field = key >> 3 };
	if ((key & 7) == 0) {
		f->number = varint(m);
		return true;
	}
	expect((key & 7) == 1 || (key & 7) == 2);
	size = (key & 7) == 1 ? 8 : varint(m);
	expect(size <= (size_t)(m->end - m->p));
	f->bytes = (struct piece){ m->p, m->p + size };
	m->p += size;
	return true;
}

static inline void read_text(struct read_back *to, struct piece bytes)
{
	expect_utf8(bytes.p, (size_t)(bytes.end - bytes.p));
	strpool__internn(&to->texts, (const char *)bytes.p, (size_t)(bytes.end - bytes.p));
}

/* profile.proto: locations and functions have ids from 1 on, and come before what uses them. */
static inline void read_pprof(struct read_back *to, const void *data, size_t size)
{
	struct piece all = { data, (const u8 *)data + size }, m;
	u64 nr_locations = 0, nr_functions = 0, nr_texts = 0;
	struct member f, g, h;

	while (next_member(&all, &f)) {
		m = f.bytes;
		if (f.field == 6) {
			expect(nr_texts++ || m.p == m.end);
			read_text(to, m);
		}
		while (f.field == 5 && next_member(&m, &g))
			expect(g.field != 1 || g.number == ++nr_functions);
		while (f.field == 4 && next_member(&m, &g)) {
			expect(g.field != 1 || g.number == ++nr_locations);
			while (g.field == 4 && next_member(&g.bytes, &h))
				expect(h.field != 1 || (h.number && h.number <= nr_functions));
		}
		while (f.field == 2 && next_member(&m, &g)) {
			while (g.field == 1 && g.bytes.p < g.bytes.end)
				expect(varint(&g.bytes) - 1 < nr_locations);
			for (u64 i = 0; g.field == 2 && g.bytes.p < g.bytes.end; i++) {
				u64 value = varint(&g.bytes);

				to->weight += i ? value : 0; /* the first one is the number of samples */
			}
		}
	}
}

static inline void read_otlp_sample(struct read_back *to, struct piece m, u64 period, u64 *last_stack)
{
	bool has_values = false;
	struct member f;
	u64 nr_times = 0;

	while (next_member(&m, &f)) {
		if (f.field == 1)
			*last_stack = MAX(*last_stack, f.number);
		if (f.field == 5)
			nr_times += (u64)(f.bytes.end - f.bytes.p) / 8;
		while (f.field == 4 && f.bytes.p < f.bytes.end) {
			to->weight += varint(&f.bytes);
			has_values = true;
		}
	}
	to->weight += has_values ? 0 : nr_times * period;
}

static inline u64 otlp_period(struct piece profile)
{
	struct member f;
	u64 period = 0;

	while (next_member(&profile, &f))
		period = f.field == 6 ? f.number : period;
	return period;
}

/* ProfilesData: the dictionary comes in pieces. */
static inline void read_otlp(struct read_back *to, const void *data, size_t size)
{
	struct piece all = { data, (const u8 *)data + size };
	u64 nr[8] = { 0 }, last_stack = 0;
	struct member f, g, h, i;

	while (next_member(&all, &f))
		while (next_member(&f.bytes, &g)) {
			if (f.field == 2) {
				expect(g.field && g.field < 8);
				nr[g.field]++;
				if (g.field == 5)
					read_text(to, g.bytes);
			}
			while (f.field == 1 && g.field == 2 && next_member(&g.bytes, &h)) {
				u64 period = h.field == 2 ? otlp_period(h.bytes) : 0;

				while (h.field == 2 && next_member(&h.bytes, &i))
					if (i.field == 2)
						read_otlp_sample(to, i.bytes, period, &last_stack);
			}
		}
	expect(last_stack < nr[7]);
}

/* ---- folded stacks ---- */

static inline void read_folded(struct read_back *to, const char *data, size_t size)
{
	for (const char *end = data + size, *line = data, *next; line < end; line = next) {
		const char *blank;

		next = memchr(line, '\n', (size_t)(end - line));
		expect(next);
		blank = memrchr(line, ' ', (size_t)(next - line));
		expect(blank && blank > line);
		for (const char *c = line; c < next; c++)
			expect((u8)*c >= 0x20 && *c != 0x7f && (c <= blank || (*c >= '0' && *c <= '9')));
		to->weight += strtoull(blank, NULL, 10);
		next++;
	}
}

#endif
