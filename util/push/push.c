#include "push/push.h"

#include "base/memory/cursor.h"
#include "base/message/msg.h"
#include "base/system/file.h"
#include "base/text/mask.h"
#include "export/export.h"
#include "format/read/features.h"
#include "push/clickhouse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BODY_MAX = 1 << 30, NS_PER_S = 1000000000 };

struct facts_of_file {   /* facts that the server gets besides the profile */
	u64 from, until; /* s since 1970 */
	char *host;      /* NULL: unknown */
};

/* ---- content ---- */

bool push__is_unreadable(int ret)
{
	return ret < 0 && ret != -ENODATA && ret != -ENOENT && ret != -ENOMEM && ret != -EMFILE &&
	       ret != -ENFILE;
}

static int read_facts(const char *path, struct facts_of_file *f, struct err *err)
{
	const struct session_opts opts = { .header_only = true };
	struct session *s;
	u64 first = 0, last = 0;
	int ret = session__open(&s, path, &opts, err);

	if (ret)
		return push__is_unreadable(ret) ? -EUCLEAN : ret;
	features__sample_time(s->reader, &first, &last);
	f->until = (u64)MAX(s->reader->mtime, (s64)0);
	f->from = f->until - MIN(f->until, (last - first) / NS_PER_S + 1);
	if (features__string(s->reader, FEATURE_HOSTNAME, &f->host))
		f->host = NULL;
	session__delete(s);
	return 0;
}

/* Export to a file in memory: nothing is left if perf is killed, and no other user can read it. */
static int make_body(const struct push_args *a, const char *path, const char *format, struct strbuf *body,
		     struct err *err)
{
	struct export_args export = a->export;
	int fd = memfd_create("perf-push", MFD_CLOEXEC), ret;
	char name[32];

	if (fd < 0)
		return err__set(err, -errno, "cannot make a file in memory: %s", strerror(errno));
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	export.input = path;
	export.output = name;
	export.format = format;
	ret = export__run(&export) ? err__set(err, -EUCLEAN, "'%s' cannot be sent", path) : 0;
	if (!ret && lseek(fd, 0, SEEK_SET) < 0)
		ret = -errno;
	if (!ret)
		ret = file__read_fd(fd, body, BODY_MAX);
	if (ret && !err->code)
		err__set(err, ret, "'%s' as %s: %s", path, format, err__str(ret));
	close(fd);
	return ret;
}

/*
 * Append a part of a series' name: characters that end such a part, controls, and bytes that are not UTF-8
 * become '_', so that a host cannot give itself another name's labels.
 */
static void add_series_text(struct strbuf *sb, const char *text)
{
	struct strbuf valid = STRBUF_INIT;

	strbuf__add_utf8(&valid, text);
	mask_controls(valid.buf, valid.len, NULL);
	for (size_t i = 0; i < valid.len; i++)
		strbuf__addch(sb, strchr("{}=,\"\\?", valid.buf[i]) ? '_' : valid.buf[i]);
	strbuf__exit(&valid);
}

/* "name{key=value,...}", with which Pyroscope files a profile. */
static void add_series(const struct push_args *a, const struct facts_of_file *f, struct strbuf *sb)
{
	const char *gap = "";

	add_series_text(sb, a->service ? a->service : "perf");
	strbuf__addch(sb, '{');
	if (f->host && !push_args__label(a, "hostname")) {
		strbuf__addstr(sb, "hostname=");
		add_series_text(sb, f->host);
		gap = ",";
	}
	for (size_t i = 0; i < a->labels.nr; i++, gap = ",") {
		const char *label = a->labels.v[i], *value = strchr(label, '=') + 1; /* check_label */

		strbuf__addf(sb, "%s%.*s", gap, (int)(value - label), label);
		add_series_text(sb, value);
	}
	strbuf__addch(sb, '}');
}

static int send_body(const struct push_args *a, const char *path, const char *url, const char *type,
		     const struct strbuf *body, struct strbuf *answer, struct err *err)
{
	if (a->dry_run) {
		printf("POST %s\nContent-Type: %s\n", url, type);
		for (size_t i = 0; i < a->http.headers.nr; i++)
			printf("%.*s: ...\n", (int)strcspn(a->http.headers.v[i], ":"), a->http.headers.v[i]);
		if (a->http.token)
			printf("Authorization: Bearer ...\n");
		printf("%zu bytes: names, stacks and counts of '%s'\n", body->len, path);
		return 0;
	}
	return http__post(&a->http, url, type, body->buf, body->len, answer, err);
}

static u64 read_varint(struct cursor *c)
{
	u64 value = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		u8 byte = cursor__u8(c);

		value |= (u64)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			break;
	}
	return value;
}

static int push_pyroscope(const struct push_args *a, const char *path, const struct facts_of_file *f,
			  struct err *err)
{
	struct push_args with = *a;
	struct strbuf url = STRBUF_INIT, series = STRBUF_INIT, body = STRBUF_INIT;
	int ret;

	with.export.labels = "comm"; /* a server keeps what differs in labels apart */
	with.export.more_labels = push_args__more_labels(a);
	add_series(a, f, &series);
	http__add_base(&url, a->pyroscope);
	strbuf__addstr(&url, "/ingest?name=");
	http__add_escaped(&url, series.buf);
	strbuf__addf(&url, "&from=%llu&until=%llu&format=pprof&spyName=perf", (unsigned long long)f->from,
		     (unsigned long long)f->until);
	ret = make_body(&with, path, "pprof", &body, err);
	if (!ret)
		ret = send_body(a, path, url.buf, "application/octet-stream", &body, NULL, err);
	strbuf__exit(&url);
	strbuf__exit(&series);
	strbuf__exit(&body);
	return ret;
}

/*
 * A server that takes only a part answers with success, and with ExportProfilesServiceResponse: its field 1,
 * partial_success, has the number of profiles that were rejected (1) and why (2).
 */
static void tell_rejected(const char *url, const char *path, const struct strbuf *answer)
{
	struct cursor c = cursor__make(answer->buf, answer->len, false), inside;
	u64 rejected = 0, size;
	struct strbuf why = STRBUF_INIT;

	if (cursor__u8(&c) != (1 << 3 | 2))
		return;
	size = read_varint(&c);
	size = MIN(size, cursor__left(&c)); /* a long one was cut off */
	inside = cursor__make(c.p, (size_t)size, false);
	while (!inside.bad && cursor__left(&inside)) {
		u64 tag = read_varint(&inside);

		if (tag == (1 << 3)) {
			rejected = read_varint(&inside);
		} else if (tag == (2 << 3 | 2)) {
			size = read_varint(&inside);
			size = MIN(size, cursor__left(&inside));
			strbuf__add(&why, inside.p, (size_t)size);
			cursor__skip(&inside, (size_t)size);
		} else {
			break;
		}
	}
	if (rejected || why.len)
		warning("%s took '%s' but for %llu of its profiles%s%s", url, path,
			(unsigned long long)rejected, why.len ? ": " : "", why.buf);
	strbuf__exit(&why);
}

static int push_otlp(const struct push_args *a, const char *path, struct err *err)
{
	struct push_args with = *a;
	struct strbuf url = STRBUF_INIT, body = STRBUF_INIT, answer = STRBUF_INIT;
	int ret;

	with.export.service = a->service ? a->service : push_args__label(a, "service");
	with.export.more_labels = push_args__more_labels(a);
	with.export.attributes = a->labels.v;
	with.export.nr_attributes = a->labels.nr;
	http__add_base(&url, a->otlp);
	strbuf__addstr(&url, "/v1development/profiles");
	ret = make_body(&with, path, "otlp", &body, err);
	if (!ret)
		ret = send_body(a, path, url.buf, "application/x-protobuf", &body, &answer, err);
	if (!ret)
		tell_rejected(a->otlp, path, &answer);
	strbuf__exit(&answer);
	strbuf__exit(&url);
	strbuf__exit(&body);
	return ret;
}

int push__file(const struct push_args *a, const char *path, struct err *err)
{
	struct facts_of_file facts = { .host = NULL };
	int ret = read_facts(path, &facts, err);

	if (!ret && a->pyroscope)
		ret = push_pyroscope(a, path, &facts, err);
	if (!ret && a->otlp)
		ret = push_otlp(a, path, err);
	if (!ret && a->clickhouse)
		ret = push_clickhouse(a, path, err);
	free(facts.host);
	return ret;
}
