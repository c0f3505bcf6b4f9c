#include "binary/symbols/jitdump_write.h"

#include "base/system/file.h"
#include "base/text/strbuf.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { HEADER_SIZE = 40, LOAD_FIELDS = 16 + 8 + 4 * 8 };

int jitdump_out__open(struct jitdump_out *o, u32 pid, u16 machine)
{
	struct strbuf head = STRBUF_INIT;
	bool done;

	*o = (struct jitdump_out){ .fd = memfd_create("perf-jitdump", MFD_CLOEXEC), .size = HEADER_SIZE };
	if (o->fd < 0)
		return -errno;
	strbuf__add_u32(&head, JITDUMP_MAGIC);
	strbuf__add_u32(&head, JITDUMP_VERSION);
	strbuf__add_u32(&head, HEADER_SIZE);
	strbuf__add_u32(&head, machine);
	strbuf__add_u32(&head, 0);
	strbuf__add_u32(&head, pid);
	strbuf__add_u64(&head, 0);
	strbuf__add_u64(&head, JITDUMP_HAS_OWN_TIMES);
	done = !file__pwrite_all(o->fd, head.buf, head.len, 0);
	strbuf__exit(&head);
	if (done)
		return 0;
	close(o->fd);
	o->fd = -1;
	return -EIO;
}

s64 jitdump_out__add(struct jitdump_out *o, const struct jitdump_code *c, const void *code)
{
	u64 name_size = strlen(c->name) + 1, total = LOAD_FIELDS + name_size + c->size;
	struct strbuf load = STRBUF_INIT;
	s64 ret = -EIO;

	if (LOAD_FIELDS + name_size > JITDUMP_HEAD_MAX || c->size > UINT32_MAX - JITDUMP_HEAD_MAX)
		return -E2BIG;
	strbuf__add_u32(&load, 0); /* JIT_CODE_LOAD */
	strbuf__add_u32(&load, (u32)total);
	strbuf__add_u64(&load, c->time);
	strbuf__add_u32(&load, 0); /* pid and tid: of the header */
	strbuf__add_u32(&load, 0);
	strbuf__add_u64(&load, c->addr);
	strbuf__add_u64(&load, c->addr);
	strbuf__add_u64(&load, c->size);
	strbuf__add_u64(&load, o->index);
	strbuf__add(&load, c->name, name_size);
	if (!file__pwrite_all(o->fd, load.buf, load.len, o->size) &&
	    (code ? !file__pwrite_all(o->fd, code, c->size, o->size + load.len)
		  : !ftruncate(o->fd, (off_t)(o->size + total)))) {
		ret = (s64)(load.len + (code ? c->size : 0));
		o->size += total;
		o->index++;
	}
	strbuf__exit(&load);
	return ret;
}
