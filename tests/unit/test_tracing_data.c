/* The tracepoint formats in a recording: written from a folder that looks like tracefs, and read back. */
#include "unit.h"

#include "base/system/file.h"
#include "event/tracepoint/trace_header.h"
#include "record/describe/tracing_data.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/tracing-data-XXXXXX";

static void add_file(const char *name, const char *text)
{
	char *path = xasprintf("%s/%s", folder, name);
	int fd;

	for (char *slash = path + strlen(folder); (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		mkdir(path, 0755); /* or it is there */
		*slash = '/';
	}
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(file__write_all(fd, text, strlen(text)), 0);
	close(fd);
	free(path);
}

static void add_event(const char *system, const char *name, int id)
{
	char *file = xasprintf("events/%s/%s/id", system, name), *text = xasprintf("%d\n", id);

	add_file(file, text);
	free(file);
	free(text);
	file = xasprintf("events/%s/%s/format", system, name);
	text = xasprintf("name: %s\nID: %d\nformat:\n", name, id);
	add_file(file, text);
	free(file);
	free(text);
}

static void select_event(struct evlist *l, u64 id, const char *name)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .config = id };

	evlist__add(l, &attr, sizeof(attr), name);
}

static void expect_text(struct trace_text t, const char *text)
{
	assert_int_equal(t.size, strlen(text));
	assert_memory_equal(t.data, text, t.size);
}

static void expect_format(const struct trace_header *h, size_t i, const char *system, u64 id)
{
	u64 found;

	assert_string_equal(h->formats.v[i].system, system);
	assert_true(trace_format__id(&h->formats.v[i].text, &found));
	assert_int_equal(found, id);
}

static void build(struct strbuf *data)
{
	struct perf_event_attr other = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(other) };
	struct err err = ERR_INIT;
	struct evlist l;

	evlist__init(&l);
	select_event(&l, 314, "sched:sched_switch:u");
	evlist__add(&l, &other, sizeof(other), "cpu-clock");
	select_event(&l, 11, "irq:entry");
	select_event(&l, 313, "my own name"); /* by its id */
	select_event(&l, 11, "irq:exit");     /* the id counts; and once is enough */
	select_event(&l, 1, "ftrace:function");
	assert_int_equal(tracing_data__build(folder, &l, data, &err), 0);
	evlist__exit(&l);
}

static void recorded_formats_are_there(void **state)
{
	struct strbuf data = STRBUF_INIT;
	struct trace_header h;

	(void)state;
	build(&data);
	assert_int_equal(trace_header__parse(&h, data.buf, data.len), 0);
	assert_int_equal(h.big_endian, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	assert_int_equal(h.long_size, sizeof(long));
	assert_int_equal(h.page_size, sysconf(_SC_PAGESIZE));
	assert_int_equal(h.formats.nr, 4);
	expect_format(&h, 0, "ftrace", 1);
	expect_format(&h, 1, "sched", 314);
	expect_format(&h, 2, "sched", 313);
	expect_format(&h, 3, "irq", 11);
	expect_text(h.printk, "0xffff0010 : \"text\"\n");
	expect_text(h.cmdlines, "12 init\n");
	trace_header__exit(&h);
	strbuf__exit(&data);
}

/* The order of the bytes, which other readers depend on. */
static void bytes_are_those_of_trace_dat(void **state)
{
	static const char start[] = "\x17\x08\x44tracing0.6\0";
	struct strbuf data = STRBUF_INIT;
	const char *p;
	u64 size;
	u32 nr;

	(void)state;
	build(&data);
	assert_memory_equal(data.buf, start, sizeof(start) - 1);
	p = data.buf + sizeof(start) - 1 + 1 + 1 + 4;
	assert_string_equal(p, "header_page");
	p += sizeof("header_page");
	memcpy(&size, p, sizeof(size));
	assert_int_equal(size, 4);
	assert_memory_equal(p + 8, "page", 4);
	p += 8 + 4;
	assert_string_equal(p, "header_event");
	p += sizeof("header_event") + 8; /* nothing in it: no such file */
	memcpy(&nr, p, sizeof(nr));
	assert_int_equal(nr, 1);
	memcpy(&size, p + 4, sizeof(size));
	assert_memory_equal(p + 12, "name: function\n", 15);
	p += 12 + size;
	memcpy(&nr, p, sizeof(nr));
	assert_int_equal(nr, 2);
	assert_string_equal(p + 4, "sched");
	memcpy(&nr, p + 4 + 6, sizeof(nr));
	assert_int_equal(nr, 2);
	strbuf__exit(&data);
}

static void missing_tracepoint_is_told(void **state)
{
	struct strbuf data = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct evlist l;

	(void)state;
	evlist__init(&l);
	select_event(&l, 4711, "sched:sched_switch");
	assert_int_equal(tracing_data__build(folder, &l, &data, &err), -ESRCH);
	assert_non_null(strstr(err.text.buf, "4711"));
	select_event(&l, 15, "irq:unreadable");
	l.evsels.v[0]->attr.config = 15;
	assert_int_equal(tracing_data__build(folder, &l, &data, &err), -ENOENT);
	assert_non_null(strstr(err.text.buf, "events/irq/unreadable/format"));
	assert_int_equal(data.len, 0);
	evlist__exit(&l);
	err__exit(&err);
}

/* Cut anywhere and with any byte replaced, it is read up to there or refused; sanitizers see what is touched.
 */
static void touch(struct trace_text t)
{
	static volatile char sink;

	for (size_t i = 0; i < t.size; i++)
		sink = t.data[i];
	(void)sink;
}

static int parse_copy(const struct strbuf *data, size_t size, size_t at, u8 byte)
{
	u8 *copy = xmalloc(size + !size);
	struct trace_header h;
	int ret;

	memcpy(copy, data->buf, size);
	if (at < size)
		copy[at] = byte;
	ret = trace_header__parse(&h, copy, size);
	for (size_t i = 0; i < h.formats.nr; i++) {
		touch(h.formats.v[i].text);
		touch((struct trace_text){ h.formats.v[i].system, strlen(h.formats.v[i].system) });
		touch(trace_format__value(&h.formats.v[i].text, "name"));
	}
	touch(h.printk);
	touch(h.cmdlines);
	trace_header__exit(&h);
	free(copy);
	return ret;
}

static void damaged_data_is_bounded(void **state)
{
	struct strbuf data = STRBUF_INIT;
	struct trace_header h;
	size_t end;

	(void)state;
	build(&data);
	assert_int_equal(trace_header__parse(&h, data.buf, data.len), 0);
	end = (size_t)(h.formats.v[3].text.data + h.formats.v[3].text.size - data.buf);
	trace_header__exit(&h);
	for (size_t size = 0; size <= data.len; size++)
		assert_int_equal(parse_copy(&data, size, SIZE_MAX, 0), size < end ? -EBADMSG : 0);
	for (size_t at = 0; at < data.len; at++)
		for (int byte = 0; byte < 256; byte += 51)
			(void)parse_copy(&data, data.len, at, (u8)byte);
	strbuf__exit(&data);
}

static int make_folder(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	add_file("events/header_page", "page");
	add_file("printk_formats", "0xffff0010 : \"text\"\n");
	add_file("saved_cmdlines", "12 init\n");
	add_event("sched", "sched_waking", 313);
	add_event("sched", "sched_switch", 314);
	add_event("irq", "entry", 11);
	add_event("irq", "exit", 12);
	add_event("ftrace", "function", 1);
	add_file("events/irq/unreadable/id", "15\n");
	return 0;
}

static int remove_folder(void **state)
{
	char *command = xasprintf("rm -r %s", folder);
	int ret = system(command);

	(void)state;
	free(command);
	return ret;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recorded_formats_are_there),
		cmocka_unit_test(bytes_are_those_of_trace_dat),
		cmocka_unit_test(missing_tracepoint_is_told),
		cmocka_unit_test(damaged_data_is_bounded),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
