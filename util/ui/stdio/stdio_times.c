/* The lines above the rows of a time table. */
#include "ui/stdio/stdio_private.h"

void stdio_times__add(struct strbuf *sb, const struct view *v, const struct hist_stat *total,
		      const struct cell_style *style)
{
	const struct time_table *t = v->opts.waits.times;
	const struct cell_style plain = { .fold_names = style->fold_names };

	strbuf__addf(sb, "# %s of all threads: ", style->fold_names ? "Time" : "Milliseconds");
	if (t->on_cpu) {
		cell_style__add_time(&plain, sb, total->period - total->waiting, 0, 0);
		strbuf__addstr(sb, " on the CPU, ");
	}
	cell_style__add_time(&plain, sb, total->waiting, 0, 0);
	strbuf__addstr(sb, " waiting\n");
	if (t->on_cpu && t->hz)
		strbuf__addf(sb, "# On the CPU a sample stands for 1/%llu s\n", (unsigned long long)t->hz);
	if (evlist__has_locks(&v->profile->session->reader->evlist) &&
	    !layout__sorts_by(v->opts.layout, "lock") && !layout__sorts_by(v->opts.layout, "holder"))
		strbuf__addstr(sb, "# Locks: -s lock,holder says which ones, and who held them\n");
	if (!v->idle_ns)
		return;
	strbuf__addstr(sb, "# Idle: ");
	cell_style__add_time(&plain, sb, v->idle_ns, 0, 0);
	strbuf__addf(sb, ", %s\n",
		     v->opts.waits.no_idle ? "left out" : "in rows that say so; --no-idle leaves them out");
}
