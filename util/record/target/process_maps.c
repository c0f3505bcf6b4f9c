#include "record/target/process_maps.h"

#include <errno.h>
#include <string.h>

int process_maps__read(struct process_maps *m, pid_t pid)
{
	char *p, *end;
	int ret;

	*m = (struct process_maps){ .text = STRBUF_INIT };
	ret = proc__maps(pid, &m->text);
	p = m->text.buf;
	end = p + m->text.len;
	while (!ret && p < end) {
		struct proc_map map;

		if (proc_map__parse(&p, end, &map))
			array__add(&m->v, map);
	}
	if (!ret && !m->v.nr)
		ret = -ESRCH; /* the process is ending */
	if (ret)
		process_maps__exit(m);
	return ret;
}

void process_maps__exit(struct process_maps *m)
{
	array__exit(&m->v);
	strbuf__exit(&m->text);
}

bool process_maps__bias(const struct process_maps *m, const struct elf_object *o, u64 addr, u64 *bias)
{
	ARRAY(struct elf_mapping) of_file = { 0 };
	bool found;

	for (size_t i = 0; i < m->v.nr; i++) {
		const struct proc_map *map = &m->v.v[i];

		if (!strcmp(map->name, elf_object__path(o)))
			array__add(&of_file,
				   ((struct elf_mapping){
					   .start = map->start, .end = map->end, .pgoff = map->pgoff }));
	}
	found = elf_object__bias(o, of_file.v, of_file.nr, addr, bias);
	array__exit(&of_file);
	return found;
}

const char *process_maps__file_at(const struct process_maps *m, u64 addr)
{
	for (size_t i = 0; i < m->v.nr; i++)
		if (addr >= m->v.v[i].start && addr < m->v.v[i].end)
			return *m->v.v[i].name == '/' ? m->v.v[i].name : NULL;
	return NULL;
}
