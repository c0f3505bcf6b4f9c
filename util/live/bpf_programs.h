/*
 * The loaded BPF programs: addresses and names of their code (man 2 bpf, linux/bpf.h, linux/btf.h). KSYMBOL
 * records announce programs that are loaded later.
 */
#ifndef LIVE_BPF_PROGRAMS_H
#define LIVE_BPF_PROGRAMS_H

#include "base/text/strbuf.h"

struct bpf_code {
	u64 addr;
	u32 len;
	const char *name; /* "bpf_prog_TAG_NAME"; valid during the call */
};
/*
 * Call fn for each function of each program. A process that lacks CAP_SYS_ADMIN, or is below a seccomp
 * filter, sees none.
 */
void bpf_programs__for_each(void (*fn)(const struct bpf_code *c, void *ctx), void *ctx);

/* Return the name of a type in BTF data, or NULL, for the unit test. The name points into data. */
const char *btf__type_name(const void *data, size_t size, u32 id);

#endif
