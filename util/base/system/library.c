#include "base/system/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

static bool library__find_functions(struct library *l)
{
	void *library = dlopen(l->soname, RTLD_NOW | RTLD_LOCAL);

	for (size_t i = 0; i < l->nr; i++) {
		void *f = library ? dlsym(library, l->names[i]) : NULL;

		if (!f)
			return false;
		memcpy((char *)l->functions + i * sizeof(f), &f, sizeof(f));
	}
	return true;
}

int library__load(struct library *l, struct err *err)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	bool is_loaded = __atomic_load_n(&l->is_loaded, __ATOMIC_ACQUIRE);

	if (!l->names)
		return err__set(err, -ENOTSUP, "this perf was built without %s (Debian package %s)",
				l->soname, l->package);
	if (!is_loaded) {
		pthread_mutex_lock(&lock);
		is_loaded = l->is_loaded || library__find_functions(l);
		__atomic_store_n(&l->is_loaded, is_loaded, __ATOMIC_RELEASE);
		pthread_mutex_unlock(&lock);
	}
	return is_loaded ? 0
			 : err__set(err, -ENOTSUP, "%s cannot be loaded: install Debian's package %s",
				    l->soname, l->package);
}
