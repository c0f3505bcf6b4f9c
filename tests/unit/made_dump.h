/* The jitdumps that the recorder makes of what it reads in the memory of a process, which is this one. */
#ifndef TESTS_MADE_DUMP_H
#define TESTS_MADE_DUMP_H

#include "own_memory.h"
#include "unit.h"

#include "binary/elf/kept_files.h"
#include "binary/symbols/jitdump.h"
#include "format/records/build.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct load {
	u64 time, addr, size;
	char name[64];
};

static struct load loads[16]; /* of the dump read last */
static size_t nr_loads;

static void see_load(const struct jitdump_code *c, void *ctx)
{
	struct load *l = &loads[nr_loads++];

	(void)ctx;
	*l = (struct load){ .time = c->time, .addr = c->addr, .size = c->size };
	snprintf(l->name, sizeof(l->name), "%s", c->name);
}

/* Make the list of one event, whose samples have times, for an announcement. */
static void made_dump__list(struct evlist *l)
{
	struct perf_event_attr attr = { .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME,
					.sample_id_all = 1 };

	evlist__init(l);
	evlist__add_id(l, evlist__add(l, &attr, sizeof(attr), "cycles"), 77);
}

/* Read the dump that an announcement names. Frees both arguments. */
static void made_dump__read(struct evlist *l, struct strbuf *announcement, struct kept_files *files)
{
	struct kept_id kept = { .ino = 0 };
	struct jitdump_header h;
	struct mmap_record m;
	struct sample_id id;
	struct record r = { .header = (const void *)announcement->buf };
	char *path;
	int fd;

	assert_int_equal(r.header->size, announcement->len);
	assert_true(record__mmap(&r, &m));
	assert_true(sample_id__decode(l, &r, &id));
	assert_int_equal(id.time, 1000);
	assert_int_equal(m.pid, getpid());
	assert_true(jitdump__is_made(m.filename));
	kept.name = m.filename;
	kept.ino = m.ino;
	path = kept_files__path(files, &kept);
	assert_non_null(path);
	fd = open(path, O_RDONLY);
	nr_loads = 0;
	assert_false(jitdump__read(fd, &h, see_load, NULL));
	assert_true(h.has_own_times);
	close(fd);
	free(path);
	strbuf__exit(announcement);
	evlist__exit(l);
}

#endif
