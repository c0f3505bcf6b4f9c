#include "base/text/suggest.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum { WORD_MAX = 64 }; /* longer words are compared by their first WORD_MAX letters */

static bool same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

unsigned suggest__distance(const char *a, const char *b, unsigned limit)
{
	size_t na = strnlen(a, WORD_MAX), nb = strnlen(b, WORD_MAX);
	unsigned rows[3][WORD_MAX + 1];
	unsigned *before = rows[0], *last = rows[1], *row = rows[2];

	if ((na > nb ? na - nb : nb - na) > limit)
		return limit + 1;
	for (size_t j = 0; j <= nb; j++)
		last[j] = (unsigned)j;
	for (size_t i = 1; i <= na; i++) {
		unsigned least, *spare = before;

		least = row[0] = (unsigned)i;
		for (size_t j = 1; j <= nb; j++) {
			unsigned d = last[j - 1] + !same(a[i - 1], b[j - 1]);

			d = MIN(d, MIN(last[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
				d = MIN(d, before[j - 2] + 1);
			row[j] = d;
			least = MIN(least, d);
		}
		if (least > limit)
			return limit + 1;
		before = last;
		last = row;
		row = spare;
	}
	return MIN(last[nb], limit + 1);
}

void suggest__init(struct suggest *s, const char *prefix, const char *word)
{
	*s = (struct suggest){ .prefix = prefix, .word = word };
}

void suggest__offer(struct suggest *s, const char *name)
{
	size_t nw = strnlen(s->word, WORD_MAX), nn = strnlen(name, WORD_MAX), common = MIN(nw, nn);
	unsigned limit = (unsigned)MAX(1, MIN(3, nw / 3));
	unsigned d = suggest__distance(s->word, name, limit);
	size_t i;

	if (d > limit) {
		if (common < 3 || strncasecmp(s->word, name, common))
			return;
		d = limit + 1;
	}
	for (i = 0; i < s->nr; i++) {
		if (!strcmp(s->best[i].name, name))
			return;
		if (d < s->best[i].distance)
			break;
	}
	if (i == SUGGEST_MAX)
		return;
	if (s->nr < SUGGEST_MAX)
		s->nr++;
	memmove(&s->best[i + 1], &s->best[i], (s->nr - 1 - i) * sizeof(s->best[0]));
	s->best[i].name = name;
	s->best[i].distance = d;
}

void suggest__add_to(const struct suggest *s, struct strbuf *sb)
{
	for (size_t i = 0; i < s->nr; i++)
		strbuf__addf(sb, "%s'%s%s'",
			     !i              ? ""
			     : i + 1 < s->nr ? ", "
					     : " or ",
			     s->prefix, s->best[i].name);
}
