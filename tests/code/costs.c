/*
 * Print what perf annotate knows of each instruction of the functions that were hit: costs RECORDING. A line
 * "= FUNCTION\tBINARY" for each function; then for each instruction its linked address, its samples, and file
 * and line of each function at it, the innermost one first: "FILE:LINE FILE:LINE".
 */
#include "profile/annotate/annotated.h"

#include <stdio.h>
#include <string.h>

static void print_insn(const struct annotated *a, u32 i)
{
	const struct annotated_insn *in = &a->insns.v[i];

	printf("%llx %llu", (unsigned long long)in->addr, (unsigned long long)annotated__cost(a, i, 0)->nr);
	for (u32 k = 0; k < in->nr_frames; k++) {
		const struct code_frame *f = &a->frames.v[in->frames + k];
		const char *slash = f->file ? strrchr(f->file, '/') : NULL;

		printf(" %s:%u", slash ? slash + 1 : f->file ? f->file : "??", f->line);
	}
	putchar('\n');
}

static void print_functions(struct hot_code *h)
{
	const struct annotate_opts opts = { .no_names = true };
	bool *wanted = xcalloc(h->v.nr + 1, sizeof(*wanted));

	memset(wanted, true, h->v.nr);
	hot_code__find_addresses(h, wanted);
	for (size_t i = 0; i < h->v.nr; i++) {
		const struct hot_function *f = &h->v.v[i];
		struct annotated a;

		annotated__init(&a, h, f, &opts);
		printf("= %s\t%s\n", hot_function__name(h, f),
		       dso__long_name(&h->session->machine.dsos, f->dso));
		for (u32 k = 0; k < a.insns.nr; k++)
			print_insn(&a, k);
		printf("elsewhere %llu\n", (unsigned long long)a.elsewhere[0].nr);
		annotated__exit(&a);
	}
	free(wanted);
}

int main(int argc, char **argv)
{
	const struct session_opts opts = { .samples_follow = true };
	const struct profile_opts profile_opts = { .no_chains = true };
	struct session *s = NULL;
	struct profile profile;
	struct hot_code hot;
	struct err err = ERR_INIT;
	int ret = argc != 2 || session__open(&s, argv[1], &opts, &err) ||
		  profile__collect(&profile, s, &profile_opts, &err);

	if (!ret) {
		hot_code__init(&hot, &profile, NULL, NULL);
		print_functions(&hot);
		hot_code__exit(&hot);
		profile__exit(&profile);
	} else {
		fprintf(stderr, "costs: %s\n", err.text.buf);
	}
	session__delete(s);
	err__exit(&err);
	return ret != 0;
}
