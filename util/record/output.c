#include "record/output.h"

#include "base/msg.h"
#include "record/tracing_data.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static void keep_old_file(const char *path)
{
	struct strbuf old = STRBUF_INIT;
	struct stat st;

	if (stat(path, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return;
	strbuf__addf(&old, "%s.old", path);
	if (rename(path, old.buf))
		warning("cannot keep the existing '%s' as '%s': %s", path, old.buf, strerror(errno));
	strbuf__exit(&old);
}

static void output__close(struct output *o)
{
	writer__delete(o->writer);
	build_id_list__delete(o->build_ids);
	o->writer = NULL;
	o->build_ids = NULL;
}

int output__open(struct output *o, struct intake *in, struct err *err)
{
	struct writer_opts opts = { .pipe = !strcmp(o->opts.path, "-"), .compression = o->opts.compression,
				    .queue = o->opts.queue };
	int ret;

	output__close(o);
	o->is_finished = false;
	if (!opts.pipe && !o->opts.keep_old)
		keep_old_file(o->opts.path);
	ret = writer__open(&o->writer, o->opts.path, &opts, err);
	if (!ret && o->opts.switches && writer__is_pipe(o->writer))
		ret = err__set(err, -EINVAL, "'%s' is no file: --switch-output makes a row of files",
			       o->opts.path);
	if (!ret)
		ret = host_features__write(o->writer, o->l, o->opts.host);
	if (!ret)
		ret = tracing_data__write(o->writer, o->l);
	if (!ret)
		ret = writer__begin(o->writer, o->l, err);
	if (!o->opts.no_build_ids)
		o->build_ids = build_id_list__new();
	o->files.max = o->opts.max_files;
	in->writer = o->writer;
	in->build_ids = o->build_ids;
	return ret;
}

int output__finish(struct output *o, const struct intake *in, struct err *err)
{
	int ret;

	o->is_finished = true;
	if (!writer__is_pipe(o->writer)) {
		if (in->last_time)
			host_features__write_sample_time(o->writer, in->first_time, in->last_time);
		o->has_room_for_names = o->opts.room_for_names && in->samples &&
					!writer__feature(o->writer, FEATURE_EMBEDDED_NAMES, "", 0);
	}
	if (o->build_ids)
		build_id_list__write(o->build_ids, o->writer);
	ret = writer__finish(o->writer, err);
	o->bytes += writer__file_size(o->writer);
	o->unpacked += writer__data_size(o->writer);
	o->blocked_ms += writer__blocked_ms(o->writer);
	return ret || !o->opts.switches ? ret : left_files__add(&o->files, o->opts.path, err);
}

void output__save(struct output *o, const struct intake *in, struct err *err)
{
	if (o->writer && !o->is_finished)
		output__finish(o, in, err);
}

void output__exit(struct output *o)
{
	output__close(o);
	left_files__exit(&o->files);
}
