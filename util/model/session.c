#include "model/session.h"

#include "base/message/msg.h"
#include "format/read/merged_inputs.h"
#include "model/side_band.h"

#include <errno.h>
#include <string.h>
#include <time.h>

struct first_pass {
	struct session *s;
	const struct session_opts *opts;
	struct side_band side_band;
	bool decoder_ready;
};

static void first_pass__keep(struct first_pass *p, const struct record *r)
{
	u64 time;
	size_t trailer = sample_decoder__trailer(&p->s->decoder, r, &time);

	if (!p->s->has_time)
		time = r->offset;
	/* Synthesized records have no usable time and hold from the beginning. */
	else if (time == UINT64_MAX)
		time = 0;
	side_band__add(&p->side_band, r, trailer, time);
}

/* A pipe's evlist is complete when its first sample or side-band record arrives. */
static void first_pass__make_decoder(struct first_pass *p)
{
	struct session *s = p->s;
	struct evlist *l = &s->reader->evlist;

	sample_decoder__exit(&s->decoder);
	sample_decoder__init(&s->decoder, l);
	s->has_time = (evlist__sample_type_all(l) & PERF_SAMPLE_TIME) && evlist__sample_id_all(l);
	p->decoder_ready = true;
}

/* Take the records from before the part that is read. */
static void first_pass__begin(struct first_pass *p, const struct strbuf *before)
{
	struct record r = { 0 };

	first_pass__make_decoder(p);
	for (size_t at = 0; at < before->len; at += r.header->size) {
		r.header = (const void *)(before->buf + at);
		first_pass__keep(p, &r);
	}
}

/* Take any record but a sample. */
static void first_pass__record(void *ctx, const struct record *r)
{
	struct first_pass *p = ctx;
	u32 type = r->header->type;

	if (type == RECORD_HEADER_ATTR)
		p->decoder_ready = false;
	if (type == PERF_RECORD_LOST || type == PERF_RECORD_LOST_SAMPLES)
		p->s->stats.nr_misread += !lost_records__see(&p->s->stats.lost, &p->s->reader->evlist, r);
	if (p->opts->no_model || (!machine__wants(type) && !p->opts->look))
		return;
	if (!p->decoder_ready)
		first_pass__make_decoder(p);
	if (p->opts->look)
		p->opts->look(p->opts->ctx, &p->s->decoder, r);
	if (machine__wants(type))
		first_pass__keep(p, r);
}

/* The header's build-id table names files, not maps. */
static void session__set_build_id(struct session *s, const struct build_id_entry *e)
{
	const char *kernel =
		e->cpumode == PERF_RECORD_MISC_GUEST_KERNEL ? "[guest.kernel.kallsyms]" : "[kernel.kallsyms]";

	if (!strncmp(e->filename, kernel, strlen(kernel)))
		dsos__set_build_id(&s->machine.dsos, kernel, &e->id);
	else
		dsos__set_build_id(&s->machine.dsos, e->filename, &e->id);
}

static void first_pass__run(void *ctx, const struct block *b)
{
	struct first_pass *p = ctx;

	if (p->opts->samples_follow)
		kept_samples__add(&p->s->kept, b);
	if (!p->opts->run)
		return;
	if (!p->decoder_ready)
		first_pass__make_decoder(p);
	p->opts->run(p->opts->ctx, p->s, b);
}

bool session__clocks(const struct session *s, struct clock_pairs *clocks)
{
	const struct evlist *l = &s->reader->evlist;
	struct strbuf text = STRBUF_INIT;
	bool known;

	*clocks = (struct clock_pairs){ 0 };
	if (!s->has_time || !l->evsels.nr)
		return false;
	if (l->evsels.v[0]->attr.use_clockid && l->evsels.v[0]->attr.clockid == CLOCK_MONOTONIC)
		return true;
	known = !reader__extension(s->reader, EXTENSION_CLOCK, &text) &&
		!clock_pairs__read(clocks, text.buf, text.len);
	strbuf__exit(&text);
	return known;
}

/* Is the recorded kernel one of 64 bits? If the recording does not say, as this machine's. */
static bool reader__is_64bit(const struct reader *r)
{
	char *arch;
	bool is_64bit;

	if (features__string(r, FEATURE_ARCH, &arch))
		return sizeof(void *) == 8;
	is_64bit = strstr(arch, "64") || !strcmp(arch, "s390x");
	free(arch);
	return is_64bit;
}

static void first_pass__replay(struct first_pass *p)
{
	struct build_id_table ids = { .data = STRBUF_INIT };
	struct clock_pairs clocks;
	bool known = session__clocks(p->s, &clocks);

	p->s->machine.is_64bit = reader__is_64bit(p->s->reader);
	jit_files__merge(&p->s->symbolizer.finder.opts, &p->s->symbolizer.embedded, &p->side_band,
			 known ? &clocks : NULL);
	side_band__replay(&p->side_band);
	machine__finish(&p->s->machine);
	if (features__build_ids(p->s->reader, &ids) == 0)
		for (size_t i = 0; i < ids.entries.nr; i++)
			session__set_build_id(p->s, &ids.entries.v[i]);
	build_id_table__exit(&ids);
}

/* Read the losses that the recorder stored. */
static void session__read_losses(struct session *s)
{
	struct strbuf text = STRBUF_INIT;

	if (!reader__extension(s->reader, EXTENSION_LOSSES, &text) &&
	    losses__read(&s->losses, text.buf, text.len)) {
		losses__exit(&s->losses);
		s->losses = (struct losses){ 0 };
	}
	strbuf__exit(&text);
}

static int session__first_pass(struct session *s, const struct session_opts *opts, struct err *err)
{
	struct first_pass p = { .s = s, .opts = opts };
	const struct reader_scan_opts scan = {
		.count_per_event = opts->count_per_event,
		.record = first_pass__record,
		.run = opts->samples_follow || opts->run ? first_pass__run : NULL,
		.ctx = &p,
	};
	struct record_counts *c = &s->stats.records;
	int ret;

	side_band__init(&p.side_band, &s->machine);
	if (opts->before)
		first_pass__begin(&p, opts->before);
	ret = reader__scan(s->reader, &scan, c, err);
	if (!p.decoder_ready)
		first_pass__make_decoder(&p);
	if (!opts->samples_follow || !s->has_time) /* without times, the file offset is the clock */
		kept_samples__give_up(&s->kept);
	c->by_type[RECORD_COMPRESSED] = s->reader->nr_compressed;
	c->by_type[RECORD_COMPRESSED2] = s->reader->nr_compressed2;
	c->nr_records += s->reader->nr_compressed + s->reader->nr_compressed2;
	/* everything about the host has been read */
	if (!s->symbolizer.machine)
		symbolizer__init(&s->symbolizer, &s->machine, s->reader, &opts->symbols);
	if (!ret && !opts->no_model)
		first_pass__replay(&p);
	side_band__exit(&p.side_band);
	session__read_losses(s);
	s->is_merged = evlist__is_merged(&s->reader->evlist);
	return ret;
}

int session__open(struct session **session, const char *path, const struct session_opts *opts,
		  struct err *err)
{
	struct session *s = xcalloc(1, sizeof(*s));
	int ret;

	machine__init(&s->machine);
	ret = reader__open_with(&s->reader, path, &opts->reader, err);
	if (!ret && !(opts->header_only && !s->reader->is_pipe))
		ret = session__first_pass(s, opts, err);
	else if (!ret)
		symbolizer__init(&s->symbolizer, &s->machine, s->reader, &opts->symbols);
	if (ret) {
		session__delete(s);
		return ret;
	}
	*session = s;
	return 0;
}

static void session__forget_samples(struct session *s)
{
	kept_samples__exit(&s->kept);
	sample_decoder__exit(&s->decoder);
	free(s->stats.records.by_event);
	lost_records__exit(&s->stats.lost);
	losses__exit(&s->losses);
}

/* The first reader stays open: tracepoint formats and stored names are read from it. */
int session__next(struct session *s, const char *path, const struct session_opts *opts, struct err *err)
{
	struct reader *reader;
	int ret = reader__open_with(&reader, path, &opts->reader, err);

	if (ret)
		return ret;
	symbolizer__wait(&s->symbolizer);
	session__forget_samples(s);
	s->kept = (struct kept_samples){ 0 };
	s->decoder = (struct sample_decoder){ 0 };
	s->stats = (struct session_stats){ 0 };
	s->losses = (struct losses){ 0 };
	machine__forget_tasks(&s->machine);
	if (!s->first_reader)
		s->first_reader = s->reader;
	else
		reader__close(s->reader);
	s->reader = reader;
	return session__first_pass(s, opts, err);
}

struct session *session__of(struct session *s, const struct strbuf *side_band,
			    const struct symbolize_opts *symbols)
{
	struct session *part = xcalloc(1, sizeof(*part));
	struct first_pass p = { .s = part };

	part->reader = s->reader;
	machine__init(&part->machine);
	side_band__init(&p.side_band, &part->machine);
	first_pass__begin(&p, side_band);
	symbolizer__init(&part->symbolizer, &part->machine, part->reader, symbols);
	first_pass__replay(&p);
	side_band__exit(&p.side_band);
	return part;
}

void session__delete_part(struct session *part)
{
	if (part)
		part->reader = NULL;
	session__delete(part);
}

int session__tell_damage(const struct session *s)
{
	const struct reader *r = s->reader;

	if (r->damage.code)
		return error__print(&r->damage); /* says it all: smaller faults mostly follow from it */
	if (r->warnings.text.len)
		warning("%s", r->warnings.text.buf);
	return 0;
}

int session__blame_damage(const struct session *s, int ret, struct err *err)
{
	if (ret == -ENODATA && s->reader->damage.code)
		err__set(err, ret, "%s: no samples are left", s->reader->damage.text.buf);
	return ret;
}

void session__delete(struct session *s)
{
	if (!s)
		return;
	symbolizer__exit(&s->symbolizer);
	machine__exit(&s->machine);
	session__forget_samples(s);
	reader__close(s->reader);
	reader__close(s->first_reader);
	free(s);
}

struct sample_pass {
	struct session *s;
	struct reader_pass *reader_pass; /* NULL: the samples were kept */
	size_t next;                     /* index of the next kept piece, atomic */
};

struct sample_pass *sample_pass__new(struct session *s)
{
	struct sample_pass *p = xcalloc(1, sizeof(*p));

	p->s = s;
	if (s->kept.given_up)
		p->reader_pass = reader_pass__new(s->reader);
	return p;
}

void sample_pass__delete(struct sample_pass *p)
{
	if (p)
		reader_pass__delete(p->reader_pass);
	free(p);
}

int sample_pass__next(struct sample_pass *p, struct block *b, struct err *err)
{
	const struct kept_samples *k = &p->s->kept;
	size_t i;

	if (p->reader_pass)
		return reader_pass__next(p->reader_pass, b, err);
	i = __atomic_fetch_add(&p->next, 1, __ATOMIC_RELAXED);
	if (i >= k->pieces.nr)
		return 0;
	*b = (struct block){ .data = k->pieces.v[i].data,
			     .size = k->pieces.v[i].size,
			     .offset = k->pieces.v[i].offset };
	return 1;
}

void sample_pass__release(const struct sample_pass *p, struct block *b)
{
	if (p->reader_pass)
		block__exit(b);
	else
		*b = (struct block)BLOCK_INIT;
}

int session__each_sample(struct session *s, void (*look)(void *ctx, const struct record *r), void *ctx,
			 struct err *err)
{
	struct sample_pass *pass = sample_pass__new(s);
	struct block block = BLOCK_INIT;
	struct record r;
	int ret;

	while ((ret = sample_pass__next(pass, &block, err)) > 0) {
		for (size_t pos = 0; block__next(&block, &pos, &r);)
			if (r.header->type == PERF_RECORD_SAMPLE)
				look(ctx, &r);
	}
	sample_pass__release(pass, &block);
	sample_pass__delete(pass);
	return ret;
}
