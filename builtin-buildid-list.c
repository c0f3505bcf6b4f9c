/* perf buildid-list: show the build-ids of a recording's binaries, of an ELF file, of the running kernel. */
#include "builtin.h"

#include "base/text/mask.h"
#include "base/memory/mem.h"
#include "base/message/msg.h"
#include "binary/elf/build_id.h"
#include "format/records/record.h"
#include "model/binaries.h"
#include "record/describe/synthesize.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct buildid_list_args {
	const char *input;
	bool force, with_hits, kernel, kernel_maps;
	int verbose;
};

static void print_id(const struct build_id *id)
{
	char hex[2 * BUILD_ID_MAX + 1];

	printf("%s", build_id__str(id, hex));
}

/*
 * As in stock perf, the line of a binary without a build-id begins with blanks; stock's perf archive relies
 * on it.
 */
static void print_binary(const struct binary *b)
{
	struct strbuf name = STRBUF_INIT;

	strbuf__add_masked(&name, b->name);
	if (b->id.size)
		print_id(&b->id);
	else
		printf("%*s", 2 * BUILD_ID_MAX, "");
	printf(" %s\n", name.buf);
	strbuf__exit(&name);
}

static int list_recording(const struct buildid_list_args *args)
{
	struct session_opts opts = { .samples_follow = args->with_hits };
	struct binaries binaries = { .has_table = false };
	struct err err = ERR_INIT;
	struct session *s = NULL;
	int ret = session__open(&s, args->input, &opts, &err);

	if (!ret)
		ret = binaries__find(&binaries, s, args->with_hits ? BINARIES_HIT : BINARIES_ALL, &err);
	for (size_t i = 0; !ret && i < binaries.v.nr; i++)
		print_binary(&binaries.v.v[i]);
	ret = ret ? error__print(&err) : session__tell_damage(s);
	binaries__exit(&binaries);
	session__delete(s);
	err__exit(&err);
	return ret ? 1 : 0;
}

static int list_kernel(void)
{
	struct build_id id;

	if (build_id__of_kernel(&id)) {
		error__say("the running kernel has no build-id in /sys/kernel/notes");
		return 1;
	}
	print_id(&id);
	putchar('\n');
	return 0;
}

/* "ID START END NAME" */
static void print_kernel_map(const struct mmap_record *m)
{
	size_t len = m->filename[0] == '[' ? strcspn(m->filename, "]") + 1 : strlen(m->filename);
	struct build_id id;
	char *name;

	if (m->filename[0] == '[' && m->pgoff ? build_id__of_kernel(&id)
					      : build_id__of_module_file(m->filename, &id))
		printf("%*s", 2 * BUILD_ID_MAX, "");
	else
		print_id(&id);
	name = xasprintf("%.*s", (int)MIN(len, strlen(m->filename)), m->filename);
	mask_controls(name, strlen(name), NULL);
	printf(" %16llx %16llx %s\n", (unsigned long long)m->start, (unsigned long long)(m->start + m->len),
	       name);
	free(name);
}

static int list_kernel_maps(void)
{
	const struct synthesize_opts opts = { .no_kernel = false };
	struct strbuf records = STRBUF_INIT;
	struct err err = ERR_INIT;
	bool hidden;
	int ret = synthesize__kernel(&records, &opts, &hidden, &err);

	for (size_t pos = 0; !ret && pos < records.len;) {
		struct record r = { .header = (const void *)(records.buf + pos) };
		struct mmap_record m;

		if (record__mmap(&r, &m))
			print_kernel_map(&m);
		pos += r.header->size;
	}
	if (ret)
		error__print(&err);
	else if (hidden)
		ret = error__say("kernel addresses are hidden: as root, 'sysctl kernel.kptr_restrict=1', or "
				 "run perf as root");
	strbuf__exit(&records);
	err__exit(&err);
	return ret ? 1 : 0;
}

/* List an ELF file instead of a recording. Return false if path is not an ELF file. */
static bool list_elf(const char *path, int *status)
{
	struct build_id id;
	int ret = build_id__of_file(path, &id);

	*status = ret ? 1 : 0;
	if (!ret) {
		print_id(&id);
		putchar('\n');
	} else if (ret == -ENOENT && !access(path, F_OK)) {
		error__say("'%s' has no build-id", path);
	} else {
		return false;
	}
	return true;
}

int cmd_buildid_list(int argc, const char **argv)
{
	static const char *const usage[] = { "perf buildid-list [<options>] [<file>]", NULL };
	struct buildid_list_args args = { .input = NULL };
	const struct option options[] = {
		OPT_BOOL('H', "with-hits", &args.with_hits,
			 "list only binaries that samples or their call chains were in"),
		OPT_BOOL('f', "force", &args.force, "accepted; files of any owner are read"),
		OPT_STRING('i', "input", &args.input, "file", "file to read: a recording or an ELF file"),
		OPT_BOOL('k', "kernel", &args.kernel, "print the running kernel's build-id"),
		OPT_BOOL('m', "kernel-maps", &args.kernel_maps,
			 "print the build-ids, addresses and names of the running kernel and its modules"),
		OPT_INCR('v', "verbose", &args.verbose, "say more"),
		OPT_END(),
	};
	int nr = perf__parse_options(options, usage, 0, argc, argv), status;

	if (nr < 0)
		return -nr;
	msg__set_level(args.verbose);
	if (perf__take_input("perf buildid-list", nr, argv, &args.input))
		return EXIT_USAGE;
	if (args.kernel)
		return list_kernel();
	if (args.kernel_maps)
		return list_kernel_maps();
	if (!args.input || !*args.input)
		args.input = perf__default_input();
	return list_elf(args.input, &status) ? status : list_recording(&args);
}
