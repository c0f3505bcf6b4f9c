/*
 * A file that a test writes with the writer: setup makes path, an empty file, and list, two events with ids;
 * teardown removes them.
 */
#ifndef WRITTEN_FILE_H
#define WRITTEN_FILE_H

#include "base/system/file.h"
#include "event/evsel/evsel.h"
#include "format/file/data_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WRITTEN_FN static __attribute__((unused))

static char path[64];
static struct evlist list;

WRITTEN_FN int setup(void **state)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.sample_id_all = 1,
					.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME };
	struct evsel *e;
	int fd;

	(void)state;
	strcpy(path, "/tmp/test_written.XXXXXX");
	fd = mkstemp(path);
	if (fd < 0)
		return -1;
	close(fd);
	evlist__init(&list);
	e = evlist__add(&list, &attr, sizeof(attr), "cpu-clock");
	evlist__add_id(&list, e, 11);
	evlist__add_id(&list, e, 12);
	attr.config = 2;
	e = evlist__add(&list, &attr, sizeof(attr), "page-faults");
	evlist__add_id(&list, e, 13);
	return 0;
}

WRITTEN_FN int teardown(void **state)
{
	(void)state;
	evlist__exit(&list);
	unlink(path);
	return 0;
}

/* The header, as it is in the file now. */
WRITTEN_FN struct perf_data_header written_header(void)
{
	struct perf_data_header h;
	int fd = open(path, O_RDONLY);

	assert_int_equal(file__pread_all(fd, &h, sizeof(h), 0), sizeof(h));
	close(fd);
	return h;
}

#endif
