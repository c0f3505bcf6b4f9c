#include "profile/rows/sample_row.h"

struct row_key sample__row_key(const struct sample *s, const struct thread_state *t,
			       struct machine_cursor *cursor, const struct machine *m)
{
	const struct maps *maps = t->maps;
	struct row_key key = {
		.ip = s->ip,
		.event = s->evsel->idx,
		.comm = t->comm == COMM_UNKNOWN ? ROW_COMM_OF_TID | s->tid : t->comm,
		.space = ROW_NO_SPACE,
		.kernel_version = machine_cursor__version(cursor, &m->kernel.maps),
		.cpumode = s->cpumode,
	};

	if (maps) {
		key.space_version = machine_cursor__version(cursor, maps);
		maps__skip_empty(&maps, &key.space_version);
		key.space = maps->idx;
	}
	return key;
}
