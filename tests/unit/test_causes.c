/* Causes of the time of spans, function by function: of recordings with call chains of this very program. */
#include "unit.h"

#include "live/proc.h"
#include "profile/causes/span_samples.h"
#include "profile/causes/span_why.h"
#include "profile/causes/why_text.h"
#include "waits_image.h"

#include <stdlib.h>

enum { SPANS = NR_EVENTS, NR };
enum { A = 10, B, HOLDER };

static const char *const names[] = { "cpu-clock", "offcpu-time", "ended-waits", "ready-time", "span:handle" };
static const struct span_limits from_1000 = { .slower = { .ns = 1000 }, .faster = { .ns = 500 } };

/* ---- the program and the kernel ---- */

/* Nothing runs this. */
#define FUNCTION(name) ".type " name ",%function\n" name ":\n.skip 64\n.size " name ",.-" name "\n"
__asm__(".text\n" FUNCTION("serve") FUNCTION("handle") FUNCTION("parse") FUNCTION("scan_line")
		FUNCTION("write_log") FUNCTION("flush_log") FUNCTION("lll_lock_wait")
			FUNCTION("__lll_lock_wake") FUNCTION("pthread_cond_wait_common"));

#ifdef __x86_64__
/* "lets_go" jumps to what lets the lock go: it is not in the chain. */
__asm__(".type lets_go,%function\nlets_go:\njmp __lll_lock_wake\n.size lets_go,.-lets_go\n"
	".type calls_it,%function\ncalls_it:\ncall lets_go\nnop\n.size calls_it,.-calls_it\n");
#endif

#define IN(name)                           \
	({                                 \
		extern const char name[];  \
		(u64)(uintptr_t) name + 4; \
	})

static u32 db_lock __attribute__((used)) = 1, log_lock __attribute__((used)) = 1;

#define KERNEL_AT 0xffffffff81000000ull
static const char *const kernel_functions[] = {
	"_text",      "schedule",   "do_nanosleep",           "__x64_sys_write", "exc_page_fault",
	"clear_page", "pipe_write", "exit_to_user_mode_loop", "_etext"
};

static char kallsyms[] = "/tmp/perf-unit-causes.XXXXXX";

static u64 kernel(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(kernel_functions); i++)
		if (!strcmp(kernel_functions[i], name))
			return KERNEL_AT + 0x1000 * i + 0x10;
	fail_msg("no function %s", name);
	return 0;
}

static int write_kallsyms(void **state)
{
	struct strbuf text = STRBUF_INIT;
	int fd = mkstemp(kallsyms), ret;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kernel_functions); i++)
		strbuf__addf(&text, "%llx T %s\n", KERNEL_AT + 0x1000ull * i, kernel_functions[i]);
	ret = fd < 0 || file__write_all(fd, text.buf, text.len) || close(fd);
	strbuf__exit(&text);
	return ret;
}

static int remove_kallsyms(void **state)
{
	(void)state;
	return unlink(kallsyms);
}

/* ---- recordings ---- */

static struct waits_image w;
static struct session *session;
static struct span_set set;
static struct span_times times;
static struct span_groups groups;
static struct causes c;
static bool has_waits;
static char *library; /* path that the program is mapped by; NULL: its own */

static void map_program(void)
{
	u64 here = (u64)(uintptr_t)map_program;
	struct strbuf text = STRBUF_INIT;
	struct proc_map map;
	char *p;

	waits__map(&w, PERF_RECORD_MISC_KERNEL, KERNEL_AT, 0x1000 * ARRAY_SIZE(kernel_functions), KERNEL_AT,
		   "[kernel.kallsyms]_text");
	assert_int_equal(proc__maps(getpid(), &text), 0);
	p = text.buf;
	while (proc_map__parse(&p, text.buf + text.len, &map))
		if (here >= map.start && here < map.end)
			waits__map(&w, PERF_RECORD_MISC_USER, map.start, map.end - map.start, map.pgoff,
				   library ? library : map.name);
	strbuf__exit(&text);
}

static u64 sample_type = PERF_SAMPLE_CALLCHAIN;

static void begin_events(bool with_waits)
{
	static const char *const no_waits[] = { "cpu-clock", "span:handle" };

	has_waits = with_waits;
	waits__begin_typed(&w, with_waits ? names : no_waits, with_waits ? NR : 2, sample_type);
	map_program();
	waits__comm(&w, A, "first", false, 0);
	waits__comm(&w, B, "second", false, 0);
	waits__comm(&w, HOLDER, "holder", false, 0);
}

static void begin(void)
{
	begin_events(true);
}

/* Let the first event be one of hardware, of so many samples a second on the CPU. */
static void use_hardware(u64 hz)
{
	w.attrs[0].type = PERF_TYPE_HARDWARE;
	w.attrs[0].sample_freq = hz;
	w.attrs[0].freq = 1;
	image__put_bytes(&w.im, 104, &w.attrs[0], 48);
}

#define CHAIN(...) waits__chain(&w, (const u64[]){ __VA_ARGS__, 0 })
#define USER_CHAIN(...) CHAIN(PERF_CONTEXT_USER, __VA_ARGS__)

static void open_recording(void)
{
	struct session_opts sopts = { .symbols = { .no_made_up_names = true, .kallsyms = kallsyms },
				      .samples_follow = true };
	const struct evsel *event;
	struct err err = ERR_INIT;
	char path[64];
	int fd;

	waits__end(&w);
	image__path(w.im.b.buf, w.im.b.len, &fd, path);
	assert_int_equal(session__open(&session, path, &sopts, &err), 0);
	close(fd);
	assert_int_equal(span_set__choose_event(&session->reader->evlist, NULL, &event, &err), 0);
	assert_int_equal(span_set__read(&set, session, event, &err), 0);
	times = (struct span_times){ .of_waits.nr = 0 };
	if (has_waits)
		assert_int_equal(span_times__read(&times, session, &err), 0);
}

static void close_recording(void)
{
	span_times__exit(&times);
	span_set__exit(&set);
	session__delete(session);
	image__exit(&w.im);
}

/* ---- what is found ---- */

static void add_place(u32 place, struct strbuf *sb)
{
	static const char *const pseudo[] = { "all", "own", "not sampled" };

	if (place == PLACE_NONE)
		strbuf__addstr(sb, "none");
	else if (place >= PLACE_NOT_SAMPLED)
		strbuf__addstr(sb, pseudo[PLACE_ALL - place]);
	else
		strbuf__addstr(sb, places__get(&c.places, place)->sym ? places__name(&c.places, place) : "?");
}

static void add_cause(const struct cause *x, struct strbuf *sb)
{
	static const char *const types[] = { "cpu", "faults", "ready", "wait", "unknown" };

	strbuf__addstr(sb, types[x->type]);
	if (x->type != CAUSE_WAIT)
		return;
	strbuf__addf(sb, " %s '%s' role %u by ", wait_kind__name((enum wait_kind)x->kind),
		     strpool__get(&c.texts, x->lock), x->role);
	add_place(x->holder, sb);
	strbuf__addf(sb, " of '%s'", strpool__get(&c.texts, x->thread));
}

/* A line for each cause, and one for each of its nodes: ns of fast, slow and other spans, depth. */
static void add_causes(struct strbuf *sb)
{
	for (size_t i = 0; i < c.v.nr; i++) {
		add_cause(&c.v.v[i], sb);
		strbuf__addch(sb, '\n');
		for (size_t k = 0; k < c.nodes.nr; k++) {
			const struct cause_node *n = &c.nodes.v[k];

			if (n->cause != i)
				continue;
			strbuf__addstr(sb, "  ");
			add_place(n->place, sb);
			strbuf__addf(sb, ": %g %g %g", n->sums[SPANS_FAST], n->sums[SPANS_SLOW],
				     n->sums[SPANS_BETWEEN]);
			if (n->place < PLACE_NOT_SAMPLED)
				strbuf__addf(sb, " depth %g", n->depth / n->ns);
			strbuf__addch(sb, '\n');
		}
	}
	for (size_t i = 0; i < c.meanwhile.nr; i++) {
		const struct meanwhile *m = &c.meanwhile.v[i];

		strbuf__addf(sb, "meanwhile of %u: ", m->cause);
		add_cause(&c.v.v[m->what], sb);
		strbuf__addstr(sb, " in ");
		add_place(m->place, sb);
		strbuf__addf(sb, ": %g\n", m->ns);
	}
	for (size_t i = 0; i < c.enders.nr; i++)
		strbuf__addf(sb, "%u ended by '%s': %g\n", c.enders.v[i].cause,
			     strpool__get(&c.texts, c.enders.v[i].thread), c.enders.v[i].ns);
}

/* Each ns of a span is in one of its items, or on the CPU; items and samples are in the order of spans. */
static void expect_samples(void)
{
	struct err err = ERR_INIT;
	struct span_samples x;

	assert_int_equal(span_samples__read(&x, session, c.times, &set, &groups, &err), 0);
	for (u32 i = 0; i < groups.v.nr; i++) {
		u64 ns = x.on_cpu.v[i];

		for (size_t k = 0; k < x.items.nr; k++)
			ns += x.items.v[k].span == i ? x.items.v[k].ns : 0;
		assert_int_equal(ns, span__ns(&set.v.v[groups.v.v[i].span]));
	}
	for (size_t k = 1; k < x.items.nr; k++)
		assert_true(x.items.v[k].span >= x.items.v[k - 1].span && x.items.v[k].ns > 0);
	for (size_t k = 1; k < x.runs.nr; k++)
		assert_true(x.runs.v[k].span >= x.runs.v[k - 1].span);
	for (size_t k = 0; k < x.holders.nr; k++)
		assert_true(x.holders.v[k].ns > 0 && x.holders.v[k].item < x.items.nr);
	span_samples__exit(&x);
}

static void expect_causes(const char *expected)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;

	open_recording();
	assert_int_equal(span_groups__divide(&groups, &set, &from_1000, &err), 0);
	assert_int_equal(causes__read(&c, session, has_waits ? &times : NULL, &set, &groups, 1, &err), 0);
	add_causes(&text);
	if (strcmp(text.buf, expected) != 0) {
		fprintf(stderr, "%s\n", text.buf); /* cmocka cuts long texts */
		fail_msg("other causes");
	}
	expect_samples();
	causes__exit(&c);
	span_groups__exit(&groups);
	strbuf__exit(&text);
	close_recording();
}

static void put_runs(u32 spans)
{
	static const struct span_detail three = { .step = 3 };

	USER_CHAIN(IN(parse), IN(handle), IN(serve));
	waits__run(&w, A, 50);
	waits__span(&w, spans, A, 0, 200);
	waits__run(&w, A, 450);
	waits__spans(&w, spans, A, 700, &three, (const struct span_time[]){ { 300, 700 } }, 1);
	USER_CHAIN(IN(scan_line), IN(parse), IN(scan_line), IN(handle), IN(serve));
	waits__run(&w, A, 1100);
	waits__run(&w, A, 1200);
	CHAIN(PERF_CONTEXT_KERNEL, kernel("clear_page"), kernel("exc_page_fault"), PERF_CONTEXT_USER,
	      IN(parse), IN(handle), IN(serve));
	waits__run(&w, A, 1300);
	waits__chain(&w, (const u64[]){ 0 });
	waits__run(&w, A, 1400);
	waits__span(&w, spans, A, 1000, 3000);
	waits__span(&w, spans, A, 4000, 4600);
}

/*
 * Functions are those of the chain, each once; page faults are a cause of their own. A sample stands for 250
 * ns.
 */
static void time_on_the_cpu(void **state)
{
	(void)state;
	begin();
	put_runs(SPANS);
	expect_causes("cpu\n"
		      "  parse: 1000 500 0 depth 3.5\n"
		      "  handle: 1000 500 0 depth 2\n"
		      "  serve: 1000 500 0 depth 1\n"
		      "  own: 1400 1750 600\n"
		      "  not sampled: 400 1000 600\n"
		      "  scan_line: 0 500 0 depth 5\n"
		      "  ?: 0 250 0 depth 1\n"
		      "  all: 1400 1750 600\n"
		      "faults\n"
		      "  own: 0 250 0\n"
		      "  clear_page: 0 250 0 depth 5\n"
		      "  exc_page_fault: 0 250 0 depth 4\n"
		      "  parse: 0 250 0 depth 3\n"
		      "  handle: 0 250 0 depth 2\n"
		      "  serve: 0 250 0 depth 1\n"
		      "  all: 0 250 0\n"
		      "ready\n"
		      "  all: 0 0 0\n");
}

/* Copies of stacks replace chains of user space: here by one function. */
static void chains_of_stack_copies(void **state)
{
	(void)state;
	sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	begin();
	w.copied_ip = IN(flush_log);
	put_runs(SPANS);
	expect_causes("cpu\n"
		      "  flush_log: 1000 750 0 depth 1\n"
		      "  own: 1400 1750 600\n"
		      "  not sampled: 400 1000 600\n"
		      "  all: 1400 1750 600\n"
		      "faults\n"
		      "  own: 0 250 0\n"
		      "  clear_page: 0 250 0 depth 3\n"
		      "  exc_page_fault: 0 250 0 depth 2\n"
		      "  flush_log: 0 250 0 depth 1\n"
		      "  all: 0 250 0\n"
		      "ready\n"
		      "  all: 0 0 0\n");
	sample_type = PERF_SAMPLE_CALLCHAIN;
}

static void samples_share_the_time(void **state)
{
	(void)state;
	begin();
	use_hardware(1000);
	put_runs(SPANS);
	expect_causes("cpu\n"
		      "  parse: 2133.33 1066.67 0 depth 3.5\n"
		      "  handle: 2133.33 1066.67 0 depth 2\n"
		      "  serve: 2133.33 1066.67 0 depth 1\n"
		      "  own: 1400 1466.67 600\n"
		      "  not sampled: -733.333 -133.333 600\n"
		      "  scan_line: 0 1066.67 0 depth 5\n"
		      "  ?: 0 533.333 0 depth 1\n"
		      "  all: 1400 1466.67 600\n"
		      "faults\n"
		      "  own: 0 533.333 0\n"
		      "  clear_page: 0 533.333 0 depth 5\n"
		      "  exc_page_fault: 0 533.333 0 depth 4\n"
		      "  parse: 0 533.333 0 depth 3\n"
		      "  handle: 0 533.333 0 depth 2\n"
		      "  serve: 0 533.333 0 depth 1\n"
		      "  all: 0 533.333 0\n"
		      "ready\n"
		      "  all: 0 0 0\n");
	begin_events(false);
	put_runs(1);
	expect_causes("cpu\n"
		      "  parse: 1000 500 0 depth 3.5\n"
		      "  handle: 1000 500 0 depth 2\n"
		      "  serve: 1000 500 0 depth 1\n"
		      "  own: 1000 750 0\n"
		      "  scan_line: 0 500 0 depth 5\n"
		      "  ?: 0 250 0 depth 1\n"
		      "  all: 1000 750 0\n"
		      "faults\n"
		      "  own: 0 250 0\n"
		      "  clear_page: 0 250 0 depth 5\n"
		      "  exc_page_fault: 0 250 0 depth 4\n"
		      "  parse: 0 250 0 depth 3\n"
		      "  handle: 0 250 0 depth 2\n"
		      "  serve: 0 250 0 depth 1\n"
		      "  all: 0 250 0\n"
		      "unknown\n"
		      "  all: 400 1000 600\n"
		      "ready\n"
		      "  all: 0 0 0\n");
	begin_events(false);
	use_hardware(5000000);
	put_runs(1);
	expect_causes("cpu\n"
		      "  parse: 800 400 0 depth 3.5\n"
		      "  handle: 800 400 0 depth 2\n"
		      "  serve: 800 400 0 depth 1\n"
		      "  own: 800 600 0\n"
		      "  scan_line: 0 400 0 depth 5\n"
		      "  ?: 0 200 0 depth 1\n"
		      "  all: 800 600 0\n"
		      "faults\n"
		      "  own: 0 200 0\n"
		      "  clear_page: 0 200 0 depth 5\n"
		      "  exc_page_fault: 0 200 0 depth 4\n"
		      "  parse: 0 200 0 depth 3\n"
		      "  handle: 0 200 0 depth 2\n"
		      "  serve: 0 200 0 depth 1\n"
		      "  all: 0 200 0\n"
		      "unknown\n"
		      "  all: 600 1200 600\n"
		      "ready\n"
		      "  all: 0 0 0\n");
}

/* Preempted: ready all the time, in the chain of a wait. */
static void put_preempted(void)
{
	CHAIN(PERF_CONTEXT_KERNEL, kernel("schedule"), kernel("exit_to_user_mode_loop"), PERF_CONTEXT_USER,
	      IN(parse), IN(flush_log), IN(serve));
	waits__wait(&w, HOLDER, 2000, 2050, 2060, 0, 0);
	waits__wait(&w, A, 2800, 2850, 2860, HOLDER, WOKEN_BY_THREAD);
}

/* The holder of a lock is the function that let it go; what it did meanwhile is known, too. */
static void waits_for_locks(void **state)
{
	const struct wait_detail ended = { .futex_op = PRIVATE_WAIT, .place = 7 };
	const u64 db = (u64)(uintptr_t)&db_lock, log = (u64)(uintptr_t)&log_lock;

	(void)state;
	begin();
	USER_CHAIN(IN(lll_lock_wait), IN(write_log), IN(handle), IN(serve));
	waits__lock(&w, A, 20, 60, 60, db, HOLDER, 0);
	waits__lock(&w, A, 1100, 2100, 2150, db, HOLDER, 7);
	waits__lock(&w, A, 5100, 5200, 5200, log, HOLDER, 7);
	USER_CHAIN(IN(__lll_lock_wake), IN(flush_log), IN(serve));
	waits__details(&w, ENDED, HOLDER, 2100, db, &ended, NULL, 0);
	CHAIN(PERF_CONTEXT_KERNEL, kernel("schedule"), kernel("do_nanosleep"), PERF_CONTEXT_USER,
	      IN(scan_line), IN(flush_log), IN(serve));
	waits__wait(&w, HOLDER, 1200, 1700, 1720, 0, 0);
	USER_CHAIN(IN(parse), IN(flush_log), IN(serve));
	waits__run(&w, HOLDER, 1800);
	CHAIN(PERF_CONTEXT_KERNEL, kernel("clear_page"), kernel("exc_page_fault"), PERF_CONTEXT_USER,
	      IN(parse), IN(flush_log), IN(serve));
	waits__run(&w, HOLDER, 1900);
	waits__run(&w, HOLDER, 1950);
	CHAIN(PERF_CONTEXT_KERNEL, kernel("schedule"), kernel("pipe_write"), kernel("__x64_sys_write"),
	      PERF_CONTEXT_USER, IN(write_log), IN(handle), IN(serve));
	waits__wait(&w, A, 2200, 2400, 2400, HOLDER, WOKEN_BY_THREAD);
	waits__wait(&w, A, 2450, 2500, 2500, HOLDER, WOKEN_BY_THREAD);
	waits__wait(&w, A, 2500, 2600, 2600, B, WOKEN_BY_THREAD);
	waits__wait(&w, A, 2650, 2700, 2700, 0, WOKEN_BY_HARDIRQ);
	waits__wait(&w, A, 5300, 5400, 5400, B, WOKEN_BY_THREAD);
	waits__span(&w, SPANS, A, 0, 200);
	waits__span(&w, SPANS, A, 1000, 3000);
	waits__span(&w, SPANS, A, 5000, 5600);
	put_preempted();
	expect_causes("cpu\n"
		      "  own: 160 490 400\n"
		      "  not sampled: 160 490 400\n"
		      "  all: 160 490 400\n"
		      "faults\n"
		      "  own: 0 0 0\n"
		      "wait lock 'mutex db_lock' role 1 by none of 'holder'\n"
		      "  all: 40 0 0\n"
		      "  lll_lock_wait: 40 0 0 depth 4\n"
		      "  write_log: 40 0 0 depth 3\n"
		      "  handle: 40 0 0 depth 2\n"
		      "  serve: 40 0 0 depth 1\n"
		      "wait lock 'mutex db_lock' role 1 by flush_log of 'holder'\n"
		      "  all: 0 1000 0\n"
		      "  lll_lock_wait: 0 1000 0 depth 4\n"
		      "  write_log: 0 1000 0 depth 3\n"
		      "  handle: 0 1000 0 depth 2\n"
		      "  serve: 0 1000 0 depth 1\n"
		      "ready\n"
		      "  own: 0 110 0\n"
		      "  all: 0 110 0\n"
		      "wait pipe '' role 0 by none of ''\n"
		      "  all: 0 400 100\n"
		      "  schedule: 0 400 100 depth 6\n"
		      "  pipe_write: 0 400 100 depth 5\n"
		      "  __x64_sys_write: 0 400 100 depth 4\n"
		      "  write_log: 0 400 100 depth 3\n"
		      "  handle: 0 400 100 depth 2\n"
		      "  serve: 0 400 100 depth 1\n"
		      "wait lock 'mutex log_lock' role 1 by flush_log of 'holder'\n"
		      "  all: 0 0 100\n"
		      "  lll_lock_wait: 0 0 100 depth 4\n"
		      "  write_log: 0 0 100 depth 3\n"
		      "  handle: 0 0 100 depth 2\n"
		      "  serve: 0 0 100 depth 1\n"
		      "wait sleep '' role 0 by none of ''\n"
		      "meanwhile of 3: wait sleep '' role 0 by none of '' in scan_line: 500\n"
		      "meanwhile of 3: ready in parse: 50\n"
		      "meanwhile of 3: ready in all: 30\n"
		      "meanwhile of 3: cpu in parse: 140\n"
		      "meanwhile of 3: faults in parse: 280\n"
		      "5 ended by 'holder': 250\n"
		      "5 ended by 'second': 100\n"
		      "5 ended by '': 50\n");
}

/* A wait for a lock in the kernel or for a signal of others names who ended it only if that matters. */
static void waits_of_threads(void **state)
{
	const struct wait_detail ended = { .futex_op = PRIVATE_WAIT, .place = 7 };
	const u64 db = (u64)(uintptr_t)&db_lock;

	(void)state;
	begin();
	USER_CHAIN(IN(pthread_cond_wait_common), IN(parse), IN(handle), IN(serve));
	waits__lock(&w, A, 1100, 1400, 1400, db, HOLDER, 7);
	waits__lock(&w, A, 1500, 1600, 1600, db, B, 7);
	waits__lock(&w, A, 1700, 1900, 1900, db, 0, 0);
	USER_CHAIN(IN(flush_log), IN(write_log), IN(serve));
	waits__details(&w, ENDED, HOLDER, 1400, db, &ended, NULL, 0);
	waits__details(&w, ENDED, B, 1600, db, &ended, NULL, 0);
	waits__ready(&w, A, 2100, 2000, 2100);
	waits__span(&w, SPANS, A, 0, 200);
	waits__span(&w, SPANS, A, 1000, 3000);
	expect_causes("cpu\n"
		      "  own: 200 1300 0\n"
		      "  not sampled: 200 1300 0\n"
		      "  all: 200 1300 0\n"
		      "faults\n"
		      "  own: 0 0 0\n"
		      "wait condition 'condition variable db_lock' role 2 by flush_log of ''\n"
		      "  all: 0 400 0\n"
		      "  pthread_cond_wait_common: 0 400 0 depth 4\n"
		      "  parse: 0 400 0 depth 3\n"
		      "  handle: 0 400 0 depth 2\n"
		      "  serve: 0 400 0 depth 1\n"
		      "wait condition 'condition variable db_lock' role 0 by none of ''\n"
		      "  all: 0 200 0\n"
		      "  pthread_cond_wait_common: 0 200 0 depth 4\n"
		      "  parse: 0 200 0 depth 3\n"
		      "  handle: 0 200 0 depth 2\n"
		      "  serve: 0 200 0 depth 1\n"
		      "ready\n"
		      "  own: 0 100 0\n"
		      "  all: 0 100 0\n"
		      "3 ended by '': 200\n");
}

/* A lock that goes from hand to hand: each part of the wait belongs to who let it go then, and where. */
static void a_lock_from_hand_to_hand(void **state)
{
	const struct wait_detail first = { .futex_op = PRIVATE_WAIT, .place = 7 },
				 second = { .futex_op = PRIVATE_WAIT, .place = 8 };
	const u64 db = (u64)(uintptr_t)&db_lock;

	(void)state;
	begin();
	USER_CHAIN(IN(lll_lock_wait), IN(write_log), IN(handle), IN(serve));
	waits__lock(&w, B, 1050, 2000, 2010, db, HOLDER, 7);
	waits__lock(&w, 20, 1060, 2000, 2000, db, HOLDER, 7); /* woken at the same time, too */
	waits__lock(&w, A, 1100, 2600, 2600, db, B, 8);
	CHAIN(PERF_CONTEXT_KERNEL, kernel("schedule"), PERF_CONTEXT_USER, IN(__lll_lock_wake), IN(flush_log),
	      IN(serve));
	waits__details(&w, ENDED, HOLDER, 2000, db, &first, NULL, 0);
	USER_CHAIN(IN(__lll_lock_wake), IN(scan_line), IN(parse), IN(serve));
	waits__details(&w, ENDED, B, 2600, db, &second, NULL, 0);
	USER_CHAIN(IN(parse), IN(serve));
	waits__run(&w, B, 2300);
	waits__run(&w, B, 2400);
	/* by one of whom nothing else is known */
	waits__comm(&w, 77, "ghost", false, 0);
	USER_CHAIN(IN(lll_lock_wait), IN(write_log), IN(handle), IN(serve));
	waits__lock(&w, A, 2700, 2800, 2800, db, 77, 0);
	waits__span(&w, SPANS, A, 1000, 3000);
	waits__span(&w, SPANS, A, 0, 100);
	expect_causes("cpu\n"
		      "  own: 100 400 0\n"
		      "  not sampled: 100 400 0\n"
		      "  all: 100 400 0\n"
		      "faults\n"
		      "  own: 0 0 0\n"
		      "wait lock 'mutex db_lock' role 1 by flush_log of 'holder'\n"
		      "  all: 0 900 0\n"
		      "  lll_lock_wait: 0 900 0 depth 4\n"
		      "  write_log: 0 900 0 depth 3\n"
		      "  handle: 0 900 0 depth 2\n"
		      "  serve: 0 900 0 depth 1\n"
		      "wait lock 'mutex db_lock' role 1 by scan_line of 'second'\n"
		      "  all: 0 600 0\n"
		      "  lll_lock_wait: 0 600 0 depth 4\n"
		      "  write_log: 0 600 0 depth 3\n"
		      "  handle: 0 600 0 depth 2\n"
		      "  serve: 0 600 0 depth 1\n"
		      "wait lock 'mutex db_lock' role 1 by none of 'ghost'\n"
		      "  all: 0 100 0\n"
		      "  lll_lock_wait: 0 100 0 depth 4\n"
		      "  write_log: 0 100 0 depth 3\n"
		      "  handle: 0 100 0 depth 2\n"
		      "  serve: 0 100 0 depth 1\n"
		      "ready\n"
		      "  all: 0 0 0\n"
		      "meanwhile of 3: ready in all: 10\n"
		      "meanwhile of 3: cpu in parse: 590\n");
}

/* It waits all the time, before and after, too. */
static void a_holder_that_waits(void **state)
{
	const u64 db = (u64)(uintptr_t)&db_lock;

	(void)state;
	begin();
	USER_CHAIN(IN(lll_lock_wait), IN(write_log), IN(handle), IN(serve));
	waits__lock(&w, A, 1100, 2100, 2100, db, HOLDER, 0);
	CHAIN(PERF_CONTEXT_KERNEL, kernel("schedule"), kernel("do_nanosleep"), PERF_CONTEXT_USER,
	      IN(scan_line), IN(flush_log), IN(serve));
	waits__wait(&w, HOLDER, 1000, 2200, 2200, 0, 0);
	waits__run(&w, HOLDER, 1050);
	waits__span(&w, SPANS, A, 1000, 3000);
	expect_causes("cpu\n"
		      "  own: 0 1000 0\n"
		      "  not sampled: 0 1000 0\n"
		      "  all: 0 1000 0\n"
		      "faults\n"
		      "  own: 0 0 0\n"
		      "wait lock 'mutex db_lock' role 1 by none of 'holder'\n"
		      "  all: 0 1000 0\n"
		      "  lll_lock_wait: 0 1000 0 depth 4\n"
		      "  write_log: 0 1000 0 depth 3\n"
		      "  handle: 0 1000 0 depth 2\n"
		      "  serve: 0 1000 0 depth 1\n"
		      "wait sleep '' role 0 by none of ''\n"
		      "ready\n"
		      "  all: 0 0 0\n"
		      "meanwhile of 2: wait sleep '' role 0 by none of '' in scan_line: 1000\n");
}

static u32 system_rows(void)
{
	u32 nr = 0;

	for (size_t i = 0; i < c.places.v.nr; i++)
		nr += c.places.v.v[i].sym && causes__owner(&c, (u32)i) == OWNER_SYSTEM;
	return nr;
}

/* Functions of system libraries are no functions of the program. */
static void functions_of_libraries(void **state)
{
	static const struct {
		const char *name;
		u32 nr_system;
	} libraries[] = {
		{ "libc.so.6", 3 }, { "libgomp.so.1", 3 }, { "libpthread.so.0", 3 }, { "libx.so.6", 0 }
	};
	char folder[] = "/tmp/perf-unit-causes.XXXXXX";
	struct err err = ERR_INIT;

	(void)state;
	assert_non_null(mkdtemp(folder));
	for (size_t i = 0; i < ARRAY_SIZE(libraries); i++) {
		library = xasprintf("%s/%s", folder, libraries[i].name);
		assert_int_equal(symlink("/proc/self/exe", library), 0);
		begin();
		USER_CHAIN(IN(parse), IN(handle), IN(serve));
		waits__run(&w, A, 50);
		waits__span(&w, SPANS, A, 0, 2000);
		open_recording();
		assert_int_equal(span_groups__divide(&groups, &set, &from_1000, &err), 0);
		assert_int_equal(causes__read(&c, session, &times, &set, &groups, 1, &err), 0);
		assert_int_equal(system_rows(), libraries[i].nr_system);
		causes__exit(&c);
		span_groups__exit(&groups);
		close_recording();
		unlink(library);
		free(library);
		library = NULL;
	}
	rmdir(folder);
}

#ifdef __x86_64__

/* The function that let the lock go may be missing in the chain, after which kernel functions may be. */
static void holders_that_jumped(void **state)
{
	const struct wait_detail ended = { .futex_op = PRIVATE_WAIT, .place = 7 },
				 plain = { .futex_op = PRIVATE_WAIT, .place = 8 };
	const u64 db = (u64)(uintptr_t)&db_lock;
	const u64 after_call = IN(calls_it) - 4 + 5; /* bytes of the call */

	(void)state;
	begin();
	USER_CHAIN(IN(lll_lock_wait), IN(serve));
	waits__lock(&w, A, 1100, 2100, 2100, db, HOLDER, 7);
	waits__lock(&w, A, 2200, 2300, 2300, db, HOLDER, 8);
	CHAIN(PERF_CONTEXT_KERNEL, kernel("schedule"), PERF_CONTEXT_USER, IN(__lll_lock_wake), after_call,
	      IN(serve));
	waits__details(&w, ENDED, HOLDER, 2100, db, &ended, NULL, 0);
	USER_CHAIN(after_call, IN(serve));
	waits__details(&w, ENDED, HOLDER, 2300, db, &plain, NULL, 0);
	waits__span(&w, SPANS, A, 1000, 3000);
	expect_causes("cpu\n"
		      "  own: 0 900 0\n"
		      "  not sampled: 0 900 0\n"
		      "  all: 0 900 0\n"
		      "faults\n"
		      "  own: 0 0 0\n"
		      "wait lock 'mutex db_lock' role 1 by lets_go of 'holder'\n"
		      "  all: 0 1000 0\n"
		      "  lll_lock_wait: 0 1000 0 depth 2\n"
		      "  serve: 0 1000 0 depth 1\n"
		      "wait lock 'mutex db_lock' role 1 by calls_it of 'holder'\n"
		      "  all: 0 100 0\n"
		      "  lll_lock_wait: 0 100 0 depth 2\n"
		      "  serve: 0 100 0 depth 1\n"
		      "ready\n"
		      "  all: 0 0 0\n");
}

#else

static void holders_that_jumped(void **state)
{
	(void)state;
	skip();
}

#endif

/* Slow spans are ready for half of what they are on the CPU. */
static void ready_time_is_divided(void **state)
{
	(void)state;
	begin();
	USER_CHAIN(IN(parse), IN(handle), IN(serve));
	waits__span(&w, SPANS, A, 0, 200);
	for (u64 i = 1; i <= 3; i++) {
		waits__ready(&w, A, 10000 * i + 600 * i, 10000 * i + 100 * i, 10000 * i + 600 * i);
		waits__run(&w, A, 10000 * i + 50);
		waits__span(&w, SPANS, A, 10000 * i, 10000 * i + 1500 * i);
	}
	expect_causes("cpu\n"
		      "  own: 200 6000 0\n"
		      "  not sampled: 200 5250 0\n"
		      "  parse: 0 750 0 depth 3\n"
		      "  handle: 0 750 0 depth 2\n"
		      "  serve: 0 750 0 depth 1\n"
		      "  all: 296.774 8903.23 0\n"
		      "faults\n"
		      "  own: 0 0 0\n"
		      "ready\n"
		      "  own: 0 3000 0\n"
		      "  all: -96.7742 96.7742 0\n");
}

/* ---- answers ---- */

/* The answer, and all that slow spans have more of: what, what the holder did, in which functions. */
static void expect_all(const char *expected)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct span_why why;

	open_recording();
	assert_int_equal(span_why__find(&why, session, has_waits ? &times : NULL, &set, &from_1000, 1, &err),
			 0);
	why_text__add_answer(&why, &text);
	strbuf__addch(&text, '\n');
	for (size_t i = 0; i < why.rows.nr; i++) {
		const struct why_row *r = &why.rows.v[i];

		why_text__add_row(&why, r, &text);
		strbuf__addstr(&text, " | ");
		why_text__add_meanwhile(&why, r, &text);
		strbuf__addf(&text, " (%g) | ", r->meanwhile_part);
		why_text__add_callers(&why, r, &text);
		strbuf__addf(&text, " | %g of own %g\n", r->mostly_part, r->own);
	}
	if (strcmp(text.buf, expected) != 0) {
		fprintf(stderr, "%s\n", text.buf);
		fail_msg("another answer");
	}
	strbuf__exit(&text);
	span_why__exit(&why);
	close_recording();
}

/* Each 21st span of A takes 5200 ns, with what put puts. In the others a function runs. */
static void put_spans(void (*put)(u64 at))
{
	u64 at = 1000;

	for (u32 i = 0; i < 8; i++) {
		for (u64 k = 0; k < 20; k++, at += 1000) {
			USER_CHAIN(IN(write_log), IN(handle), IN(serve));
			waits__run(&w, A, at + 100);
			waits__span(&w, has_waits ? SPANS : 1, A, at, at + 250 + k % 7);
		}
		put(at);
		waits__span(&w, has_waits ? SPANS : 1, A, at, at + 5200);
		at += 10000;
	}
}

static void expect_of(void (*put)(u64 at), const char *expected)
{
	begin();
	put_spans(put);
	expect_all(expected);
}

static void run_times(u64 at, u64 nr)
{
	for (u64 i = 0; i < nr; i++)
		waits__run(&w, A, at + 250 * i);
}

static void run_parse(u64 at)
{
	USER_CHAIN(IN(parse), IN(handle), IN(serve));
	run_times(at + 20, 20);
}

static void run_around(u64 at)
{
	USER_CHAIN(IN(scan_line), IN(parse), IN(flush_log), IN(serve));
	run_times(at + 20, 20);
}

/* 60% in a function that the named one calls */
static void run_mostly(u64 at)
{
	USER_CHAIN(IN(parse), IN(handle), IN(serve));
	run_times(at + 20, 8);
	USER_CHAIN(IN(scan_line), IN(parse), IN(handle), IN(serve));
	run_times(at + 2020, 12);
}

static void run_system(u64 at)
{
	USER_CHAIN(IN(lll_lock_wait), IN(__lll_lock_wake), IN(parse), IN(handle), IN(serve));
	run_times(at + 20, 20);
}

static void run_system_call(u64 at)
{
	CHAIN(PERF_CONTEXT_KERNEL, kernel("pipe_write"), kernel("__x64_sys_write"), PERF_CONTEXT_USER,
	      IN(parse), IN(handle), IN(serve));
	run_times(at + 20, 20);
}

static void run_in_faults(u64 at)
{
	CHAIN(PERF_CONTEXT_KERNEL, kernel("clear_page"), kernel("exc_page_fault"), PERF_CONTEXT_USER,
	      IN(parse), IN(handle), IN(serve));
	run_times(at + 20, 20);
}

/* half of the time without samples */
static void run_unseen(u64 at)
{
	USER_CHAIN(IN(parse), IN(handle), IN(serve));
	run_times(at + 20, 10);
}

/* in functions that fast spans have, too */
static void run_usual(u64 at)
{
	USER_CHAIN(IN(write_log), IN(handle), IN(serve));
	run_times(at + 20, 20);
}

/* where fast spans are not, by a function that they have, too */
static void run_rare(u64 at)
{
	USER_CHAIN(IN(write_log), IN(parse), IN(handle), IN(serve));
	run_times(at + 20, 20);
}

/* in two functions, half of the time each */
static void run_two(u64 at)
{
	USER_CHAIN(IN(parse), IN(handle), IN(serve));
	run_times(at + 20, 10);
	USER_CHAIN(IN(scan_line), IN(handle), IN(serve));
	run_times(at + 2520, 10);
}

/* Slow spans are ready for half of the time that they are in page faults. */
static void run_faults_and_ready(u64 at)
{
	u64 ns = 2000 + at / 10000 % 4 * 400, end = at + 10 + ns + ns / 2;

	CHAIN(PERF_CONTEXT_KERNEL, kernel("clear_page"), kernel("exc_page_fault"), PERF_CONTEXT_USER,
	      IN(parse), IN(handle), IN(serve));
	run_times(at + 20, ns / 250);
	waits__chain(&w, (const u64[]){ 0 });
	waits__ready(&w, A, end, at + 10 + ns, end);
	waits__wait(&w, A, end, at + 5200, at + 5200, 0, 0);
}

static void the_functions_of_time_on_the_cpu(void **state)
{
	(void)state;
	expect_of(run_parse, "slow spans (1.00 us and above: 5.20 us, 8 of 168) spend 4.95 us more on the "
			     "CPU in parse; 8 of the 8 have it\n"
			     "spend 4.95 us more on the CPU in parse |  (0) | called by handle | 1.01068 of "
			     "own 4947.15\n");
	expect_of(run_around, "slow spans (1.00 us and above: 5.20 us, 8 of 168) spend 4.95 us more on the "
			      "CPU in scan_line; 8 of the 8 have it\n"
			      "spend 4.95 us more on the CPU in scan_line |  (0) | called by parse, "
			      "flush_log, serve | 1.01068 of own 4947.15\n");
	expect_of(run_mostly, "slow spans (1.00 us and above: 5.20 us, 8 of 168) spend 4.95 us more on the "
			      "CPU in parse, 61% of it in scan_line; 8 of the 8 have it\n"
			      "spend 4.95 us more on the CPU in parse, 61% of it in scan_line |  (0) | "
			      "called by handle | 0.60641 of own 4947.15\n");
	expect_of(run_system, "slow spans (1.00 us and above: 5.20 us, 8 of 168) spend 4.95 us more on the "
			      "CPU in parse, by __lll_lock_wake; 8 of the 8 have it\n"
			      "spend 4.95 us more on the CPU in parse, by __lll_lock_wake |  (0) | called by "
			      "handle | 1.01068 of own 4947.15\n");
	expect_of(run_system_call, "slow spans (1.00 us and above: 5.20 us, 8 of 168) spend 4.95 us more on "
				   "the CPU in parse, by the system call write; 8 of the 8 have it\n"
				   "spend 4.95 us more on the CPU in parse, by the system call write |  (0) "
				   "| called by handle | 1.01068 of own 4947.15\n");
	expect_of(run_in_faults,
		  "slow spans (1.00 us and above: 5.20 us, 8 of 168) spend 5.00 us more in page faults in "
		  "parse; 8 of the 8 have it\n"
		  "spend 5.00 us more in page faults in parse |  (0) | called by handle | 1 of own 5000\n");
	expect_of(run_unseen, "slow spans (1.00 us and above: 5.20 us, 8 of 168) spend 4.95 us more without "
			      "waits and without samples on the CPU: a virtual machine was stopped, or "
			      "records are missing; 8 of the 8 have it\n"
			      "spend 4.95 us more without waits and without samples on the CPU: a virtual "
			      "machine was stopped, or records are missing |  (0) |  | 0 of own 4947.15\n");
	expect_of(run_usual, "slow spans (1.00 us and above: 5.20 us, 8 of 168) spend 4.95 us more on the "
			     "CPU in write_log; 8 of the 8 have it\n"
			     "spend 4.95 us more on the CPU in write_log |  (0) | called by handle | "
			     "0.960149 of own 4947.15\n");
	expect_of(run_faults_and_ready,
		  "slow spans (1.00 us and above: 5.20 us, 8 of 168) spend 2.50 us more in page faults in "
		  "parse, and so are ready for 423.9 ns longer, as the CPUs are busy; 8 of the 8 have it\n"
		  "spend 2.50 us more in page faults in parse, and so are ready for 423.9 ns longer, as the "
		  "CPUs are busy |  (0) | called by handle | 1 of own 2500\n"
		  "wait 1.29 us longer for something that is not known |  (0) |  | 0 of own 1290\n"
		  "are ready, but do not run, for 900.3 ns longer |  (0) |  | 0 of own 900.327\n");
	expect_of(run_rare, "slow spans (1.00 us and above: 5.20 us, 8 of 168) spend 4.95 us more on the CPU "
			    "in parse, by write_log; 8 of the 8 have it\n"
			    "spend 4.95 us more on the CPU in parse, by write_log |  (0) | called by handle "
			    "| 1.01068 of own 4947.15\n");
	expect_of(run_two, "slow spans (1.00 us and above: 5.20 us, 8 of 168) spend 4.95 us more on the CPU "
			   "in handle, 51% of it in scan_line; 8 of the 8 have it\n"
			   "spend 4.95 us more on the CPU in handle, 51% of it in scan_line |  (0) | called "
			   "by serve | 0.505341 of own 4947.15\n");
	begin_events(false);
	put_spans(run_mostly);
	expect_all("slow spans (1.00 us and above: 5.20 us, 8 of 168) spend 4.75 us more on the CPU in "
		   "parse, 63% of it in scan_line; 8 of the 8 have it\n"
		   "spend 4.75 us more on the CPU in parse, 63% of it in scan_line |  (0) | called by handle "
		   "| 0.631579 of own 4750\n"
		   "are off the CPU for 197.2 ns longer; why was not recorded |  (0) |  | 0 of own 197.15\n");
}

/* ---- waits ---- */

static void put_holder_wait(u64 at, const struct wait_detail *d, u64 addr, u64 begin, u64 end)
{
	const struct wait_span span = { at + begin, at + end, at + end };

	waits__details(&w, WAITS, HOLDER, at + end, addr, d, &span, 1);
}

static void put_lock(u64 at)
{
	const struct wait_detail ended = { .futex_op = PRIVATE_WAIT, .place = 7 };
	const u64 db = (u64)(uintptr_t)&db_lock;

	USER_CHAIN(IN(lll_lock_wait), IN(write_log), IN(parse), IN(handle), IN(serve));
	waits__lock(&w, A, at + 10, at + 5010, at + 5010, db, HOLDER, 7);
	USER_CHAIN(IN(__lll_lock_wake), IN(flush_log), IN(serve));
	waits__details(&w, ENDED, HOLDER, at + 5010, db, &ended, NULL, 0);
}

static void put_lock_ready(u64 at)
{
	waits__chain(&w, (const u64[]){ 0 });
	waits__ready(&w, HOLDER, at + 5000, at + 100, at + 5000);
	put_lock(at);
}

static void put_lock_runs(u64 at)
{
	USER_CHAIN(IN(scan_line), IN(flush_log), IN(serve));
	waits__run(&w, HOLDER, at + 2000);
	waits__run(&w, HOLDER, at + 3000);
	put_lock(at);
}

static void put_lock_faults(u64 at)
{
	CHAIN(PERF_CONTEXT_KERNEL, kernel("clear_page"), kernel("exc_page_fault"), PERF_CONTEXT_USER,
	      IN(scan_line), IN(flush_log), IN(serve));
	waits__run(&w, HOLDER, at + 2000);
	put_lock(at);
}

static void put_lock_lock(u64 at)
{
	const struct wait_detail d = {
		.futex_op = PRIVATE_WAIT, .flags = BY_FUTEX, .pid = WAITS_PID, .tid = B
	};

	USER_CHAIN(IN(lll_lock_wait), IN(write_log), IN(flush_log), IN(serve));
	put_holder_wait(at, &d, (u64)(uintptr_t)&log_lock, 100, 4000);
	put_lock(at);
}

static void put_lock_pipe(u64 at)
{
	const struct wait_detail d = {
		.futex_op = NO_FUTEX, .flags = WOKEN_BY_THREAD, .pid = WAITS_PID, .tid = B
	};

	CHAIN(PERF_CONTEXT_KERNEL, kernel("schedule"), kernel("pipe_write"), kernel("__x64_sys_write"),
	      PERF_CONTEXT_USER, IN(scan_line), IN(flush_log), IN(serve));
	put_holder_wait(at, &d, 0, 100, 2900);
	put_lock(at);
}

/* half of the time in each of two */
static void put_lock_mixed(u64 at)
{
	const struct wait_detail d = { .futex_op = NO_FUTEX };

	CHAIN(PERF_CONTEXT_KERNEL, kernel("schedule"), kernel("pipe_write"), kernel("__x64_sys_write"),
	      PERF_CONTEXT_USER, IN(scan_line), IN(flush_log), IN(serve));
	put_holder_wait(at, &d, 0, 10, 2000);
	CHAIN(PERF_CONTEXT_KERNEL, kernel("schedule"), kernel("do_nanosleep"), PERF_CONTEXT_USER,
	      IN(scan_line), IN(flush_log), IN(serve));
	put_holder_wait(at, &d, 0, 2000, 4000);
	put_lock(at);
}

static void put_condition(u64 at)
{
	const struct wait_detail ended = { .futex_op = PRIVATE_WAIT, .place = 7 };
	const u64 db = (u64)(uintptr_t)&db_lock;

	USER_CHAIN(IN(pthread_cond_wait_common), IN(write_log), IN(parse), IN(serve));
	waits__lock(&w, A, at + 10, at + 5010, at + 5010, db, HOLDER, 7);
	USER_CHAIN(IN(__lll_lock_wake), IN(flush_log), IN(serve));
	waits__details(&w, ENDED, HOLDER, at + 5010, db, &ended, NULL, 0);
}

static void put_pipe(u64 at)
{
	CHAIN(PERF_CONTEXT_KERNEL, kernel("schedule"), kernel("pipe_write"), kernel("__x64_sys_write"),
	      PERF_CONTEXT_USER, IN(scan_line), IN(parse), IN(handle), IN(serve));
	waits__wait(&w, A, at + 10, at + 3010, at + 3010, HOLDER, WOKEN_BY_THREAD);
	waits__wait(&w, A, at + 3010, at + 5010, at + 5010, B, WOKEN_BY_THREAD);
}

static void put_sleep(u64 at)
{
	CHAIN(PERF_CONTEXT_KERNEL, kernel("schedule"), kernel("do_nanosleep"), PERF_CONTEXT_USER, IN(parse),
	      IN(handle), IN(serve));
	waits__wait(&w, A, at + 10, at + 5010, at + 5010, 0, 0);
}

/* Two of the same time: the first one comes first. */
static void put_two(u64 at)
{
	CHAIN(PERF_CONTEXT_KERNEL, kernel("schedule"), kernel("do_nanosleep"), PERF_CONTEXT_USER, IN(parse),
	      IN(handle), IN(serve));
	waits__wait(&w, A, at + 10, at + 2510, at + 2510, 0, 0);
	CHAIN(PERF_CONTEXT_KERNEL, kernel("schedule"), kernel("pipe_write"), PERF_CONTEXT_USER, IN(scan_line),
	      IN(handle), IN(serve));
	waits__wait(&w, A, at + 2510, at + 5010, at + 5010, 0, 0);
}

/* Half of the time in the pipe, which is enough; the rest in several. */
static void put_lock_half(u64 at)
{
	const struct wait_detail d = { .futex_op = NO_FUTEX };

	CHAIN(PERF_CONTEXT_KERNEL, kernel("schedule"), kernel("pipe_write"), kernel("__x64_sys_write"),
	      PERF_CONTEXT_USER, IN(scan_line), IN(flush_log), IN(serve));
	put_holder_wait(at, &d, 0, 10, 2510);
	CHAIN(PERF_CONTEXT_KERNEL, kernel("schedule"), kernel("do_nanosleep"), PERF_CONTEXT_USER,
	      IN(scan_line), IN(flush_log), IN(serve));
	put_holder_wait(at, &d, 0, 2510, 4000);
	put_lock(at);
}

/* Two threads end half of the time each; and less than half is no one's. */
static void put_enders(u64 at, u64 first)
{
	CHAIN(PERF_CONTEXT_KERNEL, kernel("schedule"), kernel("pipe_write"), PERF_CONTEXT_USER, IN(scan_line),
	      IN(handle), IN(serve));
	waits__wait(&w, A, at + 10, at + 10 + first, at + 10 + first, HOLDER, WOKEN_BY_THREAD);
	waits__wait(&w, A, at + 10 + first, at + 3500, at + 3500, B, WOKEN_BY_THREAD);
	waits__wait(&w, A, at + 3500, at + 5010, at + 5010, 0, 0);
}

static void put_half_enders(u64 at)
{
	put_enders(at, 2500);
}

/* The first one of equal ones. */
static void put_equal_enders(u64 at)
{
	CHAIN(PERF_CONTEXT_KERNEL, kernel("schedule"), kernel("pipe_write"), PERF_CONTEXT_USER, IN(scan_line),
	      IN(handle), IN(serve));
	waits__wait(&w, A, at + 10, at + 2510, at + 2510, HOLDER, WOKEN_BY_THREAD);
	waits__wait(&w, A, at + 2510, at + 5010, at + 5010, B, WOKEN_BY_THREAD);
}

static void put_few_enders(u64 at)
{
	put_enders(at, 2400);
}

static void put_ready(u64 at)
{
	waits__chain(&w, (const u64[]){ 0 });
	waits__ready(&w, A, at + 5010, at + 10, at + 5010);
}

static void the_functions_of_waits(void **state)
{
	(void)state;
	expect_of(put_lock, "slow spans (1.00 us and above: 5.20 us, 8 of 168) wait 5.00 us longer for mutex "
			    "db_lock, held by flush_log of thread holder; 8 of the 8 have it\n"
			    "wait 5.00 us longer for mutex db_lock, held by flush_log of thread holder |  "
			    "(0) | in write_log, called by parse, handle | 1 of own 5000\n");
	expect_of(put_lock_ready,
		  "slow spans (1.00 us and above: 5.20 us, 8 of 168) wait 5.00 us longer for mutex db_lock, "
		  "held by flush_log of thread holder; it was ready, but did not run meanwhile; 8 of the 8 "
		  "have it\n"
		  "wait 5.00 us longer for mutex db_lock, held by flush_log of thread holder | it was ready, "
		  "but did not run (0.98) | in write_log, called by parse, handle | 1 of own 5000\n");
	expect_of(put_lock_runs,
		  "slow spans (1.00 us and above: 5.20 us, 8 of 168) wait 5.00 us longer for mutex db_lock, "
		  "held by flush_log of thread holder; it was on the CPU in scan_line meanwhile; 8 of the 8 "
		  "have it\n"
		  "wait 5.00 us longer for mutex db_lock, held by flush_log of thread holder | it was on the "
		  "CPU in scan_line (1) | in write_log, called by parse, handle | 1 of own 5000\n");
	expect_of(put_lock_faults,
		  "slow spans (1.00 us and above: 5.20 us, 8 of 168) wait 5.00 us longer for mutex db_lock, "
		  "held by flush_log of thread holder; it was in page faults in scan_line meanwhile; 8 of "
		  "the 8 have it\n"
		  "wait 5.00 us longer for mutex db_lock, held by flush_log of thread holder | it was in "
		  "page faults in scan_line (1) | in write_log, called by parse, handle | 1 of own 5000\n");
	expect_of(put_lock_lock, "slow spans (1.00 us and above: 5.20 us, 8 of 168) wait 5.00 us longer for "
				 "mutex db_lock, held by flush_log of thread holder; it waited for mutex "
				 "log_lock, held by thread second meanwhile; 8 of the 8 have it\n"
				 "wait 5.00 us longer for mutex db_lock, held by flush_log of thread holder "
				 "| it waited for mutex log_lock, held by thread second (0.78) | in "
				 "write_log, called by parse, handle | 1 of own 5000\n");
	expect_of(put_lock_pipe,
		  "slow spans (1.00 us and above: 5.20 us, 8 of 168) wait 5.00 us longer for mutex db_lock, "
		  "held by flush_log of thread holder; it waited for a pipe in scan_line meanwhile; 8 of the "
		  "8 have it\n"
		  "wait 5.00 us longer for mutex db_lock, held by flush_log of thread holder | it waited for "
		  "a pipe in scan_line (0.56) | in write_log, called by parse, handle | 1 of own 5000\n");
	expect_of(put_lock_mixed, "slow spans (1.00 us and above: 5.20 us, 8 of 168) wait 5.00 us longer for "
				  "mutex db_lock, held by flush_log of thread holder; 8 of the 8 have it\n"
				  "wait 5.00 us longer for mutex db_lock, held by flush_log of thread holder "
				  "|  (0.4) | in write_log, called by parse, handle | 1 of own 5000\n");
	expect_of(put_condition,
		  "slow spans (1.00 us and above: 5.20 us, 8 of 168) wait 5.00 us longer for condition "
		  "variable db_lock, signalled by flush_log of thread holder; 8 of the 8 have it\n"
		  "wait 5.00 us longer for condition variable db_lock, signalled by flush_log of thread "
		  "holder |  (0) | in write_log, called by parse, serve | 1 of own 5000\n");
	expect_of(put_pipe, "slow spans (1.00 us and above: 5.20 us, 8 of 168) wait 5.00 us longer for a "
			    "pipe in scan_line, ended by thread holder; 8 of the 8 have it\n"
			    "wait 5.00 us longer for a pipe in scan_line, ended by thread holder |  (0) | "
			    "called by parse, handle | 1 of own 5000\n");
	expect_of(put_two,
		  "slow spans (1.00 us and above: 5.20 us, 8 of 168) sleep 2.50 us longer in parse; 8 of the "
		  "8 have it\n"
		  "sleep 2.50 us longer in parse |  (0) | called by handle | 1 of own 2500\n"
		  "wait 2.50 us longer for a pipe in scan_line |  (0) | called by handle | 1 of own 2500\n");
	expect_of(put_lock_half,
		  "slow spans (1.00 us and above: 5.20 us, 8 of 168) wait 5.00 us longer for mutex db_lock, "
		  "held by flush_log of thread holder; it waited for a pipe in scan_line meanwhile; 8 of the "
		  "8 have it\n"
		  "wait 5.00 us longer for mutex db_lock, held by flush_log of thread holder | it waited for "
		  "a pipe in scan_line (0.5) | in write_log, called by parse, handle | 1 of own 5000\n");
	expect_of(put_half_enders, "slow spans (1.00 us and above: 5.20 us, 8 of 168) wait 5.00 us longer "
				   "for a pipe in scan_line, ended by thread holder; 8 of the 8 have it\n"
				   "wait 5.00 us longer for a pipe in scan_line, ended by thread holder |  "
				   "(0) | called by handle | 1 of own 5000\n");
	expect_of(put_equal_enders, "slow spans (1.00 us and above: 5.20 us, 8 of 168) wait 5.00 us longer "
				    "for a pipe in scan_line, ended by thread holder; 8 of the 8 have it\n"
				    "wait 5.00 us longer for a pipe in scan_line, ended by thread holder |  "
				    "(0) | called by handle | 1 of own 5000\n");
	expect_of(put_few_enders,
		  "slow spans (1.00 us and above: 5.20 us, 8 of 168) wait 5.00 us longer for a pipe in "
		  "scan_line; 8 of the 8 have it\n"
		  "wait 5.00 us longer for a pipe in scan_line |  (0) | called by handle | 1 of own 5000\n");
	expect_of(put_sleep, "slow spans (1.00 us and above: 5.20 us, 8 of 168) sleep 5.00 us longer in "
			     "parse; 8 of the 8 have it\n"
			     "sleep 5.00 us longer in parse |  (0) | called by handle | 1 of own 5000\n");
	expect_of(put_ready, "slow spans (1.00 us and above: 5.20 us, 8 of 168) are ready, but do not run, "
			     "for 5.00 us longer; 8 of the 8 have it\n"
			     "are ready, but do not run, for 5.00 us longer |  (0) |  | 0 of own 5000\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_on_the_cpu),
		cmocka_unit_test(samples_share_the_time),
		cmocka_unit_test(chains_of_stack_copies),
		cmocka_unit_test(waits_for_locks),
		cmocka_unit_test(waits_of_threads),
		cmocka_unit_test(ready_time_is_divided),
		cmocka_unit_test(a_holder_that_waits),
		cmocka_unit_test(holders_that_jumped),
		cmocka_unit_test(functions_of_libraries),
		cmocka_unit_test(a_lock_from_hand_to_hand),
		cmocka_unit_test(the_functions_of_time_on_the_cpu),
		cmocka_unit_test(the_functions_of_waits),
	};

	return cmocka_run_group_tests(tests, write_kallsyms, remove_kallsyms);
}
