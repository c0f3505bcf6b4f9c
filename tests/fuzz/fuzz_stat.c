/*
 * Any file that is called a recording, as the tables of perf stat report: all rows and forms, as a file and
 * as a stream. Seeds: recordings of perf stat record.
 */
#include "base/message/msg.h"
#include "fuzz.h"
#include "stat/stat_report.h"

#include <fcntl.h>
#include <unistd.h>

static void ignore(const char *text, size_t size)
{
	fuzz__touch(text, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned what = size ? data[size - 1] : 0; /* as in fuzz_recording */
	struct stat_report_opts opts = {
		.path = "-",
		.print = { .form = what % 3, .separator = "," },
		.by = what / 4 % NR_AGGREGATIONS,
		.has_by = what & 2,
	};
	struct err err = ERR_INIT;
	char path[64];
	int fd = -1;

	msg__set_sink(ignore);
	opts.out_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (opts.by == AGGREGATE_CACHE || opts.by == AGGREGATE_CLUSTER)
		opts.by = AGGREGATE_CPU;
	if (!(what & 0x80) || !fuzz__stream(data, size)) {
		fd = fuzz__file(data, size, path);
		opts.path = path;
	}
	stat_report__run(&opts, &err);
	fuzz__touch(err.text.buf, err.text.len);
	err__exit(&err);
	close(opts.out_fd);
	if (fd >= 0)
		close(fd);
	return 0;
}
