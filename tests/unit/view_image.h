/* A recording in memory, read up to the rows that a report would show. */
#ifndef TESTS_VIEW_IMAGE_H
#define TESTS_VIEW_IMAGE_H

#include "unit.h"

#include "image.h"
#include "profile/hists/hists.h"

struct fixture {
	struct session *s;
	struct profile p;
	struct layout layout;
	struct view v;
};

/* Read the image, and build the view. layout is parsed. Set the layout and the longest chain of opts. */
IMAGE_FN void fixture__read(struct fixture *f, const struct image *im, const struct session_opts *sopts,
			    const struct profile_opts *popts, struct view_opts *opts)
{
	char path[64];
	int fd;

	image__path(im->b.buf, im->b.len, &fd, path);
	assert_int_equal(session__open(&f->s, path, sopts, NULL), 0);
	assert_int_equal(profile__collect(&f->p, f->s, popts, NULL), 0);
	close(fd);
	opts->layout = &f->layout;
	opts->chain.max_stack = 127;
	view__build(&f->v, &f->p, opts);
}

IMAGE_FN void fixture__close(struct fixture *f)
{
	view__exit(&f->v);
	layout__exit(&f->layout);
	profile__exit(&f->p);
	session__delete(f->s);
}

#endif
