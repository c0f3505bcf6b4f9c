#include "record/stacks/code_names.h"

#include "format/records/build.h"

#include <string.h>
#include <sys/mman.h>

enum { BYTES_MAX = 64 << 20 };

void code_names__init(struct code_names *c, const char *folder)
{
	*c = (struct code_names){ .folder = folder, .v = STRBUF_INIT };
}

void code_names__exit(struct code_names *c)
{
	strbuf__exit(&c->v);
}

void code_names__add(struct code_names *c, const struct named_code *code)
{
	struct named_code head = *code;

	if (c->v.len > BYTES_MAX)
		return;
	head.name = NULL; /* it follows */
	strbuf__add(&c->v, &head, sizeof(head));
	strbuf__add(&c->v, code->name, strlen(code->name) + 1);
}

void code_names__write_map(const struct evlist *l, const struct named_code *code, u64 ino, struct strbuf *out)
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

void code_names__write(struct code_names *c, const struct evlist *l, struct strbuf *out)
{
	struct strbuf name = STRBUF_INIT;
	struct named_code code;

	for (size_t at = 0; at < c->v.len;) {
		const char *text = c->v.buf + at + sizeof(code);

		memcpy(&code, c->v.buf + at, sizeof(code));
		strbuf__setlen(&name, 0);
		strbuf__addstr(&name, c->folder);
		strbuf__addstr(&name, text);
		code.name = name.buf;
		code_names__write_map(l, &code, 0, out);
		at += sizeof(code) + strlen(text) + 1;
	}
	strbuf__exit(&name);
	strbuf__exit(&c->v);
}
