/*
 * Any text as a source file, of the language that the first byte chooses: the items of it are within the text
 * and in order, and each line of code is found.
 */
#include "fuzz.h"
#include "profile/change/source_items.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const paths[] = { "x.c",  "x.cc", "x.rs", "x.go",   "x.java", "x.S",   "x.ml",
					     "x.hs", "x.py", "x.f",  "x.lisp", "x.erl",  "x.adb", "x.pas" };
	struct source_items items;
	const char *text = (const char *)data + 1;

	if (!size || size > SOURCE_TEXT_MAX)
		return 0;
	source_items__find(&items, source_language__of(paths[data[0] % ARRAY_SIZE(paths)]), text, size - 1);
	for (size_t i = 0; i < items.v.nr; i++) {
		const struct source_item *item = &items.v.v[i], *found;

		if (item->first > item->last || item->word >= item->end || item->end > items.words.nr ||
		    (i && item->first < item[-1].first) || item->names + item->nr_names > items.names.nr)
			__builtin_trap();
		found = source_items__code_at(&items, item->first);
		if (item->is_code && !found)
			__builtin_trap();
	}
	for (size_t i = 0; i < items.words.nr; i++)
		if (items.words.v[i].at + items.words.v[i].len > size - 1)
			__builtin_trap();
	source_items__exit(&items);
	return 0;
}
