/*
 * Any name of a symbol, as C++, Rust, D and OCaml compilers make them: the text is of a bounded length, in
 * bounded time.
 */
#include "binary/symbols/symtab.h"
#include "fuzz.h"

#include <string.h>

enum { TEXT_MAX = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *name = xmalloc(size + 1), *text;

	memcpy(name, data, size);
	name[size] = '\0';
	text = symbol__demangle(name);
	if (text && strlen(text) > TEXT_MAX)
		__builtin_trap();
	free(text);
	free(name);
	return 0;
}
