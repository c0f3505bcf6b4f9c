#include "inject/known_ids.h"

#include "base/system/file.h"
#include "cache/cache.h"

#include <errno.h>
#include <string.h>

static int known_id__cmp(const void *a, const void *b)
{
	return strcmp(((const struct known_id *)a)->path, ((const struct known_id *)b)->path);
}

static int known_ids__add(struct known_ids *k, char *pair, struct err *err)
{
	char *blank = strchr(pair, ' ');
	struct known_id known;

	if (pair[0] == ' ' || !pair[0])
		return 0;
	if (blank)
		*blank = '\0';
	if (!blank || !blank[1] || !build_id__parse(pair, &known.id))
		return err__set(err, -EINVAL, "'%s%s%s' is not a build-id and a path", pair, blank ? " " : "",
				blank ? blank + 1 : "");
	known.path = blank + 1;
	array__add(&k->v, known);
	return 0;
}

int known_ids__parse(struct known_ids *k, const char *arg, struct err *err)
{
	static const char scheme[] = "file://";
	bool is_file = !strncmp(arg, scheme, strlen(scheme));
	const char *separator = is_file ? "\n" : ",";
	char *save, *pair;
	int ret = 0;

	if (is_file)
		ret = file__read(arg + strlen(scheme), &k->text, 0);
	else
		strbuf__addstr(&k->text, arg);
	if (ret)
		return err__set(err, ret, "cannot read '%s': %s", arg + strlen(scheme), err__str(ret));
	pair = strtok_r(k->text.buf, separator, &save);
	for (; pair && !ret; pair = strtok_r(NULL, separator, &save))
		ret = known_ids__add(k, pair, err);
	if (k->v.nr)
		qsort(k->v.v, k->v.nr, sizeof(k->v.v[0]), known_id__cmp);
	return ret;
}

void known_ids__exit(struct known_ids *k)
{
	array__exit(&k->v);
	strbuf__exit(&k->text);
}

bool known_ids__find(const struct known_ids *k, const char *path, struct build_id *id)
{
	struct known_id key = { .path = path };
	const struct known_id *found =
		k->v.nr ? bsearch(&key, k->v.v, k->v.nr, sizeof(k->v.v[0]), known_id__cmp) : NULL;

	if (found)
		*id = found->id;
	return found != NULL;
}
