#include "base/message/word_list.h"

#include "base/memory/mem.h"
#include "base/message/called_name.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

enum { LIST_COLUMNS = 78 };

const char *word_list__name(const struct word_list *l, size_t i)
{
	return *(const char *const *)((const char *)l->rows + i * l->size);
}

int word_list__find(const struct word_list *l, const char *word, size_t len)
{
	for (size_t i = 0; i < l->nr; i++) {
		const char *name = word_list__name(l, i);

		if (!name || (l->flags & WORDS_ANY_CASE ? strncasecmp : strncmp)(name, word, len))
			continue;
		if (!name[len] || (len && l->flags & WORDS_BEGINNINGS))
			return (int)i;
	}
	return -1;
}

/* Add the list in lines of LIST_COLUMNS. */
static void word_list__print(const struct word_list *l, struct err *err)
{
	struct strbuf line = STRBUF_INIT;
	const char *before = ":";

	strbuf__addf(&line, "%ss", l->what);
	for (size_t i = 0; i < l->nr; i++) {
		const char *name = word_list__name(l, i);

		if (!name || !*name)
			continue;
		strbuf__addstr(&line, before);
		before = ",";
		if (line.len + strlen(name) >= LIST_COLUMNS) {
			err__advise(err, "%s", line.buf);
			strbuf__reset(&line);
		}
		strbuf__addf(&line, "%s%s", line.len ? " " : "", name);
	}
	err__advise(err, "%s", line.buf);
	strbuf__exit(&line);
}

void word_list__offer(const struct word_list *l, struct suggest *s)
{
	for (size_t i = 0; i < l->nr; i++)
		if (word_list__name(l, i) && *word_list__name(l, i))
			suggest__offer(s, word_list__name(l, i));
}

/* The whole list, for completion. */
static void word_list__copy(const struct word_list *l, struct strbuf *words)
{
	for (size_t i = 0; i < l->nr; i++)
		if (word_list__name(l, i) && *word_list__name(l, i))
			strbuf__addf(words, "%s\n", word_list__name(l, i));
}

static void add_where(struct err *err, const char *where)
{
	struct strbuf text = STRBUF_INIT;

	called_name__add(where, &text);
	err__advise(err, "%s", text.buf);
	strbuf__exit(&text);
}

void word_list__advise(const struct word_list *l, const char *word, size_t len, struct err *err)
{
	char *copy = xasprintf("%.*s", (int)len, word);
	struct suggest near;

	if (err && err->words)
		word_list__copy(l, err->words);
	suggest__init(&near, "", copy);
	word_list__offer(l, &near);
	err__suggest(err, &near);
	if (l->where)
		add_where(err, l->where);
	else
		word_list__print(l, err);
	free(copy);
}

int word_list__choose(const struct word_list *l, const char *word, size_t len, struct err *err)
{
	int i = word_list__find(l, word, len);

	if (i >= 0)
		return i;
	err__set(err, -EINVAL, "unknown %s '%.*s'", l->what, (int)len, word);
	word_list__advise(l, word, len, err);
	return -EINVAL;
}

bool err__suggest(struct err *err, const struct suggest *s)
{
	struct strbuf near = STRBUF_INIT;

	suggest__add_to(s, &near);
	if (near.len)
		err__advise(err, "did you mean %s?", near.buf);
	strbuf__exit(&near);
	return s->nr != 0;
}

int err__unknown(struct err *err, const char *what, const struct suggest *s, const char *where)
{
	err__set(err, -EINVAL, "unknown %s '%s%s'", what, s->prefix, s->word);
	err__suggest(err, s);
	if (where)
		add_where(err, where);
	return -EINVAL;
}
