/* The lines above the rows of a time table. */
#include "ui/stdio_private.h"

void stdio_times__add(struct strbuf *sb, const struct view *v, const struct hist_stat *total)
{
	const struct time_table *t = v->opts.waits.times;

	strbuf__addstr(sb, "# Milliseconds of all threads: ");
	if (t->on_cpu)
		strbuf__addf(sb, "%.3f on the CPU, ", (double)(total->period - total->waiting) / 1e6);
	strbuf__addf(sb, "%.3f waiting\n", (double)total->waiting / 1e6);
	if (t->on_cpu && t->hz)
		strbuf__addf(sb, "# On the CPU a sample stands for 1/%llu s\n", (unsigned long long)t->hz);
	if (v->idle_ns)
		strbuf__addf(sb, "# Idle: %.3f, %s\n", (double)v->idle_ns / 1e6,
			     v->opts.waits.no_idle ? "left out"
						   : "in rows that say so; --no-idle leaves them out");
}
