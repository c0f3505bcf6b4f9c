#include "record/events/event_cgroups.h"

#include "event/evsel/event_request.h"
#include "live/cgroups.h"

#include <errno.h>
#include <string.h>

static int open_for(struct evsel *e, const char *mount, const char *name, struct err *err)
{
	int fd;

	if (e->config3) /* the open call for control groups does not pass config3 */
		return err__set(err, -EOPNOTSUPP, "'%s' sets config3, which is not done for control groups",
				e->name);
	fd = cgroup__open(mount, name, err);
	if (fd < 0)
		return fd;
	e->request->cgroup = xstrdup(name);
	e->request->cgroup_fd = fd;
	return 0;
}

static int add_list(struct evlist *l, size_t *next, const char *mount, char *names, struct err *err)
{
	bool is_one = !strchr(names, ',');
	char *name;
	int ret = 0;

	while (!ret && (name = strsep(&names, ","))) {
		if (*next == l->evsels.nr)
			return err__set(err, -EINVAL, "there are fewer events in front than groups");
		do
			ret = *name ? open_for(l->evsels.v[*next], mount, name, err) : 0;
		while (!ret && ++*next < l->evsels.nr && is_one);
	}
	return ret;
}

int event_cgroups__add(struct evlist *l, size_t *next, const char *arg, struct err *err)
{
	struct strbuf mount = STRBUF_INIT;
	char *names = xstrdup(arg);
	int ret = 0;

	if (*next == l->evsels.nr)
		ret = err__set(err, -EINVAL, "a group is for events in front of it: -e cycles -G %s", arg);
	if (!ret)
		ret = cgroups__mount(&mount, err);
	if (!ret)
		ret = add_list(l, next, mount.buf, names, err);
	strbuf__exit(&mount);
	free(names);
	return ret;
}

bool event_cgroups__any(const struct evlist *l)
{
	for (size_t i = 0; i < l->evsels.nr; i++)
		if (l->evsels.v[i]->request->cgroup)
			return true;
	return false;
}
