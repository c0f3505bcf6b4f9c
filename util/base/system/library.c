#include "base/system/library.h"

#include <dlfcn.h>
#include <string.h>

bool library__load(const char *soname, const struct library_function *functions, size_t nr)
{
	void *library = dlopen(soname, RTLD_NOW | RTLD_LOCAL);

	for (size_t i = 0; i < nr; i++) {
		void *f = library ? dlsym(library, functions[i].name) : NULL;

		if (!f)
			return false;
		memcpy(functions[i].to, &f, sizeof(f));
	}
	return true;
}
