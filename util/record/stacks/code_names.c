#include "record/stacks/code_names.h"

#include "binary/elf/kept_files.h"
#include "binary/symbols/jitdump_write.h"
#include "format/records/build.h"

#include <elf.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum {
	RECORDS_BYTES = 64 << 20,
	COPY_MAX = 256 << 10,    /* bytes of the code of one function that are kept */
	DUMPS_MAX = 1024,        /* each takes a descriptor */
	DUMPS_BYTES = 256 << 20, /* of all jitdumps */
	CODE_BYTES = 64 << 20,   /* of those: beyond that, code is left out */
};

struct made_dump {
	u32 pid, reserved;
	u64 since, ino;
};

void code_names__init(struct code_names *c, const char *folder, struct kept_files *kept, bool in_records)
{
	*c = (struct code_names){ .folder = folder,
				  .kept = kept,
				  .in_records = in_records,
				  .made = STRBUF_INIT,
				  .v = STRBUF_INIT };
}

void code_names__exit(struct code_names *c)
{
	strbuf__exit(&c->made);
	strbuf__exit(&c->v);
}

/* ---- jitdumps ---- */

static void add_dump_name(const struct code_names *c, u32 pid, struct strbuf *name)
{
	strbuf__addf(name, "%sjit-%u.dump", c->folder, pid);
}

/* Does the process have a jitdump, or can it get one? */
static bool code_names__may_dump(const struct code_names *c, const struct jitdump_out *dump)
{
	return dump->fd >= 0 || (c->kept && c->made.len / sizeof(struct made_dump) < DUMPS_MAX);
}

static bool code_names__open_dump(struct code_names *c, struct jitdump_out *dump, u32 pid, u64 began)
{
	struct made_dump made = { .pid = pid, .since = began };
	struct strbuf name = STRBUF_INIT;
	struct kept_id id = { .ino = 0 };
	struct stat st;
	int fd;

	if (dump->fd >= 0)
		return true;
	if (!code_names__may_dump(c, dump) || jitdump_out__open(dump, pid, EM_X86_64))
		return false;
	fd = fstat(dump->fd, &st) ? -1 : dump->fd;
	add_dump_name(c, pid, &name);
	id.name = name.buf;
	id.ino = made.ino = (u64)st.st_ino;
	kept_files__add_made(c->kept, &id, fd);
	strbuf__exit(&name);
	strbuf__add(&c->made, &made, sizeof(made));
	return true;
}

bool code_names__has_room(const struct code_names *c, const struct jitdump_out *dump, u64 size)
{
	return size <= COPY_MAX && c->bytes < CODE_BYTES && code_names__may_dump(c, dump);
}

bool code_names__store(struct code_names *c, struct jitdump_out *dump, u64 began,
		       const struct named_code *code, const void *bytes)
{
	const struct jitdump_code load = {
		.time = code->since, .addr = code->addr, .size = code->size, .name = code->name
	};
	s64 taken;

	if (c->bytes > DUMPS_BYTES || !code_names__open_dump(c, dump, code->pid, began))
		return false;
	taken = jitdump_out__add(dump, &load, bytes);
	c->bytes += taken > 0 ? (u64)taken : 0;
	return taken > 0;
}

/* ---- records ---- */

void code_names__use(struct code_names *c, const struct named_code *code, u32 *nr_files)
{
	struct named_code head = *code;

	if (*nr_files == c->nr_files + 1)
		return;
	*nr_files = c->nr_files + 1;
	if (c->v.len > RECORDS_BYTES)
		return;
	head.name = NULL; /* it follows */
	strbuf__add(&c->v, &head, sizeof(head));
	strbuf__add(&c->v, code->name, strlen(code->name) + 1);
}

/* Append a MMAP2 record of code, with a trailer of its time. ino: of its file; 0: none. */
static void write_map(const struct evlist *l, const struct named_code *code, u64 ino, struct strbuf *out)
{
	const struct evsel *e = l->evsels.v[0];
	struct sample_id id = { .id = e->ids.nr ? e->ids.v[0] : 0, .time = code->since };
	struct mmap_record m = { .prot = PROT_READ | PROT_EXEC, .ino = ino, .is_mmap2 = true };
	struct perf_event_header head;
	size_t at = out->len;

	m.pid = m.tid = id.pid = id.tid = code->pid;
	m.start = code->addr;
	m.len = code->size;
	m.filename = (char *)code->name;
	build__mmap2(out, PERF_RECORD_MISC_USER, &m, 0);
	build__trailer(out, e, &id);
	memcpy(&head, out->buf + at, sizeof(head));
	head.size = (u16)(out->len - at);
	memcpy(out->buf + at, &head, sizeof(head));
}

void code_names__announce(struct code_names *c, const struct evlist *l, struct strbuf *out)
{
	struct strbuf name = STRBUF_INIT;
	struct named_code code = { .size = 1 };
	struct made_dump made;

	for (size_t at = 0; at < c->made.len; at += sizeof(made)) {
		memcpy(&made, c->made.buf + at, sizeof(made));
		strbuf__reset(&name);
		add_dump_name(c, made.pid, &name);
		code.pid = made.pid;
		code.since = made.since;
		code.name = name.buf;
		write_map(l, &code, made.ino, out);
	}
	for (size_t at = 0; at < c->v.len;) {
		const char *text = c->v.buf + at + sizeof(code);

		memcpy(&code, c->v.buf + at, sizeof(code));
		strbuf__reset(&name);
		strbuf__addstr(&name, c->folder);
		strbuf__addstr(&name, text);
		code.name = name.buf;
		write_map(l, &code, 0, out);
		at += sizeof(code) + strlen(text) + 1;
	}
	strbuf__exit(&name);
	strbuf__exit(&c->v);
	c->nr_files++;
}
