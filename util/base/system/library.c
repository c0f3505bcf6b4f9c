#include "base/system/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

/* Why dlopen failed: a limit of this process, or else the library is not there. It does not set errno. */
static int dlopen_error(const char *text)
{
	if (strstr(text, "failed to map segment") || strstr(text, strerror(ENOMEM)))
		return -ENOMEM;
	return strstr(text, strerror(EMFILE)) ? -EMFILE : -ENOTSUP;
}

static int library__find_functions(struct library *l)
{
	void *library = dlopen(l->soname, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return dlopen_error(dlerror());
	for (size_t i = 0; i < l->nr; i++) {
		void *f = dlsym(library, l->names[i]);

		if (!f)
			return -ENOTSUP;
		memcpy((char *)l->functions + i * sizeof(f), &f, sizeof(f));
	}
	return 0;
}

int library__load(struct library *l, struct err *err)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	bool is_loaded = __atomic_load_n(&l->is_loaded, __ATOMIC_ACQUIRE);
	int ret = 0;

	if (!l->names)
		return err__set(err, -ENOTSUP, "this perf was built without %s (Debian package %s)",
				l->soname, l->package);
	if (!is_loaded) {
		pthread_mutex_lock(&lock);
		if (!l->is_loaded)
			ret = library__find_functions(l);
		__atomic_store_n(&l->is_loaded, !ret, __ATOMIC_RELEASE);
		pthread_mutex_unlock(&lock);
	}
	if (ret == -ENOTSUP)
		return err__set(err, ret, "%s cannot be loaded: install Debian's package %s", l->soname,
				l->package);
	return ret ? err__set(err, ret, "%s cannot be loaded: %s", l->soname, err__str(ret)) : 0;
}
