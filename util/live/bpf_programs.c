#include "live/bpf_programs.h"

#include "base/memory/array.h"
#include "base/memory/cursor.h"

#include <linux/bpf.h>
#include <linux/btf.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	FUNCTIONS_MAX = 4096, /* of a program; the verifier allows 256 */
	BTF_MAX = 64 << 20,
	PROGRAMS_MAX = 100000,
};

static int bpf(int command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static int object_info(int fd, void *info, u32 size)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = (u32)fd;
	attr.info.info_len = size;
	attr.info.info = (uintptr_t)info;
	return bpf(BPF_OBJ_GET_INFO_BY_FD, &attr);
}

/* ---- names of functions ---- */

/* Bytes after the 12 of the type itself. */
static size_t btf_type__extra(u32 info)
{
	static const struct {
		u8 once, each;
	} sizes[] = {
		[BTF_KIND_INT] = { 4, 0 },      [BTF_KIND_ARRAY] = { 12, 0 },
		[BTF_KIND_STRUCT] = { 0, 12 },  [BTF_KIND_UNION] = { 0, 12 },
		[BTF_KIND_ENUM] = { 0, 8 },     [BTF_KIND_FUNC_PROTO] = { 0, 8 },
		[BTF_KIND_VAR] = { 4, 0 },      [BTF_KIND_DATASEC] = { 0, 12 },
		[17 /* DECL_TAG */] = { 4, 0 }, [19 /* ENUM64 */] = { 0, 12 },
	};
	u32 kind = info >> 24 & 0x1f;

	return kind < ARRAY_SIZE(sizes) ? sizes[kind].once + (size_t)sizes[kind].each * (info & 0xffff) : 0;
}

const char *btf__type_name(const void *data, size_t size, u32 id)
{
	struct cursor c = cursor__make(data, size, false), names = c;
	u32 header, types, types_size, strings, strings_size, name = 0;

	if (cursor__u16(&c) != BTF_MAGIC)
		return NULL;
	cursor__skip(&c, 2); /* version, flags */
	header = cursor__u32(&c);
	types = cursor__u32(&c);
	types_size = cursor__u32(&c);
	strings = cursor__u32(&c);
	strings_size = cursor__u32(&c);
	c = names;
	cursor__skip(&c, header);
	cursor__skip(&c, types);
	if (c.bad || types_size > cursor__left(&c))
		return NULL;
	c.end = c.p + types_size;
	for (u32 i = 0; i < id && !c.bad; i++) { /* type ids begin with 1 */
		u32 info;

		name = cursor__u32(&c);
		info = cursor__u32(&c);
		cursor__skip(&c, 4);
		cursor__skip(&c, btf_type__extra(info));
	}
	cursor__skip(&names, header);
	cursor__skip(&names, strings);
	if (c.bad || names.bad || strings_size > cursor__left(&names) || name >= strings_size)
		return NULL;
	names.end = names.p + strings_size;
	cursor__skip(&names, name);
	return cursor__str(&names, cursor__left(&names));
}

static void read_btf(u32 id, struct strbuf *out)
{
	struct bpf_btf_info info;
	union bpf_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.btf_id = id;
	fd = id ? bpf(BPF_BTF_GET_FD_BY_ID, &attr) : -1;
	if (fd < 0)
		return;
	memset(&info, 0, sizeof(info));
	if (!object_info(fd, &info, sizeof(info)) && info.btf_size && info.btf_size <= BTF_MAX) {
		u32 size = info.btf_size;

		strbuf__grow(out, size);
		memset(&info, 0, sizeof(info));
		info.btf = (uintptr_t)out->buf;
		info.btf_size = size;
		if (!object_info(fd, &info, sizeof(info)))
			strbuf__setlen(out, MIN(size, info.btf_size));
	}
	close(fd);
}

/* ---- programs ---- */

struct program {
	struct bpf_prog_info info;
	u64 addrs[FUNCTIONS_MAX];
	u32 lens[FUNCTIONS_MAX];
	u8 tags[FUNCTIONS_MAX][BPF_TAG_SIZE];
	struct bpf_func_info functions[FUNCTIONS_MAX];
};

static bool program__read(struct program *p, int fd)
{
	memset(&p->info, 0, sizeof(p->info));
	p->info.nr_jited_ksyms = p->info.nr_jited_func_lens = p->info.nr_prog_tags = p->info.nr_func_info =
		FUNCTIONS_MAX;
	p->info.func_info_rec_size = sizeof(p->functions[0]);
	p->info.jited_ksyms = (uintptr_t)p->addrs;
	p->info.jited_func_lens = (uintptr_t)p->lens;
	p->info.prog_tags = (uintptr_t)p->tags;
	p->info.func_info = (uintptr_t)p->functions;
	return !object_info(fd, &p->info, sizeof(p->info)) && p->info.nr_jited_ksyms <= FUNCTIONS_MAX &&
	       p->info.nr_jited_ksyms == p->info.nr_jited_func_lens;
}

/* Append the symbol name that the kernel gives to function i. */
static void program__name(const struct program *p, u32 i, const struct strbuf *btf, struct strbuf *name)
{
	bool has_tags = p->info.nr_prog_tags == p->info.nr_jited_ksyms;
	const u8 *tag = has_tags ? p->tags[i] : p->info.tag;
	const char *own = NULL;

	strbuf__reset(name);
	strbuf__addstr(name, "bpf_prog_");
	for (unsigned b = 0; b < BPF_TAG_SIZE; b++)
		strbuf__addf(name, "%02x", tag[b]);
	if (i < p->info.nr_func_info && p->info.nr_func_info <= FUNCTIONS_MAX)
		own = btf__type_name(btf->buf, btf->len, p->functions[i].type_id);
	if (own)
		strbuf__addf(name, "_%s", own);
	else if (p->info.name[0])
		strbuf__addf(name, "_%.*s", (int)sizeof(p->info.name), i ? "F" : p->info.name);
}

void bpf_programs__for_each(void (*fn)(const struct bpf_code *c, void *ctx), void *ctx)
{
	struct strbuf btf = STRBUF_INIT, name = STRBUF_INIT;
	struct program *p = NULL;
	union bpf_attr attr;
	u32 id = 0;

	if (prctl(PR_GET_SECCOMP)) /* some filters kill the caller */
		return;
	for (u32 n = 0; n < PROGRAMS_MAX; n++) {
		int fd;

		memset(&attr, 0, sizeof(attr));
		attr.start_id = id;
		if (bpf(BPF_PROG_GET_NEXT_ID, &attr))
			break;
		id = attr.next_id;
		memset(&attr, 0, sizeof(attr));
		attr.prog_id = id;
		fd = bpf(BPF_PROG_GET_FD_BY_ID, &attr);
		if (fd < 0)
			continue; /* the program was unloaded meanwhile */
		p = p ? p : xmalloc(sizeof(*p));
		strbuf__reset(&btf);
		if (program__read(p, fd))
			read_btf(p->info.nr_func_info ? p->info.btf_id : 0, &btf);
		else
			p->info.nr_jited_ksyms = 0;
		for (u32 i = 0; i < p->info.nr_jited_ksyms; i++) {
			program__name(p, i, &btf, &name);
			if (p->addrs[i] && p->lens[i])
				fn(&(struct bpf_code){ p->addrs[i], p->lens[i], name.buf }, ctx);
		}
		close(fd);
	}
	free(p);
	strbuf__exit(&btf);
	strbuf__exit(&name);
}
