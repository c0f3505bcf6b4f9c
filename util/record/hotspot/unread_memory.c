#include "record/hotspot/unread_memory.h"

#include "base/system/file.h"
#include "live/proc.h"

#include <unistd.h>

void unread_memory__add(struct unread_memory *u, u32 pid)
{
	struct proc_status s = { .uid = 0 };

	if (!u->nr) {
		proc__status((pid_t)pid, (pid_t)pid, &s);
		u->uid = s.uid;
	}
	if (u->nr < UNREAD_PIDS)
		u->pids[u->nr] = pid;
	u->nr++;
}

/* man 2 ptrace, "Ptrace access mode checking", and Yama */
static void add_advice(const struct unread_memory *u, struct strbuf *out)
{
	u64 scope = 0;

	if (file__read_u64("/proc/sys/kernel/yama/ptrace_scope", &scope))
		scope = 0;
	if (scope > 2)
		strbuf__addf(out, "  kernel.yama.ptrace_scope is %llu: nobody may, until the next boot\n",
			     (unsigned long long)scope);
	else if (!geteuid())
		strbuf__addstr(out, "  give perf CAP_SYS_PTRACE (docker run --cap-add SYS_PTRACE)\n");
	else if (u->uid != geteuid())
		strbuf__addstr(out,
			       "  run perf as root or as the process's user, or give it CAP_SYS_PTRACE\n");
	else if (scope)
		strbuf__addstr(out, "  run perf as root, or as root: sysctl -w kernel.yama.ptrace_scope=0\n");
	else
		strbuf__addstr(out, "  run perf as root: the process has rights or a container of its own\n");
}

void unread_memory__tell(const struct unread_memory *u, struct strbuf *out)
{
	if (!u->nr)
		return;
	strbuf__addf(out, "Names of Java methods are missing in process%s", u->nr > 1 ? "es" : "");
	for (u32 i = 0; i < MIN(u->nr, (u32)UNREAD_PIDS); i++)
		strbuf__addf(out, "%s %u", i ? "," : "", u->pids[i]);
	if (u->nr > UNREAD_PIDS)
		strbuf__addf(out, " and %u more", u->nr - UNREAD_PIDS);
	strbuf__addstr(out, ": perf may not read the memory\n");
	add_advice(u, out);
}
