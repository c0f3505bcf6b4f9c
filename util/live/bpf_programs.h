/*
 * The BPF programs that are loaded: where the kernel has put their code, and what it calls it (man 2 bpf,
 * linux/bpf.h, linux/btf.h). Programs that are loaded later announce themselves in KSYMBOL records.
 */
#ifndef LIVE_BPF_PROGRAMS_H
#define LIVE_BPF_PROGRAMS_H

#include "base/text/strbuf.h"

struct bpf_code {
	u64 addr;
	u32 len;
	const char *name; /* "bpf_prog_TAG_NAME"; good during the call */
};
/* Calls fn for each function of each program. Nothing is seen without CAP_SYS_ADMIN, or below a seccomp
 * filter. */
void bpf_programs__for_each(void (*fn)(const struct bpf_code *c, void *ctx), void *ctx);

/* For the unit test: the name of a type in BTF data; NULL: there is no such type. Points into data. */
const char *btf__type_name(const void *data, size_t size, u32 id);

#endif
