#include "base/text/utf8.h"

size_t utf8__size(const char *text)
{
	/* first bytes up to last have size bytes, of which the second one is within [low, high] */
	static const struct {
		u8 last, size, low, high;
	} rows[] = {
		{ 0x7f, 1, 0, 0 },       { 0xc1, 0, 0, 0 },       { 0xdf, 2, 0x80, 0xbf },
		{ 0xe0, 3, 0xa0, 0xbf }, { 0xec, 3, 0x80, 0xbf }, { 0xed, 3, 0x80, 0x9f },
		{ 0xef, 3, 0x80, 0xbf }, { 0xf0, 4, 0x90, 0xbf }, { 0xf3, 4, 0x80, 0xbf },
		{ 0xf4, 4, 0x80, 0x8f }, { 0xff, 0, 0, 0 },
	};
	const u8 *s = (const u8 *)text;
	size_t row = 0;

	while (s[0] > rows[row].last)
		row++;
	if (rows[row].size < 2)
		return rows[row].size;
	if (s[1] < rows[row].low || s[1] > rows[row].high)
		return 0;
	for (size_t i = 2; i < rows[row].size; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return rows[row].size;
}

bool utf8__is_valid(const char *s)
{
	size_t size = 1;

	for (; *s && size; s += size)
		size = (unsigned char)*s < 0x80 ? 1 : utf8__size(s);
	return size;
}
