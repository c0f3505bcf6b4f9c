/*
 * Any file that is called a recording, as the text of perf script, with all fields, as a file and as a
 * stream. Nothing of this machine is looked at. Seeds: those of fuzz_recording.
 */
#include "base/message/msg.h"
#include "fuzz.h"
#include "script/script.h"

#include <fcntl.h>
#include <unistd.h>

static const char *const fields[] = {
	NULL,
	"+addr,+data_src,+weight,+ins_lat,+retire_lat,+cgroup,+phys_addr,+data_page_size,+code_page_size,+"
	"misc",
	"+brstack,+brstacksym,+brstackoff,+iregs,+uregs,+srcline,+dsoff,+trace,+bpf-output",
	"+insn,+insnlen,+disasm,+srccode,+brstackinsn,+brstackinsnlen",
	"trace:comm,pid,tid,time,cpu,event,trace,ip,sym,symoff,dso,period",
	"+brstackdisasm,+srcline",
};

static void ignore(const char *text, size_t size)
{
	fuzz__touch(text, size);
}

static void begin(void)
{
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0)
		abort();
	close(fd);
	msg__set_sink(ignore);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned what = size ? data[size - 1] : 0; /* as in fuzz_recording */
	struct script_args args = {
		.input = "-",
		.shows = what & 2 ? UINT64_MAX : 0,
		.dump = (what & 0x60) == 0x60,
		.stitches = what & 4,
		.deltatime = (what & 0x18) == 0x18,
		.nanoseconds = what & 8,
		.max_stack = 127,
		.max_blocks = what & 16 ? 2 : 0,
		.threads = what & 1 ? 2 : 1,
		.symbols = { .symfs = "/nowhere", .kallsyms = "/nowhere/kallsyms" },
	};
	static bool has_begun;
	char path[64];
	int fd = -1;

	if (!has_begun)
		begin();
	has_begun = true;
	output_fields__init(&args.fields);
	if (fields[what / 4 % ARRAY_SIZE(fields)] &&
	    output_fields__parse(&args.fields, fields[what / 4 % ARRAY_SIZE(fields)], NULL))
		abort();
	if (!(what & 0x80) || !fuzz__stream(data, size)) {
		fd = fuzz__file(data, size, path);
		args.input = path;
	}
	script__main(&args);
	if (fd >= 0)
		close(fd);
	return 0;
}
