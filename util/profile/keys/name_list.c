#include "profile/keys/name_list.h"

#include "base/system/file.h"
#include "base/text/number.h"

#include <errno.h>
#include <string.h>

void name_list__exit(struct name_list *l)
{
	for (size_t i = 0; i < l->v.nr; i++)
		free(l->v.v[i]);
	array__exit(&l->v);
	l->given = false;
}

static void name_list__add(struct name_list *l, const char *name, size_t len)
{
	char *s;

	if (!len)
		return;
	s = xmalloc(len + 1);
	memcpy(s, name, len);
	s[len] = '\0';
	array__add(&l->v, s);
}

static int name_list__add_file(struct name_list *l, const char *path, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int ret = file__read(path, &text, 0);

	if (ret)
		return err__set(err, ret, "cannot read '%s': %s", path, err__str(ret));
	for (const char *p = text.buf; *p;) {
		size_t len = strcspn(p, "\n");

		name_list__add(l, p, len);
		p += len + (p[len] == '\n');
	}
	strbuf__exit(&text);
	return 0;
}

static void name_list__finish(struct name_list *l)
{
	size_t nr = 0;

	qsort(l->v.v, l->v.nr, sizeof(*l->v.v), str__compare);
	for (size_t i = 0; i < l->v.nr; i++) {
		if (nr && !strcmp(l->v.v[nr - 1], l->v.v[i]))
			free(l->v.v[i]);
		else
			l->v.v[nr++] = l->v.v[i];
	}
	l->v.nr = nr;
}

int name_list__parse(struct name_list *l, const char *text, struct err *err)
{
	static const char prefix[] = "file://";
	int ret = 0;

	l->given = true;
	while (*text && !ret) {
		size_t len = strcspn(text, ",");

		if (len >= sizeof(prefix) - 1 && !strncmp(text, prefix, sizeof(prefix) - 1)) {
			char *path = xmemdup(text, len + 1);

			path[len] = '\0';
			ret = name_list__add_file(l, path + sizeof(prefix) - 1, err);
			free(path);
		} else {
			name_list__add(l, text, len);
		}
		text += len + (text[len] == ',');
	}
	if (l->v.nr)
		name_list__finish(l);
	return ret;
}

const char *name_list__only(const struct name_list *l)
{
	return l->v.nr == 1 ? l->v.v[0] : NULL;
}

bool name_list__has(const struct name_list *l, const char *name)
{
	return l->v.nr && bsearch(&name, l->v.v, l->v.nr, sizeof(*l->v.v), str__compare);
}

int number_list__parse(number_list *l, const char *text, struct err *err)
{
	const char *p = text;

	for (;;) {
		u64 x;

		if (!number__take(&p, INT32_MAX, &x) || (*p && *p != ','))
			return err__set(err, -EINVAL, "'%s' is not a list of numbers such as 12,345", text);
		array__add(l, (u32)x);
		if (!*p++)
			return 0;
	}
}

bool number_list__has(const number_list *l, u32 number)
{
	for (size_t i = 0; i < l->nr; i++)
		if (l->v[i] == number)
			return true;
	return false;
}
