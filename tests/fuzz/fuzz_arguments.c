/*
 * Texts that people and programs give: commands for --control, spans of --time, lists of names and numbers,
 * -j, build-ids of perf inject, sort keys, patterns. The first byte chooses.
 */
#include "base/text/glob.h"
#include "event/evsel/branch_filter.h"
#include "fuzz.h"
#include "inject/known_ids.h"
#include "profile/keys/layout.h"
#include "profile/keys/name_list.h"
#include "profile/rows/time_spans.h"
#include "profile/keys/trace_keys.h"
#include "record/flow/control.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static void control(const char *text, size_t size)
{
	struct control_command cmd;
	struct control *c;
	char spec[32];
	int fds[2];

	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK))
		abort();
	if (write(fds[1], text, MIN(size, (size_t)65536)) < 0 && size)
		abort();
	close(fds[1]);
	snprintf(spec, sizeof(spec), "fd:%d", fds[0]);
	if (control__open(&c, spec, NULL))
		abort();
	do
		while (control__next(c, &cmd))
			fuzz__touch(cmd.text, strlen(cmd.text));
	while (control__receive(c));
	control__delete(c);
	close(fds[0]);
	(void)!control__open(&c, "no", NULL);
}

static void spans(const char *text, size_t size)
{
	struct time_spans t = { 0 };

	(void)size;
	time_spans__need_range(text);
	if (!time_spans__parse(&t, text, 1000, UINT64_MAX - 5, NULL))
		time_spans__has(&t, 5000);
	time_spans__exit(&t);
}

static void names(const char *text, size_t size)
{
	struct name_list l = { 0 };

	(void)size;
	if (strstr(text, "file:"))
		return; /* nothing of this machine */
	name_list__parse(&l, text, NULL);
	name_list__has(&l, "name");
	name_list__exit(&l);
}

static void numbers(const char *text, size_t size)
{
	number_list l = { 0 };
	int_array ints = { 0 };
	bool valid;

	(void)size;
	number_list__parse(&l, text, NULL);
	valid = !int_list__parse(text, 1 << 16, &ints);
	for (size_t i = 1; valid && i < ints.nr; i++)
		if (ints.v[i] <= ints.v[i - 1])
			__builtin_trap();
	array__exit(&l);
	array__exit(&ints);
}

static void branches(const char *text, size_t size)
{
	const char *bad;
	size_t bad_len;
	u64 filter;

	if (branch_filter__parse(text, strlen(text), ",+", &filter, &bad, &bad_len))
		fuzz__touch(bad, bad_len);
	(void)size;
}

static void ids(const char *text, size_t size)
{
	struct known_ids k = { .text = STRBUF_INIT };
	struct build_id id;

	(void)size;
	if (!strstr(text, "file:") && !known_ids__parse(&k, text, NULL))
		for (size_t i = 0; i < k.v.nr; i++)
			if (!known_ids__find(&k, k.v.v[i].path, &id))
				__builtin_trap();
	known_ids__exit(&k);
}

static void keys(const char *text, size_t size)
{
	struct evlist l;
	struct trace_keys traces;
	const struct layout_opts sort = { .sort = text, .traces = &traces, .children = true };
	const struct layout_opts fields = { .fields = text, .traces = &traces, .branches = true };
	struct layout layout;

	(void)size;
	evlist__init(&l);
	trace_keys__init(&traces, &l, NULL, NULL, false);
	layout__parse(&layout, &sort, NULL);
	layout__exit(&layout);
	if (!layout__parse(&layout, &fields, NULL))
		layout__set_widths(&layout, text, NULL);
	layout__exit(&layout);
	trace_keys__exit(&traces);
	evlist__exit(&l);
}

/* The pattern, a newline, the text. */
static void glob(const char *text, size_t size)
{
	char *copy = xmemdup(text, size + 1), *name = strchr(copy, '\n');

	if (name && size < 2048) {
		*name++ = '\0';
		glob__match(copy, name);
		glob__is_pattern(copy);
	}
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const parsers[])(const char *text, size_t size) = { control,  spans, names, numbers,
									  branches, ids,   keys,  glob };
	char *text;

	if (!size)
		return 0;
	text = xmalloc(size);
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	parsers[data[0] % ARRAY_SIZE(parsers)](text, size - 1);
	free(text);
	return 0;
}
