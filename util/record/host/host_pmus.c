/* The PMUs of /sys/bus/event_source/devices: their numbers and capabilities. */
#include "record/host/host_features_private.h"

#include "base/system/file.h"

#include <errno.h>
#include <string.h>

#define PMUS "/bus/event_source/devices"

int host__pmu_mappings(const struct host_ctx *h, struct strbuf *out)
{
	struct strbuf type = STRBUF_INIT;
	name_array pmus = { 0 };
	size_t at = out->len;
	u32 nr = 0;
	int ret;

	strbuf__add_u32(out, 0);
	ret = folder__names(&pmus, false, "%s" PMUS, h->sysfs);
	for (size_t i = 0; i < pmus.nr; i++) {
		if (file__read_linef(&type, "%s" PMUS "/%s/type", h->sysfs, pmus.v[i]) || !type.len)
			continue;
		strbuf__add_u32(out, (u32)strtoul(type.buf, NULL, 0));
		build__string(out, pmus.v[i]);
		nr++;
	}
	set_u32(out, at, nr);
	name_array__exit(&pmus);
	strbuf__exit(&type);
	return ret ? ret : nr ? 0 : -ENOENT;
}

/* Append the number of pairs (name, value) and the pairs; -ENOENT if there are none. */
static int pmu__caps(const struct host_ctx *h, const char *pmu, struct strbuf *out)
{
	struct strbuf value = STRBUF_INIT;
	name_array caps = { 0 };
	size_t at = out->len;
	u32 nr = 0;
	int ret;

	strbuf__add_u32(out, 0);
	ret = folder__names(&caps, false, "%s" PMUS "/%s/caps", h->sysfs, pmu);
	for (size_t i = 0; i < caps.nr; i++) {
		if (file__read_linef(&value, "%s" PMUS "/%s/caps/%s", h->sysfs, pmu, caps.v[i]))
			continue;
		build__string(out, caps.v[i]);
		build__string(out, value.buf);
		nr++;
	}
	set_u32(out, at, nr);
	if (!nr)
		strbuf__setlen(out, at);
	name_array__exit(&caps);
	strbuf__exit(&value);
	return ret ? ret : nr ? 0 : -ENOENT;
}

int host__pmu_caps(const struct host_ctx *h, struct strbuf *out)
{
	name_array pmus = { 0 };
	size_t at = out->len;
	u32 nr = 0;
	int ret;

	strbuf__add_u32(out, 0);
	ret = folder__names(&pmus, false, "%s" PMUS, h->sysfs);
	for (size_t i = 0; i < pmus.nr; i++) {
		if (!strcmp(pmus.v[i], "cpu") || pmu__caps(h, pmus.v[i], out))
			continue;
		build__string(out, pmus.v[i]);
		nr++;
	}
	set_u32(out, at, nr);
	name_array__exit(&pmus);
	return ret;
}

int host__cpu_pmu_caps(const struct host_ctx *h, struct strbuf *out)
{
	return pmu__caps(h, "cpu", out);
}
