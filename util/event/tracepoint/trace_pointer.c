#include "event/tracepoint/trace_pointer.h"

#include "event/tracepoint/trace_spans.h"

#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>

typedef unsigned long long ull;

void trace_pointer__add_bitmask(struct strbuf *out, const struct trace_payload *p, struct trace_bytes b)
{
	u32 word = p->long_size;
	bool first = true;

	/* The words are longs; the last one is printed first, each as 32-bit numbers. */
	for (size_t i = b.size / word; i-- > 0 && out->len < TRACE_TEXT_MAX;) {
		u64 x = trace_load(b.data + i * word, word, p->big_endian);

		for (u32 half = word / 4; half-- > 0; first = false)
			strbuf__addf(out, first ? "%llx" : ",%08llx", (ull)(x >> 32 * half & 0xffffffff));
	}
	if (first)
		strbuf__addch(out, '0');
}

static bool has_bit(const struct trace_payload *p, struct trace_bytes b, u64 bit)
{
	u64 byte = bit / 8;

	if (p->big_endian) /* in words of that order */
		byte ^= p->long_size - 1u;
	return byte < b.size && b.data[byte] >> bit % 8 & 1;
}

void trace_pointer__add_bit_list(struct strbuf *out, const struct trace_payload *p, struct trace_bytes b,
				 u64 nr)
{
	u64 bits = MIN(nr, (u64)b.size * 8);
	bool first = true;

	for (u64 from = 0, to; from < bits && out->len < TRACE_TEXT_MAX; from = to + 1) {
		for (to = from; to < bits && has_bit(p, b, to);)
			to++;
		if (to == from)
			continue;
		strbuf__addf(out, to - from > 1 ? "%s%llu-%llu" : "%s%llu", first ? "" : ",", (ull)from,
			     (ull)to - 1);
		first = false;
	}
}

struct pointer {
	const struct trace_writer *w;
	u64 address;
	struct trace_bytes bytes; /* bytes that it points to, if it is an array */
	u64 nr;
};

/* ---- functions ---- */

/* sub: at a letter; small letters omit the offset. */
static bool add_function(struct strbuf *out, const char *sub, const struct pointer *p)
{
	u64 start = 0;
	const char *name = p->w->function ? p->w->function(p->w->function_ctx, p->address, &start) : NULL;

	if (!name)
		strbuf__addf(out, "0x%llx", (ull)p->address);
	else if (*sub == 's' || *sub == 'f')
		strbuf__addstr(out, name);
	else
		strbuf__addf(out, "%s+0x%llx", name, (ull)(p->address - start));
	return true;
}

/* ---- addresses of networks ---- */

static void add_ip4(struct strbuf *out, const u8 *b, char letter)
{
	strbuf__addf(out, letter == 'i' ? "%03u.%03u.%03u.%03u" : "%u.%u.%u.%u", b[0], b[1], b[2], b[3]);
}

static void add_ip6(struct strbuf *out, const u8 *b, char letter, bool compressed)
{
	char text[INET6_ADDRSTRLEN];

	if (letter == 'I' && compressed) {
		strbuf__addstr(out, inet_ntop(AF_INET6, b, text, sizeof(text)) ? text : "");
		return;
	}
	for (int i = 0; i < 8; i++)
		strbuf__addf(out, "%s%02x%02x", i && letter == 'I' ? ":" : "", b[2 * i], b[2 * i + 1]);
}

/* A struct sockaddr_in or sockaddr_in6. sub: after "IS"; p asks for the port. */
static bool add_sockaddr(struct strbuf *out, const char *sub, char letter, struct trace_bytes b,
			 bool big_endian)
{
	size_t len = strspn(sub, "pfschnbl");
	bool port = memchr(sub, 'p', len), compressed = memchr(sub, 'c', len);
	u64 family = b.size >= 2 ? trace_load(b.data, 2, big_endian) : 0;

	if (family == AF_INET && b.size >= 8)
		add_ip4(out, b.data + 4, letter);
	else if (family == AF_INET6 && b.size >= 24 && port) {
		strbuf__addch(out, '[');
		add_ip6(out, b.data + 8, letter, compressed);
		strbuf__addch(out, ']');
	} else if (family == AF_INET6 && b.size >= 24)
		add_ip6(out, b.data + 8, letter, compressed);
	else
		return false;
	if (port)
		strbuf__addf(out, ":%llu", (ull)trace_load(b.data + 2, 2, true));
	return true;
}

/* sub: at 'I' or 'i' */
static bool add_ip(struct strbuf *out, const char *sub, const struct pointer *p)
{
	struct trace_bytes b = p->bytes;

	if (sub[1] == '4' && b.size >= 4) {
		add_ip4(out, b.data, *sub);
		return true;
	}
	if (sub[1] == '6' && b.size >= 16) {
		add_ip6(out, b.data, *sub, sub[2] == 'c');
		return true;
	}
	return sub[1] == 'S' && add_sockaddr(out, sub + 2, *sub, b, p->w->payload.big_endian);
}

/* ---- bytes ---- */

/* sub: at 'M' or 'm' */
static bool add_mac(struct strbuf *out, const char *sub, const struct pointer *p)
{
	struct trace_bytes b = p->bytes;
	const char *between = *sub == 'm' ? "" : sub[1] == 'F' ? "-" : ":";

	if (b.size < 6)
		return false;
	for (int i = 0; i < 6; i++)
		strbuf__addf(out, "%s%02x", i ? between : "", b.data[sub[1] == 'R' ? 5 - i : i]);
	return true;
}

/* sub: at 'U' */
static bool add_uuid(struct strbuf *out, const char *sub, const struct pointer *p)
{
	static const u8 big[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	static const u8 little[16] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	const u8 *order = sub[1] == 'l' || sub[1] == 'L' ? little : big;
	bool upper = sub[1] == 'B' || sub[1] == 'L';

	if (p->bytes.size < 16)
		return false;
	for (int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			strbuf__addch(out, '-');
		strbuf__addf(out, upper ? "%02X" : "%02x", p->bytes.data[order[i]]);
	}
	return true;
}

/* sub: at 'h' */
static bool add_dump(struct strbuf *out, const char *sub, const struct pointer *p)
{
	const char *between = sub[1] == 'C' ? ":" : sub[1] == 'D' ? "-" : sub[1] == 'N' ? "" : " ";
	size_t size = (size_t)MIN(MIN(p->nr, 64u), p->bytes.size);

	for (size_t i = 0; i < size; i++)
		strbuf__addf(out, "%s%02x", i ? between : "", p->bytes.data[i]);
	return p->bytes.data;
}

static bool add_mask(struct strbuf *out, const char *sub, const struct pointer *p)
{
	if (sub[1] == 'l')
		trace_pointer__add_bit_list(out, &p->w->payload, p->bytes, p->nr);
	else
		trace_pointer__add_bitmask(out, &p->w->payload, p->bytes);
	return true;
}

void trace_pointer__add(struct strbuf *out, const char *sub, const struct trace_expr *e, u64 nr,
			const struct trace_writer *w)
{
	static const struct {
		char letter;
		bool (*add)(struct strbuf *out, const char *sub, const struct pointer *p);
	} kinds[] = {
		{ 'S', add_function }, { 'F', add_function }, { 'B', add_function }, { 's', add_function },
		{ 'f', add_function }, { 'I', add_ip },       { 'i', add_ip },       { 'M', add_mac },
		{ 'm', add_mac },      { 'U', add_uuid },     { 'h', add_dump },     { 'b', add_mask },
	};
	const struct pointer p = { w, trace_expr__value(e, &w->payload), trace_expr__bytes(e, &w->payload),
				   nr };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].letter == *sub && (kinds[i].add(out, sub, &p) || p.bytes.data))
			return; /* show nothing for bytes that make no sense */
	strbuf__addf(out, p.address ? "0x%llx" : "(nil)", (ull)p.address);
}
