#include "record/target/hidden_programs.h"

#include "base/message/called_name.h"
#include "base/text/mask.h"
#include "format/records/abi.h"

#include <string.h>
#include <unistd.h>

static void add_exec(struct hidden_programs *p, const struct perf_event_header *h, const u32 *ids)
{
	struct hidden_exec *e = &p->execs[p->next++ % HIDDEN_EXECS];
	size_t size = MIN(h->size - sizeof(*h) - 8, sizeof(e->comm));

	*e = (struct hidden_exec){ .pid = ids[0], .tid = ids[1] };
	memcpy(e->comm, ids + 2, size);
	e->comm[sizeof(e->comm) - 1] = '\0';
}

static void end_task(struct hidden_programs *p, struct hidden_exec *e)
{
	if (!p->nr++) {
		memcpy(p->name, e->comm, sizeof(p->name));
		mask_controls(p->name, strlen(p->name), NULL);
	}
	e->pid = 0;
}

void hidden_programs__see(struct hidden_programs *p, const struct perf_event_header *h)
{
	const u32 *ids = (const u32 *)(const void *)(h + 1); /* pid, tid; EXIT: pid, ppid, tid, ptid */
	bool is_exit = h->type == PERF_RECORD_EXIT;

	if (h->type == PERF_RECORD_LOST) { /* perhaps maps */
		memset(p->execs, 0, sizeof(p->execs));
		return;
	}
	if (h->size < sizeof(*h) + (is_exit ? 16 : 8))
		return;
	if (h->type == PERF_RECORD_COMM) {
		if (h->misc & MISC_COMM_EXEC)
			add_exec(p, h, ids);
		return;
	}
	for (struct hidden_exec *e = p->execs; e < p->execs + HIDDEN_EXECS; e++) {
		if (!e->pid || e->pid != ids[0])
			continue;
		if (!is_exit)
			e->pid = 0;
		else if (e->tid == ids[2])
			end_task(p, e);
	}
}

void hidden_programs__add(struct hidden_programs *p, const struct hidden_programs *other)
{
	if (!p->nr)
		memcpy(p->name, other->name, sizeof(p->name));
	p->nr += other->nr;
}

void hidden_programs__tell(const struct hidden_programs *p, struct strbuf *out)
{
	unsigned uid = geteuid();

	if (!p->nr)
		return;
	strbuf__addf(out, "The kernel ended the events of '%s'", p->name);
	if (p->nr > 1)
		strbuf__addf(out, " (and of %llu more programs)", (unsigned long long)p->nr - 1);
	strbuf__addf(out, " at exec: user id %u may not trace it\n", uid);
	strbuf__addstr(out, "  (setuid, setgid, with file capabilities, or not readable by this user)\n");
	strbuf__addf(out, "  %s%s record -a, or %s record -p PID while it runs\n",
		     uid ? "as root: " : "type: ", called_name(), called_name());
}
