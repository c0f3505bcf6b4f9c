/* The PMUs of /sys/bus/event_source/devices: their numbers and capabilities. */
#include "record/host/host_features_private.h"

#include "base/system/file.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>

typedef int (*name_fn)(const struct host_ctx *h, const char *name, void *ctx);

/* Call fn for each name in a directory, except those that begin with a dot. */
static int folder__for_each(const struct host_ctx *h, const char *path, name_fn fn, void *ctx)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	if (!dir)
		return -errno;
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			fn(h, entry->d_name, ctx);
	closedir(dir);
	return 0;
}

static int pmus__for_each(const struct host_ctx *h, name_fn fn, void *ctx)
{
	struct strbuf path = STRBUF_INIT;
	int ret;

	strbuf__addf(&path, "%s/bus/event_source/devices", h->sysfs);
	ret = folder__for_each(h, path.buf, fn, ctx);
	strbuf__exit(&path);
	return ret;
}

struct pmu_list {
	struct strbuf *out;
	u32 nr;
};

static int add_mapping(const struct host_ctx *h, const char *name, void *ctx)
{
	struct pmu_list *list = ctx;
	struct strbuf path = STRBUF_INIT;
	u64 type;

	strbuf__addf(&path, "%s/bus/event_source/devices/%s/type", h->sysfs, name);
	if (!file__read_u64(path.buf, &type)) {
		add_u32(list->out, (u32)type);
		add_string(list->out, name);
		list->nr++;
	}
	strbuf__exit(&path);
	return 0;
}

int host__pmu_mappings(const struct host_ctx *h, struct strbuf *out)
{
	struct pmu_list list = { .out = out };
	size_t at = out->len;
	int ret;

	add_u32(out, 0);
	ret = pmus__for_each(h, add_mapping, &list);
	set_u32(out, at, list.nr);
	return ret ? ret : list.nr ? 0 : -ENOENT;
}

struct caps {
	struct strbuf out;
	const char *pmu;
	u32 nr;
};

static int add_cap(const struct host_ctx *h, const char *name, void *ctx)
{
	struct caps *caps = ctx;
	struct strbuf path = STRBUF_INIT, value = STRBUF_INIT;

	strbuf__addf(&path, "%s/bus/event_source/devices/%s/caps/%s", h->sysfs, caps->pmu, name);
	if (!file__read_line(path.buf, &value)) {
		add_string(&caps->out, name);
		add_string(&caps->out, value.buf);
		caps->nr++;
	}
	strbuf__exit(&path);
	strbuf__exit(&value);
	return 0;
}

/* Append the number of pairs (name, value) and the pairs; -ENOENT if there are none. */
static int pmu__caps(const struct host_ctx *h, const char *pmu, struct strbuf *out)
{
	struct caps caps = { .out = STRBUF_INIT, .pmu = pmu };
	struct strbuf path = STRBUF_INIT;
	int ret;

	strbuf__addf(&path, "%s/bus/event_source/devices/%s/caps", h->sysfs, pmu);
	ret = folder__for_each(h, path.buf, add_cap, &caps);
	if (!ret && !caps.nr)
		ret = -ENOENT;
	if (!ret) {
		add_u32(out, caps.nr);
		strbuf__add(out, caps.out.buf, caps.out.len);
	}
	strbuf__exit(&path);
	strbuf__exit(&caps.out);
	return ret;
}

static bool pmu__is_cpu(const char *name)
{
	return !strcmp(name, "cpu");
}

static int add_pmu_caps(const struct host_ctx *h, const char *name, void *ctx)
{
	struct pmu_list *list = ctx;

	if (pmu__is_cpu(name) || pmu__caps(h, name, list->out))
		return 0;
	add_string(list->out, name);
	list->nr++;
	return 0;
}

int host__pmu_caps(const struct host_ctx *h, struct strbuf *out)
{
	struct pmu_list list = { .out = out };
	size_t at = out->len;
	int ret;

	add_u32(out, 0);
	ret = pmus__for_each(h, add_pmu_caps, &list);
	set_u32(out, at, list.nr);
	return ret;
}

int host__cpu_pmu_caps(const struct host_ctx *h, struct strbuf *out)
{
	return pmu__caps(h, "cpu", out);
}
