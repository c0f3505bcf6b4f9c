#include "event/pmu/pfm.h"

#include "base/memory/mem.h"
#include "base/system/library.h"

#include <errno.h>
#include <string.h>

#ifdef HAVE_LIBPFM4
#include <perfmon/pfmlib_perf_event.h>

/*
 * Load the library only when it is needed. Linking it would cost every start of perf half a millisecond, 300
 * page faults and 2.5 MB: its event tables of all processors are 41,000 addresses to relocate.
 */
#define PFM_FUNCTIONS(F)             \
	F(pfm_initialize)            \
	F(pfm_strerror)              \
	F(pfm_get_os_event_encoding) \
	F(pfm_get_event_attr_info) F(pfm_get_event_next) F(pfm_get_event_info) F(pfm_get_pmu_info)
LIBRARY(pfm, "libpfm.so.4", "libpfm4", PFM_FUNCTIONS);

int pfm__load(struct err *err)
{
	return library__load(&pfm_library, err);
}

/* Skip libpfm4's "perf" and "perf_raw" PMUs: their events are in the built-in tables. */
static bool is_generic(const char *name)
{
	return !strncmp(name, "perf::", 6) || !strncmp(name, "perf_raw::", 10);
}

int pfm__encode(const char *text, bool vendor_only, struct perf_event_attr *attr, struct err *err)
{
	char *name = NULL;
	pfm_perf_encode_arg_t arg = { .attr = attr, .size = sizeof(arg), .fstr = &name };
	int ret;

	memset(attr, 0, sizeof(*attr));
	ret = pfm__load(err);
	if (ret)
		return ret;
	ret = pfm.pfm_initialize();
	if (ret == PFM_SUCCESS)
		ret = pfm.pfm_get_os_event_encoding(text, PFM_PLM0 | PFM_PLM3 | PFM_PLMH,
						    PFM_OS_PERF_EVENT_EXT, &arg);
	if (ret == PFM_SUCCESS && vendor_only && name && is_generic(name))
		ret = PFM_ERR_NOTFOUND;
	free(name);
	if (ret == PFM_SUCCESS)
		return 0;
	/*
	 * Not found, or no such PMU, or no PMU at all: not a libpfm4 event. Other errors are about the
	 * event's attributes.
	 */
	if (ret == PFM_ERR_NOTFOUND || ret == PFM_ERR_NOTSUPP || ret == PFM_ERR_NOINIT)
		return -ENOENT;
	return err__set(err, -EINVAL, "%s", pfm.pfm_strerror(ret));
}

typedef int (*pfm_name_fn)(const char *name, const char *desc, void *ctx);

/* List the event with each of its unit masks, or alone if it has none. */
static int list_event(const char *pmu, const pfm_event_info_t *event, pfm_name_fn fn, void *ctx)
{
	char *base = xasprintf("%s::%s", pmu, event->name);
	bool any = false;
	int ret = 0;

	for (int i = 0; !ret && i < event->nattrs; i++) {
		pfm_event_attr_info_t mask;
		char *name;

		memset(&mask, 0, sizeof(mask));
		mask.size = sizeof(mask);
		if (pfm.pfm_get_event_attr_info(event->idx, i, PFM_OS_PERF_EVENT_EXT, &mask) ||
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

static int list_pmu(const pfm_pmu_info_t *pmu, pfm_name_fn fn, void *ctx)
{
	int ret = 0;

	for (int i = pmu->first_event; !ret && i != -1; i = pfm.pfm_get_event_next(i)) {
		pfm_event_info_t event;

		memset(&event, 0, sizeof(event));
		event.size = sizeof(event);
		if (!pfm.pfm_get_event_info(i, PFM_OS_PERF_EVENT_EXT, &event))
			ret = list_event(pmu->name, &event, fn, ctx);
	}
	return ret;
}

int pfm__for_each(pfm_name_fn fn, void *ctx)
{
	int ret = 0;

	if (pfm__load(NULL) || pfm.pfm_initialize() != PFM_SUCCESS)
		return 0;
	for (int i = 0; !ret && i < PFM_PMU_MAX; i++) {
		pfm_pmu_info_t pmu;

		memset(&pmu, 0, sizeof(pmu));
		pmu.size = sizeof(pmu);
		if (pfm.pfm_get_pmu_info(i, &pmu) || !pmu.is_present)
			continue;
		if (strcmp(pmu.name, "perf") && strcmp(pmu.name, "perf_raw"))
			ret = list_pmu(&pmu, fn, ctx);
	}
	return ret;
}
#else
LIBRARY_ABSENT(pfm, "libpfm4", "libpfm4-dev");

int pfm__load(struct err *err)
{
	return library__load(&pfm_library, err);
}

int pfm__encode(const char *text, bool vendor_only, struct perf_event_attr *attr, struct err *err)
{
	(void)text;
	(void)vendor_only;
	(void)attr;
	return pfm__load(err);
}

int pfm__for_each(int (*fn)(const char *name, const char *desc, void *ctx), void *ctx)
{
	(void)fn;
	(void)ctx;
	return 0;
}
#endif
