/* Existing control groups, and the namespaces of threads. */
#include "record/describe/synthesize_private.h"

#include "format/records/build.h"
#include "live/cgroups.h"

struct group_writer {
	struct strbuf *out;
	size_t id_size;
};

static void group_writer__add(void *ctx, const char *name, u64 id)
{
	struct group_writer *w = ctx;

	build__cgroup(w->out, id, name, w->id_size);
}

int synthesize__cgroups(struct strbuf *out, const struct synthesize_opts *opts, struct err *err)
{
	struct group_writer w = { .out = out, .id_size = opts->id_size };
	struct strbuf mount = STRBUF_INIT;
	int ret = cgroups__mount(&mount, err);

	if (!ret) {
		ret = cgroups__each(mount.buf, group_writer__add, &w);
		if (ret)
			err__set(err, ret, "cannot look at the cgroups in '%s': %s", mount.buf,
				 err__str(ret));
	}
	strbuf__exit(&mount);
	return ret;
}

void synthesize__namespaces(struct strbuf *out, pid_t pid, pid_t tid, const struct synthesize_opts *opts)
{
	struct ns_link links[PROC_NAMESPACES];

	proc__namespaces(pid, tid, links);
	build__namespaces(out, (u32)pid, (u32)tid, links, PROC_NAMESPACES, opts->id_size);
}
