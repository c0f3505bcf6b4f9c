#include "event/pmu/pfm.h"

#include "base/system/library.h"
#include "base/memory/mem.h"

#include <errno.h>
#include <string.h>

#ifdef HAVE_LIBPFM4
#include <perfmon/pfmlib_perf_event.h>

/*
 * The library's tables of all processors' events are 41,000 addresses to be relocated: half a millisecond,
 * 300 page faults and 2.5 MB at the start of every perf, if it was linked with it. So it is loaded when
 * somebody asks.
 */
static const char pfm_soname[] = "libpfm.so.4";

struct pfm_api {
	__typeof__(pfm_initialize) *initialize;
	__typeof__(pfm_strerror) *strerror;
	__typeof__(pfm_get_os_event_encoding) *get_os_event_encoding;
	__typeof__(pfm_get_event_attr_info) *get_event_attr_info;
	__typeof__(pfm_get_event_next) *get_event_next;
	__typeof__(pfm_get_event_info) *get_event_info;
	__typeof__(pfm_get_pmu_info) *get_pmu_info;
};

static bool pfm_api__load(struct pfm_api *api)
{
	const struct library_function functions[] = {
		{ "pfm_initialize", &api->initialize },
		{ "pfm_strerror", &api->strerror },
		{ "pfm_get_os_event_encoding", &api->get_os_event_encoding },
		{ "pfm_get_event_attr_info", &api->get_event_attr_info },
		{ "pfm_get_event_next", &api->get_event_next },
		{ "pfm_get_event_info", &api->get_event_info },
		{ "pfm_get_pmu_info", &api->get_pmu_info },
	};

	return library__load(pfm_soname, functions, ARRAY_SIZE(functions));
}

bool pfm__is_there(void)
{
	struct pfm_api api;

	return pfm_api__load(&api);
}

/* Its own "perf" and "perf_raw" repeat what everybody knows. */
static bool is_generic(const char *name)
{
	return !strncmp(name, "perf::", 6) || !strncmp(name, "perf_raw::", 10);
}

int pfm__encode(const char *text, bool vendor_only, struct perf_event_attr *attr, struct err *err)
{
	char *name = NULL;
	pfm_perf_encode_arg_t arg = { .attr = attr, .size = sizeof(arg), .fstr = &name };
	struct pfm_api pfm;
	int ret;

	memset(attr, 0, sizeof(*attr));
	if (!pfm_api__load(&pfm))
		return err__set(err, -ENOTSUP, "%s is not installed (Debian package libpfm4)", pfm_soname);
	ret = pfm.initialize();
	if (ret == PFM_SUCCESS)
		ret = pfm.get_os_event_encoding(text, PFM_PLM0 | PFM_PLM3 | PFM_PLMH, PFM_OS_PERF_EVENT_EXT,
						&arg);
	if (ret == PFM_SUCCESS && vendor_only && name && is_generic(name))
		ret = PFM_ERR_NOTFOUND;
	free(name);
	if (ret == PFM_SUCCESS)
		return 0;
	/* Not found, no PMU of that name, or no PMU at all: nobody's event. Everything else is about its
	 * attributes. */
	if (ret == PFM_ERR_NOTFOUND || ret == PFM_ERR_NOTSUPP || ret == PFM_ERR_NOINIT)
		return -ENOENT;
	return err__set(err, -EINVAL, "%s", pfm.strerror(ret));
}

typedef int (*pfm_name_fn)(const char *name, const char *desc, void *ctx);

/* The event with each of its unit masks; alone when it has none. */
static int list_event(const struct pfm_api *pfm, const char *pmu, const pfm_event_info_t *event,
		      pfm_name_fn fn, void *ctx)
{
	char *base = xasprintf("%s::%s", pmu, event->name);
	bool any = false;
	int ret = 0;

	for (int i = 0; !ret && i < event->nattrs; i++) {
		pfm_event_attr_info_t mask;
		char *name;

		memset(&mask, 0, sizeof(mask));
		mask.size = sizeof(mask);
		if (pfm->get_event_attr_info(event->idx, i, PFM_OS_PERF_EVENT_EXT, &mask) ||
		    mask.type != PFM_ATTR_UMASK)
			continue;
		any = true;
		name = xasprintf("%s:%s", base, mask.name);
		ret = fn(name, mask.desc, ctx);
		free(name);
	}
	if (!ret && !any)
		ret = fn(base, event->desc, ctx);
	free(base);
	return ret;
}

static int list_pmu(const struct pfm_api *pfm, const pfm_pmu_info_t *pmu, pfm_name_fn fn, void *ctx)
{
	int ret = 0;

	for (int i = pmu->first_event; !ret && i != -1; i = pfm->get_event_next(i)) {
		pfm_event_info_t event;

		memset(&event, 0, sizeof(event));
		event.size = sizeof(event);
		if (!pfm->get_event_info(i, PFM_OS_PERF_EVENT_EXT, &event))
			ret = list_event(pfm, pmu->name, &event, fn, ctx);
	}
	return ret;
}

int pfm__for_each(pfm_name_fn fn, void *ctx)
{
	struct pfm_api pfm;
	int ret = 0;

	if (!pfm_api__load(&pfm) || pfm.initialize() != PFM_SUCCESS)
		return 0;
	for (int i = 0; !ret && i < PFM_PMU_MAX; i++) {
		pfm_pmu_info_t pmu;

		memset(&pmu, 0, sizeof(pmu));
		pmu.size = sizeof(pmu);
		if (pfm.get_pmu_info(i, &pmu) || !pmu.is_present)
			continue;
		if (strcmp(pmu.name, "perf") && strcmp(pmu.name, "perf_raw"))
			ret = list_pmu(&pfm, &pmu, fn, ctx);
	}
	return ret;
}
#else
bool pfm__is_there(void)
{
	return false;
}

int pfm__encode(const char *text, bool vendor_only, struct perf_event_attr *attr, struct err *err)
{
	(void)text;
	(void)vendor_only;
	(void)attr;
	return err__set(err, -ENOTSUP, "perf was built without libpfm4 (Debian package libpfm4-dev)");
}

int pfm__for_each(int (*fn)(const char *name, const char *desc, void *ctx), void *ctx)
{
	(void)fn;
	(void)ctx;
	return 0;
}
#endif
