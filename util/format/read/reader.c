#include "format/read/reader.h"

#include "base/memory/cursor.h"
#include "base/message/bug.h"
#include "base/message/called_name.h"
#include "base/system/file.h"
#include "base/system/output_file.h"
#include "base/system/unpack.h"
#include "base/text/mask.h"
#include "format/read/reader_private.h"
#include "format/records/swap.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEADER_SIZE_NO_FEATURES = 72 };

typedef unsigned long long ull;

void reader__vdamage(struct reader *r, const char *fmt, va_list ap)
{
	struct strbuf sb = STRBUF_INIT;

	if (r->damage.code || r->stopped)
		return;
	strbuf__vaddf(&sb, fmt, ap);
	mask_message(sb.buf, sb.len, fmt);
	err__set(&r->damage, -EBADMSG, "%s", sb.buf);
	strbuf__exit(&sb);
}

void reader__damage(struct reader *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	reader__vdamage(r, fmt, ap);
	va_end(ap);
}

void reader__warn(struct reader *r, const char *fmt, ...)
{
	size_t start;
	va_list ap;

	r->warnings.code = -EBADMSG;
	if (r->warnings.text.len)
		strbuf__addch(&r->warnings.text, '\n');
	va_start(ap, fmt);
	start = r->warnings.text.len;
	strbuf__vaddf(&r->warnings.text, fmt, ap);
	mask_message(r->warnings.text.buf + start, r->warnings.text.len - start, fmt);
	va_end(ap);
}

bool reader__is_stopped(struct reader *r)
{
	int nr = r->opts.stop ? __atomic_load_n(r->opts.stop, __ATOMIC_RELAXED) : 0;

	if (nr <= r->nr_stops)
		return false;
	r->nr_stops = nr;
	r->stopped = true;
	return true;
}

u64 reader__size(const struct reader *r)
{
	u64 size = 0;

	if (r->priv->stream)
		return 0;
	for (size_t i = 0; i < r->segments.nr; i++)
		size += r->segments.v[i].end - r->segments.v[i].start;
	return size;
}

void reader__step(const struct reader *r, u32 segment, u64 offset, u64 nr_records)
{
	const struct reader_segment *s = r->segments.v;
	u64 before = 0;

	if (!r->opts.progress)
		return;
	for (u32 i = 0; i < segment; i++)
		before += s[i].end - s[i].start;
	progress__step(r->opts.progress, before + offset - s[segment].start, nr_records);
}

const struct sample_decoder *reader__decoder(struct reader *r)
{
	struct reader_private *priv = r->priv;

	if (!priv->decoder.layouts || priv->decoder_evsels != r->evlist.evsels.nr) {
		sample_decoder__exit(&priv->decoder);
		sample_decoder__init(&priv->decoder, &r->evlist);
		priv->decoder_evsels = r->evlist.evsels.nr;
	}
	return &priv->decoder;
}

/* ---- the header ---- */

static bool header_size__known(u64 size)
{
	return size == sizeof(struct perf_data_header) || size == HEADER_SIZE_NO_FEATURES ||
	       size == PERF_DATA_PIPE_HEADER_SIZE;
}

/* Say that the file is not a recording, and what it is by its first n bytes. */
static int header__refuse(const struct reader *r, size_t n, const char *why, struct err *err)
{
	bool is_stdin = !strcmp(r->path, "-");
	const char *quote = is_stdin ? "" : "'";

	err__set(err, -EINVAL, "%s%s%s is not a perf.data file: %s", quote,
		 is_stdin ? "standard input" : r->path, quote, why);
	if (n >= 4 && !memcmp(&r->header, "\177ELF", 4))
		err__advise(err, "it is a program: '%s record %s' records it", called_name(), r->path);
	else if (unpack__format_of(&r->header, n) != UNPACK_NONE)
		err__advise(err, "it is compressed: unpack it, and name the unpacked file");
	else if (is_stdin)
		err__advise(err, "to read a file, name it");
	else
		err__advise(err, "%s record writes recordings, to perf.data unless -o names another file",
			    called_name());
	return -EINVAL;
}

/* Find format and byte order: version 2 has them in the magic, version 1 only in the header's size. */
static int header__detect(struct reader *r, u64 magic, u64 size, struct err *err)
{
	if (magic == PERF_DATA_MAGIC2) {
		r->needs_swap = false;
	} else if (magic == __builtin_bswap64(PERF_DATA_MAGIC2)) {
		r->needs_swap = true;
	} else if (magic == PERF_DATA_MAGIC1 || magic == __builtin_bswap64(PERF_DATA_MAGIC1)) {
		r->is_v1 = true;
		r->needs_swap = !header_size__known(size);
	} else {
		return header__refuse(r, sizeof(r->header), "it does not begin with PERFILE2", err);
	}
	if (r->needs_swap)
		size = __builtin_bswap64(size);
	if (!header_size__known(size))
		return err__set(err, -EINVAL,
				"'%s': offset 8: the header's size is %llu, expected %zu (16 in pipe mode)",
				r->path, (ull)size, sizeof(struct perf_data_header));
	r->is_pipe = size == PERF_DATA_PIPE_HEADER_SIZE;
	return 0;
}

static bool bit__test(const u64 *bits, unsigned bit)
{
	return bits[bit / 64] >> bit % 64 & 1;
}

/*
 * The feature bits are an array of the recorder's longs: other-order files need swapping as 64-bit words or
 * as 32-bit words. Every recorder sets HOSTNAME, so the choice that shows this bit is right.
 */
static void header__swap_features(struct perf_data_header *h)
{
	u64 as32[ARRAY_SIZE(h->features)];

	for (size_t i = 0; i < ARRAY_SIZE(h->features); i++) {
		h->features[i] = __builtin_bswap64(h->features[i]);
		as32[i] = h->features[i] >> 32 | h->features[i] << 32;
	}
	if (!bit__test(h->features, FEATURE_HOSTNAME) && bit__test(as32, FEATURE_HOSTNAME))
		memcpy(h->features, as32, sizeof(as32));
}

static int header__read(struct reader *r, int fd, struct err *err)
{
	struct perf_data_header *h = &r->header;
	u64 *words = (u64 *)h;
	ssize_t n;
	int ret;

	n = file__pread_all(fd, h, sizeof(*h), 0);
	if (n < 0)
		return err__set(err, (int)n, "'%s': %s", r->path, err__str((int)n));
	if (n < PERF_DATA_PIPE_HEADER_SIZE)
		return header__refuse(r, (size_t)n, n ? "it ends inside the header" : "it is empty", err);
	ret = header__detect(r, h->magic, h->size, err);
	if (ret)
		return ret;
	if (r->needs_swap)
		for (size_t i = 0; i < offsetof(struct perf_data_header, features) / sizeof(*words); i++)
			words[i] = __builtin_bswap64(words[i]);
	if (r->is_pipe) {
		memset(&h->attr_size, 0, sizeof(*h) - PERF_DATA_PIPE_HEADER_SIZE);
		return 0;
	}
	if ((u64)n < h->size)
		return err__set(err, -EBADMSG,
				"'%s': the file ends at offset %zd, inside its header of %llu bytes", r->path,
				n, (ull)h->size);
	if (h->size < sizeof(*h))
		memset(h->features, 0, sizeof(h->features));
	else if (r->needs_swap)
		header__swap_features(h);
	memcpy(r->features_set, h->features, sizeof(r->features_set));
	return 0;
}

/* ---- attrs ---- */

/* Is a section inside the file? */
static bool section__inside(const struct reader *r, const struct perf_data_section *s)
{
	return s->offset <= r->file_size && s->size <= r->file_size - s->offset;
}

static void ids__read(struct reader *r, int fd, struct evsel *e, const struct perf_data_section *s,
		      u64 *budget)
{
	u64 nr = s->size / 8;
	u64 *ids;
	ssize_t n;

	if (!section__inside(r, s) || nr > *budget) {
		reader__warn(r,
			     "'%s': the ids of event %u are at offset %llu, %llu bytes, outside the file of "
			     "%llu bytes",
			     r->path, e->idx, (ull)s->offset, (ull)s->size, (ull)r->file_size);
		return;
	}
	*budget -= nr;
	if (!nr)
		return;
	ids = xreallocarray(NULL, nr, sizeof(*ids));
	n = file__pread_all(fd, ids, nr * sizeof(*ids), s->offset);
	for (u64 i = 0; n > 0 && i < (u64)n / sizeof(*ids); i++)
		evlist__add_id(&r->evlist, e, r->needs_swap ? __builtin_bswap64(ids[i]) : ids[i]);
	free(ids);
}

/* Read one entry of the attr section: an attr of any size, then the section of its ids. */
static void attr_entry__read(struct reader *r, int fd, u8 *entry, size_t entry_size, u64 *id_budget)
{
	size_t room = entry_size - sizeof(struct perf_data_section), size;
	struct perf_data_section ids;
	u32 claimed;

	memcpy(&claimed, entry + offsetof(struct perf_event_attr, size), sizeof(claimed));
	if (r->needs_swap)
		claimed = __builtin_bswap32(claimed);
	size = claimed >= EVENT_ATTR_SIZE_MIN && claimed <= room ? claimed : room;
	memcpy(&ids, entry + room, sizeof(ids));
	if (r->needs_swap) {
		attr__swap(entry, size);
		ids.offset = __builtin_bswap64(ids.offset);
		ids.size = __builtin_bswap64(ids.size);
	}
	ids__read(r, fd, evlist__add(&r->evlist, entry, size, NULL), &ids, id_budget);
}

static void attrs__read(struct reader *r, int fd)
{
	const struct perf_data_header *h = &r->header;
	u64 entry_size = h->attr_size, nr, id_budget = r->file_size / 8;
	u8 *entry;

	if (entry_size < EVENT_ATTR_SIZE_MIN + sizeof(struct perf_data_section) ||
	    entry_size > EVENT_ATTR_SIZE_MAX) {
		reader__damage(
			r,
			"'%s': offset 16: the size of an attr entry is %llu, expected %zu or a little more",
			r->path, (ull)entry_size, EVENT_ATTR_SIZE_MIN + sizeof(struct perf_data_section));
		return;
	}
	if (!section__inside(r, &h->attrs)) {
		reader__damage(
			r, "'%s': the attrs are at offset %llu, %llu bytes, outside the file of %llu bytes",
			r->path, (ull)h->attrs.offset, (ull)h->attrs.size, (ull)r->file_size);
		return;
	}
	nr = h->attrs.size / entry_size;
	if (nr > READER_EVENTS_MAX) {
		reader__damage(r, "'%s': %llu attrs, expected at most %d", r->path, (ull)nr,
			       READER_EVENTS_MAX);
		return;
	}
	entry = xmalloc(entry_size);
	for (u64 i = 0; i < nr; i++) {
		if (file__pread_all(fd, entry, entry_size, h->attrs.offset + i * entry_size) !=
		    (ssize_t)entry_size)
			break;
		attr_entry__read(r, fd, entry, entry_size, &id_budget);
	}
	free(entry);
}

/* ---- data and features ---- */

static struct reader_segment *segment__add(struct reader *r, int fd, const char *path, u64 start, u64 end)
{
	struct reader_segment *s = array__push(&r->segments);
	char *owned = xstrdup(path);

	array__add(&r->priv->paths, owned);
	*s = (struct reader_segment){ .fd = fd, .path = owned, .start = start, .end = end };
	return s;
}

/* Set the segment to the records, and report damage if the file has fewer than its header claims. */
static void data__locate(struct reader *r, struct reader_segment *s)
{
	const struct perf_data_section *d = &r->header.data;
	bool has_features = r->features_set[0] | r->features_set[1] | r->features_set[2] | r->features_set[3];

	s->start = MIN(d->offset, r->file_size);
	if (d->offset > r->file_size) {
		s->end = s->start;
		reader__damage(r, "'%s': the records are at offset %llu, after the end of the file at %llu",
			       r->path, (ull)d->offset, (ull)r->file_size);
	} else if (!d->size ||
		   (!has_features && (d->size < r->file_size - d->offset ||
				      extension__has_locator(s->fd, &r->header, r->needs_swap)))) {
		/* The recorder writes sizes and features last. */
		r->unterminated = true;
		s->end = r->file_size;
		reader__warn(r, "'%s' was not completed by its recorder: reading to the last whole record",
			     r->path);
	} else if (d->size > r->file_size - d->offset) {
		s->end = r->file_size;
		reader__damage(r,
			       "'%s': the file ends at offset %llu, expected records up to %llu: %llu bytes "
			       "are missing",
			       r->path, (ull)r->file_size, (ull)(d->offset + d->size),
			       (ull)(d->size - (r->file_size - d->offset)));
	} else {
		s->end = d->offset + d->size;
	}
	if (BUG_UNLESS(s->start <= s->end && s->end <= r->file_size, "%llu to %llu of %llu", (ull)s->start,
		       (ull)s->end, (ull)r->file_size))
		s->end = s->start;
}

/* The table of feature sections follows the data, with one entry for each bit set. */
static void features__locate(struct reader *r, int fd)
{
	u64 offset = r->header.data.offset + r->header.data.size;
	unsigned nr_outside = 0;

	if (r->unterminated)
		memset(r->features_set, 0, sizeof(r->features_set));
	for (unsigned bit = 0; bit < FEATURE_BITS; bit++) {
		struct perf_data_section s;

		if (!bit__test(r->features_set, bit))
			continue;
		if (file__pread_all(fd, &s, sizeof(s), offset) != (ssize_t)sizeof(s)) {
			reader__warn(r,
				     "'%s': the table of header features ends at offset %llu, after bit %u",
				     r->path, (ull)offset, bit);
			for (; bit < FEATURE_BITS; bit++)
				r->features_set[bit / 64] &= ~(1ull << bit % 64);
			break;
		}
		offset += sizeof(s);
		if (r->needs_swap) {
			s.offset = __builtin_bswap64(s.offset);
			s.size = __builtin_bswap64(s.size);
		}
		if (!section__inside(r, &s)) {
			if (!nr_outside++)
				reader__warn(r,
					     "'%s': header feature %u is at offset %llu, %llu bytes, outside "
					     "the file of %llu bytes: skipped",
					     r->path, bit, (ull)s.offset, (ull)s.size, (ull)r->file_size);
			r->features_set[bit / 64] &= ~(1ull << bit % 64);
			continue;
		}
		r->features[bit] = s;
	}
	if (nr_outside > 1)
		reader__warn(r, "'%s': %u more header features are outside the file: skipped", r->path,
			     nr_outside - 1);
}

static void extension__locate(struct reader *r, int fd)
{
	struct err err = ERR_INIT;

	if (r->unterminated)
		return;
	extension__read(&r->extension, fd, &r->header, r->file_size, r->needs_swap, &err);
	if (err.code)
		reader__warn(r, "'%s': %s: what it stores (function names, losses) is missing", r->path,
			     err.text.buf);
	err__exit(&err);
}

static int section__read(const struct reader *r, const struct perf_data_section *s, struct strbuf *sb)
{
	ssize_t n;

	if (!section__inside(r, s) || !r->segments.nr)
		return -EBADMSG;
	strbuf__grow(sb, s->size);
	n = file__pread_all(r->segments.v[0].fd, sb->buf, s->size, s->offset);
	if (n != (ssize_t)s->size)
		return n < 0 ? (int)n : -EBADMSG;
	strbuf__setlen(sb, s->size);
	return 0;
}

static const struct perf_data_section *reader__chunk(const struct reader *r, enum extension_kind kind)
{
	for (size_t i = 0; i < r->extension.chunks.nr; i++)
		if (r->extension.chunks.v[i].kind == kind)
			return &r->extension.chunks.v[i].content;
	return NULL;
}

u64 reader__extension_offset(const struct reader *r, enum extension_kind kind)
{
	const struct perf_data_section *s = reader__chunk(r, kind);

	return s ? s->offset : 0;
}

int reader__extension(const struct reader *r, enum extension_kind kind, struct strbuf *sb)
{
	static const enum feature old[] = {
		[EXTENSION_LOSSES] = FEATURE_OLD_LOSSES,
		[EXTENSION_NAMES] = FEATURE_OLD_NAMES,
		[EXTENSION_CALL_CHAINS] = FEATURE_OLD_CALL_CHAINS,
	};

	const struct perf_data_section *chunk = reader__chunk(r, kind);

	strbuf__reset(sb);
	if (chunk)
		return section__read(r, chunk, sb);
	return (size_t)kind < ARRAY_SIZE(old) && old[kind] ? reader__feature(r, old[kind], sb) : -ENOENT;
}

int reader__feature(const struct reader *r, enum feature f, struct strbuf *sb)
{
	const struct perf_data_section *s;

	strbuf__reset(sb);
	if ((unsigned)f >= FEATURE_BITS || !bit__test(r->features_set, f))
		return -ENOENT;
	s = &r->features[f];
	if (r->is_pipe && !s->offset) {
		if (f >= FEATURE_LAST)
			return -ENOENT;
		strbuf__add(sb, r->feature_data[f].buf, r->feature_data[f].len);
		return 0;
	}
	return section__read(r, s, sb);
}

/* ---- opening ---- */

/*
 * Return a descriptor to read from: a regular file, or a copy of the stream in *stream. Takes fd, which may
 * be standard input.
 */
static int regular__from(int fd, const char *path, struct reader_stream **stream, struct err *err)
{
	struct stat st;
	int out;

	if (fstat(fd, &st)) {
		out = err__set(err, -errno, "'%s': %s", path, strerror(errno));
	} else if (S_ISREG(st.st_mode) && lseek(fd, 0, SEEK_CUR) == 0) {
		return fd;
	} else if (S_ISREG(st.st_mode) || S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) ||
		   S_ISCHR(st.st_mode)) {
		return reader_stream__new(stream, fd, path, err);
	} else {
		out = err__set(err, -EINVAL, "'%s' is not a file, a pipe or a data directory", path);
	}
	close(fd);
	return out;
}

/* The name of a user, or the number. */
static char *user_name(uid_t uid)
{
	const struct passwd *pw = getpwuid(uid);

	return pw ? xstrdup(pw->pw_name) : xasprintf("%u", uid);
}

/* Advise what makes the recording at path readable. */
static void advise_access(const char *path, struct err *err)
{
	struct strbuf word = STRBUF_INIT;
	char *owner, *self = user_name(geteuid());
	struct stat st;

	strbuf__add_shell_word(&word, path);
	if (!stat(path, &st) && st.st_uid == geteuid()) {
		err__advise(err, "type: chmod u+r %s", word.buf);
	} else if (!stat(path, &st)) {
		owner = user_name(st.st_uid);
		err__advise(err, "it belongs to %s; type: sudo chown %s%s %s", owner,
			    S_ISDIR(st.st_mode) ? "-R " : "", self, word.buf);
		free(owner);
	}
	free(self);
	strbuf__exit(&word);
}

static int dir__has_no_data(const char *dir, struct err *err)
{
	char *inner = xasprintf("%s/perf.data", dir);

	err__set(err, -ENOENT, "'%s' is a folder without a recording: it has no file 'data'", dir);
	if (!access(inner, F_OK))
		err__advise(err, "to read the recording in it: -i %s", inner);
	else
		err__advise(err, "name a file");
	free(inner);
	return -ENOENT;
}

/* Files of a data directory must be regular; only a name on the command line may be a pipe. */
static int dir__open_data(const char *path, struct err *err)
{
	int fd = file__open_plain(path);

	return fd < 0 ? err__set(err, fd, "cannot open '%s': %s", path,
				 fd == -EINVAL ? "it is not a regular file" : err__str(fd))
		      : fd;
}

static int fd__open(const char *path, struct reader_stream **stream, struct err *err)
{
	int fd;

	if (!strcmp(path, "-"))
		fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	else
		fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		int code = -errno;
		char *target = code == -ENOENT ? file__link_target("%s", path) : NULL;

		if (target)
			err__set(err, code, "cannot open '%s': it is a link to '%s', which does not exist",
				 path, target);
		else
			err__set(err, code, "cannot open '%s': %s", path, err__str(code));
		free(target);
		if (code == -ENOENT && !strcmp(path, "perf.data"))
			err__advise(err, "record something first: %s record COMMAND", called_name());
		if (code == -EACCES)
			advise_access(path, err);
		return code;
	}
	return regular__from(fd, path, stream, err);
}

/* As numbers: data.2 before data.10. */
static int by_number(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

/* Open the other files of a data directory, data.0 and on: records only. */
static int dir__add_segments(struct reader *r, struct err *err)
{
	name_array names = { 0 };
	int ret = folder__names(&names, false, "%s", r->path);

	if (ret)
		return err__set(err, ret, "'%s': %s", r->path, err__str(ret));
	if (names.nr)
		qsort(names.v, names.nr, sizeof(*names.v), by_number);
	for (size_t i = 0; i < names.nr && !ret; i++) {
		char *path = xasprintf("%s/%s", r->path, names.v[i]);
		bool is_data = !strncmp(names.v[i], "data.", 5) && names.v[i][5] &&
			       !names.v[i][5 + strspn(names.v[i] + 5, "0123456789")];
		int fd = is_data ? file__open_plain(path) : 0;
		struct stat st;

		if (fd >= 0 && is_data && fstat(fd, &st)) {
			close(fd);
			fd = -EIO;
		}
		if (fd < 0)
			ret = err__set(err, fd, "cannot open '%s': %s", path, err__str(fd));
		else if (is_data)
			segment__add(r, fd, path, 0, (u64)st.st_size);
		free(path);
	}
	name_array__exit(&names);
	return ret;
}

/* A pipe must be read to its end first: its attrs may come anywhere. */
static int reader__await(struct reader *r, u64 size, struct err *err)
{
	struct reader_stream *stream = r->priv->stream;
	int ret = stream ? reader_stream__read_until(stream, size, r, err) : 0;

	if (ret == -EINTR)
		err__set(err, ret, "'%s': interrupted before all of it had arrived", r->path);
	return ret;
}

/* The whole file is there. */
static int reader__init_file(struct reader *r, int fd, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st))
		return err__set(err, -errno, "'%s': %s", r->segments.v[0].path, strerror(errno));
	r->file_size = (u64)st.st_size;
	r->mtime = st.st_mtime;
	r->output_mode = r->priv->stream ? 0666 : output_file__mode_of(&st);
	if (file__is_locked(fd))
		reader__warn(r, "'%s' is still being written: this is what it has now", r->path);
	return 0;
}

static int reader__init(struct reader *r, const char *file, struct err *err)
{
	struct reader_private *priv = r->priv;
	struct reader_segment *s;
	int fd, ret;

	fd = r->is_dir ? dir__open_data(file, err) : fd__open(file, &priv->stream, err);
	if (fd == -ENOENT && r->is_dir)
		return dir__has_no_data(r->path, err);
	if (fd == -EACCES && r->is_dir)
		advise_access(r->path, err);
	if (fd < 0)
		return fd;
	s = segment__add(r, fd, file, 0, 0);
	ret = reader__await(r, sizeof(r->header), err);
	if (!ret)
		ret = header__read(r, fd, err);
	if (!ret && !r->is_pipe)
		ret = reader__await(r, UINT64_MAX, err);
	if (!ret)
		ret = reader__init_file(r, fd, err);
	if (ret)
		return ret;
	if (r->is_pipe) {
		s->start = PERF_DATA_PIPE_HEADER_SIZE;
		s->end = priv->stream ? UINT64_MAX : r->file_size;
		return 0;
	}
	reader_stream__delete(priv->stream);
	priv->stream = NULL;
	attrs__read(r, fd);
	data__locate(r, s);
	if (r->opts.end) {
		s->start = MIN(MAX(s->start, r->opts.begin), s->end);
		s->end = MAX(MIN(s->end, r->opts.end), s->start);
	}
	features__locate(r, fd);
	extension__locate(r, fd);
	reader__apply_features(r);
	evlist__finish_names(&r->evlist);
	return 0;
}

int reader__open_with(struct reader **out, const char *path, const struct reader_opts *opts, struct err *err)
{
	struct reader *r = xcalloc(1, sizeof(*r));
	char *file;
	struct stat st;
	int ret;

	*out = NULL;
	r->opts = *opts;
	r->priv = xcalloc(1, sizeof(*r->priv));
	strbuf__init(&r->damage.text);
	strbuf__init(&r->warnings.text);
	for (size_t i = 0; i < ARRAY_SIZE(r->feature_data); i++)
		strbuf__init(&r->feature_data[i]);
	evlist__init(&r->evlist);
	file = xstrdup(path);
	array__add(&r->priv->paths, file);
	r->path = file;
	r->is_dir = strcmp(path, "-") && !stat(path, &st) && S_ISDIR(st.st_mode);
	file = r->is_dir ? xasprintf("%s/data", path) : xstrdup(path);
	ret = reader__init(r, file, err);
	free(file);
	if (!ret && r->is_dir)
		ret = dir__add_segments(r, err);
	if (ret) {
		reader__close(r);
		return ret;
	}
	*out = r;
	return 0;
}

int reader__open(struct reader **out, const char *path, struct err *err)
{
	return reader__open_with(out, path, &(struct reader_opts){ 0 }, err);
}

bool reader__is_recording(const char *path)
{
	char *in_dir = xasprintf("%s/data", path);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), error = errno;
	struct stat st;
	bool is = fd < 0 && error != ENOENT && error != ENOTDIR;
	u64 magic;

	if (fd >= 0 && !fstat(fd, &st) && S_ISDIR(st.st_mode))
		is = !access(in_dir, F_OK);
	else if (fd >= 0 && file__pread_all(fd, &magic, sizeof(magic), 0) == sizeof(magic))
		is = magic == PERF_DATA_MAGIC1 || magic == PERF_DATA_MAGIC2 ||
		     magic == __builtin_bswap64(PERF_DATA_MAGIC1) ||
		     magic == __builtin_bswap64(PERF_DATA_MAGIC2);
	if (fd >= 0)
		close(fd);
	free(in_dir);
	return is;
}

void reader__close(struct reader *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->segments.nr; i++)
		file__close(r->segments.v[i].fd);
	array__exit(&r->segments);
	reader_stream__delete(r->priv->stream);
	for (size_t i = 0; i < ARRAY_SIZE(r->feature_data); i++)
		strbuf__exit(&r->feature_data[i]);
	extension__exit(&r->extension);
	err__exit(&r->damage);
	err__exit(&r->warnings);
	evlist__exit(&r->evlist);
	sample_decoder__exit(&r->priv->decoder);
	array__exit(&r->priv->ranges);
	for (size_t i = 0; i < r->priv->paths.nr; i++)
		free(r->priv->paths.v[i]);
	array__exit(&r->priv->paths);
	free(r->priv);
	free(r);
}
