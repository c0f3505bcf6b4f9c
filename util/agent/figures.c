#include "agent/figures.h"

#include "base/text/strbuf.h"
#include "base/system/output_file.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static const struct {
	const char *name, *type, *help;
	size_t offset;
	double unit;
} rows[] = {
#define ROW(field) offsetof(struct figures, field)
	{ "slices_made_total", "counter", "Slices recorded.", ROW(made), 1 },
	{ "slices_sent_total", "counter", "Slices that the server took.", ROW(sent), 1 },
	{ "slices_dropped_total", "counter",
	  "Slices dropped for want of room, refused by the server, or damaged.", ROW(dropped), 1 },
	{ "slices_set_aside_total", "counter", "Those that were refused or damaged: NAME.slice.aside.",
	  ROW(aside), 1 },
	{ "slices_waiting", "gauge", "Slices in the spool.", ROW(waiting), 1 },
	{ "spool_bytes", "gauge", "Size of the spool.", ROW(spool_size), 1 },
	{ "send_failures_total", "counter", "Attempts to send that failed.", ROW(failures), 1 },
	{ "samples_total", "counter", "Samples in the slices made.", ROW(samples), 1 },
	{ "lost_records_total", "counter", "Records that the kernel dropped.", ROW(lost), 1 },
	{ "cpu_seconds_total", "counter", "Processor time of all of the agent.", ROW(cpu_ns), 1e9 },
	{ "memory_bytes", "gauge", "Resident memory of agent and recorder.", ROW(memory), 1 },
	{ "sender_memory_bytes", "gauge", "Most resident memory of a process that sent slices.",
	  ROW(sender_memory), 1 },
#undef ROW
};

int figures__write(const struct figures *f, const char *path, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int ret;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		u64 value = *(const u64 *)((const char *)f + rows[i].offset);

		strbuf__addf(&text, "# HELP perf_agent_%s %s\n# TYPE perf_agent_%s %s\nperf_agent_%s ",
			     rows[i].name, rows[i].help, rows[i].name, rows[i].type, rows[i].name);
		strbuf__addf(&text, rows[i].unit > 1 ? "%.3f\n" : "%.0f\n", (double)value / rows[i].unit);
	}
	ret = output_file__write(path, text.buf, text.len, 0644, NULL);
	if (ret)
		err__set(err, ret, "cannot write '%s': %s", path, err__str(ret));
	strbuf__exit(&text);
	return ret;
}
