/* synthesize: the kernel's range, modules, and the threads and maps of this very process. */
#include "unit.h"

#include "format/records/build.h"
#include "record/describe/map_build_id.h"
#include "record/describe/synthesize_private.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

static bool see(struct kernel_range *k, const char *text)
{
	return kernel_range__see(k, text, strlen(text));
}

static void kernel_range_stops_early(void **state)
{
	struct kernel_range k = KERNEL_RANGE_INIT;

	(void)state;
	assert_false(see(&k, "0000000000000000 A fixed_percpu_data\nffffffff81000000 T _stext\n"));
	assert_false(see(&k, "ffffffff81000000 T _text\nffffffff81000010 T other\n"));
	assert_true(see(&k, "ffffffff82000000 T _etext\n"));
	assert_int_equal(k.text, 0xffffffff81000000);
	assert_int_equal(k.etext, 0xffffffff82000000);

	k = (struct kernel_range)KERNEL_RANGE_INIT;
	k.end = 0x1000; /* the size is known from elsewhere */
	assert_true(
		see(&k, "ffffffff81000000 T _stext\nffffffff81000000 T _text\nffffffff81000010 T other\n"));
	assert_int_equal(k.etext, 0);

	k = (struct kernel_range)KERNEL_RANGE_INIT;
	k.end = 0x1000; /* a kernel without _text */
	assert_true(see(&k, "ffffffc008010000 T _stext\nffffffc008010000 T same\nffffffc008010008 T next\n"));
	assert_int_equal(k.text, 0);
	assert_int_equal(k.stext, 0xffffffc008010000);
}

static void kernel_range_knows_hidden_addresses(void **state)
{
	struct kernel_range k = KERNEL_RANGE_INIT;

	(void)state;
	assert_false(
		see(&k, "0000000000000000 T _stext\n0000000000000000 T _text\n0000000000000000 T _etext\n"));
	assert_int_equal(k.lowest, UINT64_MAX);
	assert_false(see(&k, "ffffffffc0000000 t _text\t[module]\nnonsense\n"));
	assert_int_equal(k.text, 0);
}

static void iomem_tells_the_size(void **state)
{
	(void)state;
	assert_int_equal(iomem__kernel_code(
				 "00000000-00000fff : Reserved\n00100000-bfffffff : System RAM\n"
				 "  01000000-0220bb07 : Kernel code\n  02400000-02e09fff : Kernel rodata\n"),
			 0x120bb08);
	assert_int_equal(iomem__kernel_code("00000000-00000000 : Kernel code\n"), 0);
	assert_int_equal(iomem__kernel_code(" : Kernel code\n"), 0);
	assert_int_equal(iomem__kernel_code(""), 0);
}

static void modules_with_their_files(void **state)
{
	char text[] = "nf_tables 303104 575 nft_compat,nft_chain_nat, Live 0xffffffffc0a01000\n"
		      "snd-x 4096 0 - Live 0xffffffffc0b00000 (OE)\n"
		      "hidden 4096 0 - Live 0x0000000000000000\n"
		      "short 4096\n\n"
		      "ext4 1000 1 - Live 0xffffffffc0c00000\n";
	char dep[] = "kernel/net/netfilter/nf_tables.ko.xz: kernel/net/netfilter/nfnetlink.ko.xz\n"
		     "kernel/no-colon.ko\n"
		     "kernel/fs/ext4/ext4.ko:\n";
	module_array m = { 0 };

	(void)state;
	modules__parse(text, &m);
	assert_int_equal(m.nr, 3);
	modules__find_paths(&m, dep);
	assert_string_equal(m.v[0].name, "nf_tables");
	assert_int_equal(m.v[0].start, 0xffffffffc0a01000);
	assert_int_equal(m.v[0].len, 303104);
	assert_string_equal(m.v[0].path, "kernel/net/netfilter/nf_tables.ko.xz");
	assert_null(m.v[1].path);
	assert_string_equal(m.v[2].path, "kernel/fs/ext4/ext4.ko");
	array__exit(&m);
}

/* The record at *at; false at the end. */
static bool next(const struct strbuf *out, size_t *at, struct record *r)
{
	if (*at == out->len)
		return false;
	assert_true(out->len - *at >= sizeof(*r->header));
	*r = (struct record){ .header = (const void *)(out->buf + *at) };
	assert_true(r->header->size >= 8 && r->header->size <= out->len - *at);
	*at += r->header->size;
	return true;
}

/* Write the modules of text, as /proc/modules has it. Return the names and addresses of the records. */
static char *add_modules(const char *text, const struct synthesize_opts *opts)
{
	struct strbuf out = STRBUF_INIT, names = STRBUF_INIT;
	char *copy = xstrdup(text), dep[] = "kernel/fs/ext4/ext4.ko:\n";
	module_array m = { 0 };
	struct mmap_record map;
	struct record r;
	size_t at = 0;

	modules__parse(copy, &m);
	modules__find_paths(&m, dep);
	modules__add_records(&m, "/lib/modules/1", opts, &out);
	while (next(&out, &at, &r)) {
		assert_true(record__mmap(&r, &map));
		assert_int_equal(map.cpumode, PERF_RECORD_MISC_KERNEL);
		strbuf__addf(&names, "%s@%llx,", map.filename, (unsigned long long)map.start);
	}
	array__exit(&m);
	free(copy);
	strbuf__exit(&out);
	return strbuf__detach(&names);
}

/* Another list is noticed: it saves reading modules.dep again only where the list is the same. */
static void lists_of_modules_differ(void **state)
{
	static const char *const lists[] = {
		"a 4096 0 - Live 0xc0100000\nb 4096 0 - Live 0xc0200000\n",
		"a 4096 0 - Live 0xc0100000\n",
		"c 4096 0 - Live 0xc0100000\nb 4096 0 - Live 0xc0200000\n",
		"a 8192 0 - Live 0xc0100000\nb 4096 0 - Live 0xc0200000\n",
		"a 4096 0 - Live 0xc0300000\nb 4096 0 - Live 0xc0200000\n",
		"a 4096 7 - Live 0xc0100000\nb 4096 1 a, Loading 0xc0200000\n", /* as the first */
	};
	u64 hashes[ARRAY_SIZE(lists)];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		char *copy = xstrdup(lists[i]);
		module_array m = { 0 };

		modules__parse(copy, &m);
		hashes[i] = modules__hash(&m);
		assert_true(hashes[i] != 0);
		for (size_t k = 0; k < i; k++)
			assert_int_equal(hashes[i] == hashes[k], k == 0 && i == ARRAY_SIZE(lists) - 1);
		array__exit(&m);
		free(copy);
	}
}

static void modules_are_added_once(void **state)
{
	static const struct {
		const char *text, *added;
	} steps[] = {
		{ "ext4 1000 1 - Live 0xc0001000\na 4096 0 - Live 0xc0100000\n",
		  "/lib/modules/1/kernel/fs/ext4/ext4.ko@c0001000,[a]@c0100000," },
		{ "ext4 1000 2 - Live 0xc0001000\na 4096 0 - Live 0xc0100000\n", "" }, /* in use twice */
		{ "b 4096 0 - Loading 0xc0200000\next4 1000 2 - Live 0xc0001000\n", "[b]@c0200000," },
		/* elsewhere */
		{ "a 4096 0 - Live 0xc0300000\nb 4096 0 - Live 0xc0200000\n", "[a]@c0300000," },
		/* another one */
		{ "a 8192 0 - Live 0xc0300000\n", "[a]@c0300000," },
		{ "", "" },
	};
	struct module_records known = { .maps = STRBUF_INIT };
	const struct synthesize_opts opts = { .id_size = 16, .modules = &known }, all = { .id_size = 16 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		char *added = add_modules(steps[i].text, &opts);

		assert_string_equal(added, steps[i].added);
		free(added);
	}
	for (int i = 0; i < 2; i++) {
		char *added = add_modules(steps[0].text, &all);

		assert_string_equal(added, steps[0].added);
		free(added);
	}
	strbuf__exit(&known.maps);
}

static void maps_that_stock_would_write(void **state)
{
	static const char *const names[] = { "/bin/x", "//anon", "[vdso]", "[vsyscall]", "/data" };
	char text[] = "1000-2000 r--p 00000000 00:00 0 \n"
		      "2000-3000 r-xp 00001000 fe:01 12 /bin/x\n"
		      "3000-4000 rwxp 00000000 00:00 0 \n"
		      "4000-5000 r-xp 00000000 00:00 0 [vdso]\n"
		      "5000-6000 --xp 00000000 00:00 0 [vsyscall]\n"
		      "6000-7000 rw-s 00002000 fe:01 13 /data\n"
		      "7000-8000 ---p 00000000 00:00 0 \n";
	struct synthesize_opts opts = { .id_size = 16 };
	struct strbuf out = STRBUF_INIT;
	char *again = strdup(text);
	struct mmap_record m;
	struct record r;
	size_t at = 0, nr = 0, data = 0;

	(void)state;
	synthesize__maps(&out, 42, text, strlen(text), &opts, NULL);
	for (; next(&out, &at, &r); nr++) {
		assert_true(record__mmap(&r, &m));
		assert_string_equal(m.filename, names[nr]);
		assert_int_equal(m.pid, 42);
		assert_int_equal(m.len, 0x1000);
		assert_false(m.is_data);
	}
	assert_int_equal(nr, 4);

	opts.data_maps = true;
	strbuf__reset(&out);
	synthesize__maps(&out, 42, again, strlen(again), &opts, NULL);
	for (at = nr = 0; next(&out, &at, &r); nr++)
		data += record__mmap(&r, &m) && m.is_data;
	assert_int_equal(nr, 6);
	assert_int_equal(data, 2);
	free(again);
	strbuf__exit(&out);
}

static int ready[2], end[2]; /* two pipes: one alone would give the thread its own byte back */

static void *wait_for_the_end(void *tid)
{
	char c;

	*(pid_t *)tid = (pid_t)syscall(SYS_gettid);
	return write(ready[1], "t", 1) == 1 && read(end[0], &c, 1) == 1 ? NULL : tid;
}

static size_t count(const struct strbuf *out, u32 type, pid_t pid)
{
	struct record r;
	size_t at = 0, n = 0;

	while (next(out, &at, &r))
		n += r.header->type == type && !memcmp(r.header + 1, &pid, sizeof(pid));
	return n;
}

/* A process without the threads that the reading itself starts here. */
static pid_t start_sleeper(void)
{
	pid_t pid = fork();

	if (!pid) {
		pause();
		_exit(0);
	}
	assert_true(pid > 0);
	return pid;
}

static void many_processes_keep_their_order(void **state)
{
	struct synthesize_opts opts = { .id_size = 24 };
	struct strbuf once = STRBUF_INIT, many = STRBUF_INIT;
	pid_t pid = start_sleeper();
	int_array pids = { 0 };

	(void)state;
	array__add(&pids, pid);
	assert_int_equal(synthesize__processes(&once, &pids, &opts, NULL), 0);
	assert_int_equal(count(&once, PERF_RECORD_FORK, pid), 1);
	assert_int_equal(count(&once, PERF_RECORD_COMM, pid), 1);
	assert_true(count(&once, PERF_RECORD_MMAP2, pid) > 3);
	for (int i = 0; i < 99; i++) /* every tenth has gone */
		array__add(&pids, i % 10 == 9 ? INT32_MAX : pid);
	assert_int_equal(synthesize__processes(&many, &pids, &opts, NULL), 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_int_equal(many.len, 91 * once.len);
	for (size_t i = 0; i < 91; i++)
		assert_memory_equal(many.buf + i * once.len, once.buf, once.len);
	strbuf__exit(&once);
	strbuf__exit(&many);
	array__exit(&pids);
}

static void threads_come_with_their_process(void **state)
{
	struct synthesize_opts opts = { 0 };
	struct strbuf out = STRBUF_INIT;
	int_array tids = { 0 };
	pid_t tid = 0;
	pthread_t thread;
	struct comm_record comm;
	struct task_record task;
	struct record r;
	size_t at = 0;
	char c;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(end), 0);
	assert_int_equal(pthread_create(&thread, NULL, wait_for_the_end, &tid), 0);
	assert_int_equal(read(ready[0], &c, 1), 1);
	array__add(&tids, tid);
	array__add(&tids, tid);
	assert_int_equal(synthesize__threads(&out, &tids, &opts, NULL), 0);
	assert_int_equal(write(end[1], "x", 1), 1);
	pthread_join(thread, NULL);

	assert_true(next(&out, &at, &r) && record__task(&r, &task));
	assert_int_equal(task.tid, getpid());
	assert_int_equal(task.ppid, getppid());
	assert_true(next(&out, &at, &r) && record__comm(&r, &comm));
	assert_int_equal(count(&out, PERF_RECORD_FORK, getpid()), 2);
	assert_int_equal(count(&out, PERF_RECORD_COMM, getpid()), 2);
	while (next(&out, &at, &r))
		if (r.header->type == PERF_RECORD_FORK)
			assert_true(record__task(&r, &task));
	assert_int_equal(task.tid, tid);
	assert_int_equal(task.ptid, getpid());
	strbuf__exit(&out);
	array__exit(&tids);
	for (int i = 0; i < 2; i++) {
		close(ready[i]);
		close(end[i]);
	}
}

static void build_ids_only_of_the_same_inode(void **state)
{
	struct build_id_cache *ids = build_id_cache__new();
	struct build_id id, want;
	char exe[4096];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	struct mapped_file f = { .name = exe };
	struct stat st;

	(void)state;
	assert_true(n > 0);
	exe[n] = '\0';
	assert_int_equal(stat(exe, &st), 0);
	f.maj = major(st.st_dev);
	f.min = minor(st.st_dev);
	f.ino = st.st_ino + 1;
	assert_false(build_id_cache__get(ids, &f, &id));
	f.ino = st.st_ino;
	if (build_id__of_file(exe, &want)) {
		assert_false(build_id_cache__get(ids, &f, &id));
	} else {
		assert_true(build_id_cache__get(ids, &f, &id));
		assert_true(build_id__equal(&id, &want));
		f.name = "/elsewhere by now";
		assert_true(build_id_cache__get(ids, &f, &id)); /* from the cache */
	}
	build_id_cache__delete(ids);
}

static void kernel_map_or_hidden(void **state)
{
	struct synthesize_opts opts = { .id_size = 16, .build_ids = true };
	struct strbuf out = STRBUF_INIT;
	struct build_id id;
	struct mmap_record m;
	struct record r;
	bool hidden;
	size_t at = 0;

	(void)state;
	if (!synthesize__kernel(&out, &opts, &hidden, NULL) && !hidden && next(&out, &at, &r)) {
		assert_true(record__mmap(&r, &m));
		assert_int_equal(m.pid, UINT32_MAX);
		assert_int_equal(m.start, m.pgoff);
		assert_true(m.len > 0);
		assert_int_equal(strncmp(m.filename, "[kernel.kallsyms]_", 18), 0);
		assert_int_equal(r.header->type, PERF_RECORD_MMAP); /* others know no kernel of an MMAP2 */
		if (!build_id__of_kernel(&id)) {
			assert_true(next(&out, &at, &r));
			assert_int_equal(r.header->type, RECORD_HEADER_BUILD_ID);
			assert_int_equal(r.header->size % 8, 0);
			assert_memory_equal((const u8 *)r.header + 12, id.data, id.size);
		}
	}
	strbuf__reset(&out);
	opts.no_kernel = true;
	assert_int_equal(synthesize__kernel(&out, &opts, &hidden, NULL), 0);
	assert_int_equal(out.len, 0);
	strbuf__exit(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernel_range_stops_early),
		cmocka_unit_test(kernel_range_knows_hidden_addresses),
		cmocka_unit_test(iomem_tells_the_size),
		cmocka_unit_test(modules_with_their_files),
		cmocka_unit_test(modules_are_added_once),
		cmocka_unit_test(lists_of_modules_differ),
		cmocka_unit_test(maps_that_stock_would_write),
		cmocka_unit_test(many_processes_keep_their_order),
		cmocka_unit_test(threads_come_with_their_process),
		cmocka_unit_test(build_ids_only_of_the_same_inode),
		cmocka_unit_test(kernel_map_or_hidden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
