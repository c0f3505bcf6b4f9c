/*
 * Any file that is called a recording, annotated: the code, lines, names and source lines that it stores, its
 * samples and branch stacks. Nothing of this machine is looked at. Seeds: recordings of small programs with
 * their source, and recordings with all that there can be (tests/hostile).
 */
#include "fuzz.h"
#include "profile/gather/profile.h"
#include "ui/annotate/annotate_text.h"

#include <unistd.h>

enum { FUNCTIONS_MAX = 16, INSNS_MAX = 1 << 14 };

static void show(struct hot_code *h, const struct hot_function *f, struct source_files *sources,
		 unsigned what)
{
	const struct annotate_opts opts = { .syntax = what & 1 ? DISASM_INTEL : DISASM_ATT };
	const struct annotate_style style = { .arrows = what & 2,
					      .raw = what & 4,
					      .lines = true,
					      .full_paths = true,
					      .color = what & 8,
					      .no_insns = what & 16 };
	annotate_rows rows = { 0 };
	struct strbuf text = STRBUF_INIT;
	u32 events[3], nr = 0;
	struct annotated a;

	while (nr < ARRAY_SIZE(events) && nr < h->nr_events) {
		events[nr] = nr;
		nr++;
	}
	annotated__init(&a, h, f, &opts);
	if (nr && a.insns.nr <= INSNS_MAX)
		annotate_text__add(&text, h, &a, events, nr, &style, sources, &rows);
	fuzz__touch(text.buf, text.len);
	annotated__exit(&a);
	strbuf__exit(&text);
	array__exit(&rows);
}

static void functions(struct hot_code *h, const struct profile *blocks, unsigned what)
{
	bool *wanted = xcalloc(h->v.nr + 1, sizeof(*wanted));
	struct source_files sources;

	for (size_t i = 0; i < MIN(h->v.nr, (size_t)FUNCTIONS_MAX); i++)
		wanted[i] = true;
	hot_code__find_addresses(h, wanted);
	hot_code__find_blocks(h, blocks, wanted);
	source_files__init(&sources, &h->session->symbolizer, &(struct source_opts){ .prefix = "/nowhere" });
	for (size_t i = 0; i < h->v.nr; i++)
		if (wanted[i])
			show(h, &h->v.v[i], &sources, what);
	source_files__exit(&sources);
	free(wanted);
}

static void annotate(struct session *s, unsigned what)
{
	const struct profile_opts opts = { .no_chains = true };
	const struct profile_opts block_opts = {
		.no_chains = true, .blocks = true, .all_blocks = true, .split = PROFILE_SPLIT_PREDICTION
	};
	struct profile samples, blocks = { 0 };
	struct hot_code hot;

	if (!profile__collect(&samples, s, &opts, NULL) && !profile__collect(&blocks, s, &block_opts, NULL)) {
		hot_code__init(&hot, &samples, NULL, NULL);
		functions(&hot, &blocks, what);
		hot_code__exit(&hot);
	}
	profile__exit(&blocks);
	profile__exit(&samples);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* What follows the recording in a file must not matter: its last byte says what is done. */
	unsigned what = size ? data[size - 1] : 0;
	const struct session_opts opts = {
		.symbols = { .symfs = "/nowhere", .kallsyms = "/nowhere/kallsyms" }, .samples_follow = true
	};
	struct session *s;
	char path[64];
	int fd = fuzz__file(data, size, path);

	if (!session__open(&s, path, &opts, NULL)) {
		annotate(s, what);
		session__delete(s);
	}
	close(fd);
	return 0;
}
