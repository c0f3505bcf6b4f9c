/*
 * Any text for -e: taken or refused, never a step outside. Built with libFuzzer (make fuzz CC=clang), or as a
 * plain program that is given files, for AFL++ and for looking at one input. Seeds: the texts of
 * tests/events.list.
 */
#include "base/memory/mem.h"
#include "event/parse/parse.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What holds for every list that was taken. */
static void check(const struct evlist *l)
{
	for (size_t i = 0; i < l->evsels.nr; i++) {
		const struct evsel *e = l->evsels.v[i];

		if (e->idx != i || e->leader > i || !e->name || !e->nr_members ||
		    l->evsels.v[e->leader]->leader != e->leader)
			__builtin_trap();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* A folder that is not there is a machine without PMUs; FUZZ_SYSFS has one with. */
	const char *sysfs = getenv("FUZZ_SYSFS"), *tracefs = getenv("FUZZ_TRACEFS");
	const struct parse_opts opts = { .sysfs = sysfs ? sysfs : "/sys",
					 .tracefs = tracefs ? tracefs : "/sys/kernel/tracing" };
	char *text = xmalloc(size + 1);
	struct err err = ERR_INIT;
	struct evlist l;

	memcpy(text, data, size);
	text[size] = '\0';
	evlist__init(&l);
	if (!parse_events_with(&l, text, &opts, &err))
		check(&l);
	else if (l.evsels.nr || !err.text.len)
		__builtin_trap();
	evlist__exit(&l);
	err__exit(&err);
	free(text);
	return 0;
}
