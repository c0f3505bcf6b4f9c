/* Prints the samples of a recording: the main function of programs that read one for a judge. */
#ifndef TESTS_PRINT_SAMPLES_H
#define TESTS_PRINT_SAMPLES_H

#include "model/session.h"

#include <stdio.h>

/* Call print for each sample of the recording that is the only argument. Return the exit status. */
static inline int print_samples(int argc, char **argv, void (*print)(const struct sample *s))
{
	struct session_opts opts = { .samples_follow = true };
	struct session *session;
	struct sample_pass *pass;
	struct block b = BLOCK_INIT;
	struct err err = ERR_INIT;
	struct sample s;
	struct record r;
	int ret;

	if (argc != 2) {
		fprintf(stderr, "usage: %s FILE\n", argv[0]);
		return 129;
	}
	if (session__open(&session, argv[1], &opts, &err)) {
		fprintf(stderr, "%s: %s\n", argv[0], err.text.buf);
		return 1;
	}
	pass = sample_pass__new(session);
	while ((ret = sample_pass__next(pass, &b, &err)) > 0)
		for (size_t pos = 0; block__next(&b, &pos, &r);)
			if (r.header->type == PERF_RECORD_SAMPLE &&
			    !sample__decode(&session->decoder, &r, &s))
				print(&s);
	sample_pass__release(pass, &b);
	sample_pass__delete(pass);
	if (ret)
		fprintf(stderr, "%s: %s\n", argv[0], err.text.buf);
	session__delete(session);
	return ret != 0;
}

#endif
