#include "record/flow/output.h"

#include "base/message/msg.h"
#include "base/system/clock.h"
#include "base/system/file.h"
#include "record/flow/old_output.h"
#include "record/describe/tracing_data.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

static void output__close(struct output *o)
{
	writer__delete(o->writer);
	build_id_list__delete(o->build_ids);
	o->writer = NULL;
	o->build_ids = NULL;
	if (o->opts.slices)
		file__close(o->slice_fd);
	o->slice_fd = -1;
}

/* The writer opens the file of a slice by its name in /proc. */
static int output__open_slice(struct output *o, struct err *err)
{
	const struct writer_opts opts = { .compression = 0 };
	char path[32];

	o->slice_fd = memfd_create("perf-slice", MFD_CLOEXEC);
	if (o->slice_fd < 0)
		return err__set(err, -errno, "cannot get memory for samples: %s", strerror(errno));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", o->slice_fd);
	return writer__open(&o->writer, path, &opts, err);
}

/* Open the file, or the file "data" of a data directory. */
static int output__open_writer(struct output *o, struct err *err)
{
	struct writer_opts opts = { .pipe = !strcmp(o->opts.path, "-"),
				    .compression = o->opts.compression,
				    .queue = o->opts.queue };
	const u64 dir_version = 1;
	char *path;
	int ret = 0;

	if (o->opts.slices)
		return output__open_slice(o, err);
	if (!opts.pipe && !o->opts.keep_old)
		ret = old_output__keep(o->opts.path, err);
	if (!ret && o->opts.is_dir)
		ret = old_output__make_dir(o->opts.path, err);
	if (ret)
		return ret;
	path = o->opts.is_dir ? xasprintf("%s/data", o->opts.path) : xstrdup(o->opts.path);
	ret = writer__open(&o->writer, path, &opts, err);
	free(path);
	if (!ret && o->opts.is_dir)
		ret = writer__feature(o->writer, FEATURE_DIR_FORMAT, &dir_version, sizeof(dir_version));
	return ret;
}

/* Only regular files may be renamed: as root, -o /dev/null would move the device. */
static bool output__is_regular(const struct output *o)
{
	struct stat st;

	return !writer__is_pipe(o->writer) && !stat(o->opts.path, &st) && S_ISREG(st.st_mode);
}

int output__open(struct output *o, struct intake *in, struct err *err)
{
	int ret;

	output__close(o);
	o->is_finished = false;
	ret = output__open_writer(o, err);
	if (!ret && o->opts.switches && !o->opts.slices && !output__is_regular(o)) {
		output__close(o); /* nothing to finish or rename */
		return err__set(err, -EINVAL,
				"--switch-output writes several files, but '%s' is not a regular file",
				o->opts.path);
	}
	if (!ret)
		ret = host_features__write(o->writer, o->l, o->opts.host);
	if (!ret)
		ret = tracing_data__write(o->writer, o->l);
	if (!ret)
		ret = writer__begin(o->writer, o->l, err);
	o->build_ids = build_id_list__new(&o->opts.viewers);
	o->files.max = o->opts.max_files;
	intake__begin_file(in, o->writer, o->build_ids);
	return ret;
}

/*
 * Return whether the file is still at its path. A program without locks, such as stock perf, may have moved
 * it and put its own file there.
 */
static bool output__is_in_place(const struct output *o)
{
	const char *inner = o->opts.is_dir ? "/data" : "";
	char *path = xasprintf("%s%s", o->opts.path, inner),
	     *old = xasprintf("%s.old%s", o->opts.path, inner);
	bool is_in_place = writer__is_pipe(o->writer) || writer__is_at(o->writer, path);

	if (!is_in_place && writer__is_at(o->writer, old))
		warning("'%s' was moved while it was written: this recording is '%s.old' now", o->opts.path,
			o->opts.path);
	else if (!is_in_place)
		warning("'%s' was moved while it was written: this recording is not there any more",
			o->opts.path);
	free(path);
	free(old);
	return is_in_place;
}

int output__finish(struct output *o, const struct intake *in, struct err *err)
{
	int ret;

	o->is_finished = true;
	o->samples += in->tally.samples;
	o->side_band = MAX(o->side_band, in->tally.records - in->tally.samples);
	if (!writer__is_pipe(o->writer)) {
		if (in->tally.last_time)
			host_features__write_sample_time(o->writer, in->tally.first_time,
							 in->tally.last_time);
		o->wants_names = o->opts.store_names && o->samples;
	}
	if (!o->opts.no_build_ids)
		build_id_list__write(o->build_ids, o->writer);
	ret = writer__finish(o->writer, err);
	o->bytes += writer__file_size(o->writer);
	o->unpacked += writer__data_size(o->writer);
	o->blocked_ms += writer__blocked_ms(o->writer);
	if (o->opts.slices)
		return ret;
	if (!ret && !output__is_in_place(o)) {
		o->wants_names = false;
		return 0;
	}
	return ret || !o->opts.switches ? ret : left_files__add(&o->files, o->opts.path, err);
}

int output__give_slice(struct output *o, u64 samples, u64 lost, struct err *err)
{
	struct slice s = { .samples = samples, .lost = lost };
	struct timespec used;
	int fd = o->slice_fd, ret;

	if (!o->opts.slices)
		return 0;
	if (!clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used))
		s.cpu_ns = timespec__ns(&used);
	o->slice_fd = -1;
	ret = o->opts.slices->take(o->opts.slices->ctx, fd, &s);
	return ret ? err__set(err, ret, "cannot pass samples on: %s", err__str(ret)) : 0;
}

bool output__is_open(const struct output *o)
{
	return o->writer && !o->is_finished;
}

void output__save(struct output *o, const struct intake *in, struct err *err)
{
	if (output__is_open(o))
		output__finish(o, in, err);
}

void output__exit(struct output *o)
{
	output__close(o);
	left_files__exit(&o->files);
}
