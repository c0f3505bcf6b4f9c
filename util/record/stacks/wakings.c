#include "record/stacks/wakings.h"

#include "base/system/clock.h"
#include "event/evsel/event_request.h"
#include "event/parse/parse.h"
#include "event/tracepoint/trace_fields.h"
#include "event/tracepoint/tracefs.h"
#include "format/records/build.h"
#include "live/checks.h"
#include "live/counter.h"
#include "live/facts.h"
#include "live/proc.h"
#include "unwind/unwind.h"

#include <elf.h>
#include <errno.h>
#include <linux/futex.h>
#include <string.h>

/* The first arguments of system calls, as perf numbers registers (asm/perf_regs.h; man 2 syscall). */
static const struct call_args {
	u16 machine;
	u8 first, second, third;
} call_args[] = {
	{ EM_X86_64, 5, 4, 3 },  /* rdi, rsi, rdx */
	{ EM_386, 1, 2, 3 },     /* ebx, ecx, edx */
	{ EM_AARCH64, 0, 1, 2 }, /* x0, x1, x2 */
	{ EM_ARM, 0, 1, 2 },     /* r0, r1, r2 */
};

static const struct call_args *call_args__of(const struct unwind_arch *arch)
{
	for (size_t i = 0; arch && i < ARRAY_SIZE(call_args); i++)
		if (call_args[i].machine == arch->machine)
			return &call_args[i];
	return NULL;
}

/* ---- the event ---- */

u64 wakings__regs(void)
{
	const struct unwind_arch *arch = unwind_arch__own();
	u64 mask = 0;

	for (const struct unwind_arch *a = arch; a; a = a->compat) {
		const struct call_args *args = call_args__of(a);

		mask |= args ? 1ull << args->first | 1ull << args->second | 1ull << args->third : 0;
	}
	if (arch)
		mask |= 1ull << arch->perf_ip | 1ull << unwind_arch__perf_sp(arch);
	return mask;
}

/* Check whether the kernel lets this user count the tracepoint, as an event of e. */
static int try_to_open(const struct evsel *e, struct err *err)
{
	int ret = counter__try(e->attr, 0, -1);

	return ret ? checks__explain_open(e, ret, 0, err) : 0;
}

int wakings__add_event(struct evlist *l, struct err *err)
{
	static const char event[] = "sched:sched_waking";
	struct evlist parsed;
	struct facts f;
	int ret;

	facts__read(&f, "/proc", "/sys");
	if (f.self.pid_namespace) /* threads have other numbers in the event's payload than in its sample */
		return err__set(err, -EOPNOTSUPP, "%s",
				"in a pid namespace of its own (a container), perf cannot tell which thread "
				"was woken\n"
				"run perf outside of the container, or start it with --pid=host");
	evlist__init(&parsed);
	ret = parse_events(&parsed, event, err);
	if (ret)
		ret = checks__explain_lookup(event, ret, err);
	else
		ret = try_to_open(parsed.evsels.v[0], err);
	if (!ret) {
		struct evsel *e = parsed.evsels.v[0];

		free(e->name);
		e->name = xstrdup("ended-waits");
		e->request->is_waking = true;
		e->request->own_period = true;
		evlist__move(l, &parsed);
	}
	evlist__exit(&parsed);
	return ret;
}

int waking_fields__read(struct waking_fields *f, struct err *err)
{
	struct strbuf mount = STRBUF_INIT, text = STRBUF_INIT;
	struct arena arena = ARENA_INIT;
	struct trace_fields fields = { 0 };
	const struct trace_field *flags = NULL, *pid = NULL;
	int ret = tracefs__find(&mount, err);

	if (!ret && !tracefs__event_format(mount.buf, "sched", "sched_waking", &text) &&
	    trace_fields__parse(&fields, &(struct trace_text){ text.buf, text.len }, sizeof(long), &arena)) {
		flags = trace_fields__find(&fields, "common_flags");
		pid = trace_fields__find(&fields, "pid");
	}
	if (flags && pid && flags->size == 1 && pid->size == 4)
		*f = (struct waking_fields){ flags->offset, pid->offset };
	else if (!ret)
		ret = err__set(err, -EBADMSG, "sched:sched_waking has other fields than expected");
	trace_fields__exit(&fields);
	arena__exit(&arena);
	strbuf__exit(&text);
	strbuf__exit(&mount);
	return ret;
}

/* ---- samples ---- */

/* Get a register by perf's number. Return false if it is not in the sample. */
static bool sample__reg(const struct sample *s, unsigned reg, u64 *value)
{
	u64 mask = s->evsel->attr.sample_regs_user, bit = 1ull << reg;

	if (!s->user_regs || !(mask & bit))
		return false;
	*value = s->user_regs[__builtin_popcountll(mask & (bit - 1))];
	return true;
}

bool sample__find_place(const struct sample *s, struct wait_place *place)
{
	const struct unwind_arch *arch = unwind_arch__own();

	return arch && sample__reg(s, arch->perf_ip, &place->ip) &&
	       sample__reg(s, unwind_arch__perf_sp(arch), &place->sp);
}

/* Get the first arguments of the system call that the thread is in, if it is in one for a futex. */
static bool sample__find_args(const struct sample *s, struct futex_call *call)
{
	const struct unwind_arch *arch = unwind_arch__own();
	const struct call_args *args;
	u64 op, value;

	if (arch && s->user_regs_abi == PERF_SAMPLE_REGS_ABI_32 && arch->compat)
		arch = arch->compat;
	args = call_args__of(arch);
	if (!args || !sample__reg(s, args->first, &call->futex) || !sample__reg(s, args->second, &op) ||
	    !sample__reg(s, args->third, &value))
		return false;
	call->op = (u32)op;
	call->value = (u32)value;
	return op == (u32)op && call->futex && !(call->futex & 3);
}

/* Is the second argument an operation on futexes, one of the set? bit n: operation n */
static bool is_futex_op(u32 op, u32 set)
{
	u32 command = op & FUTEX_CMD_MASK;

	return command < 32 && set >> command & 1;
}

void sample__find_futex(const struct sample *s, struct futex_call *call)
{
	enum { LOCK_PI2 = 13 }; /* since Linux 5.14 */
	const u32 waits = 1u << FUTEX_WAIT | 1u << FUTEX_LOCK_PI | 1u << FUTEX_WAIT_BITSET |
			  1u << FUTEX_WAIT_REQUEUE_PI | 1u << LOCK_PI2;

	if (!sample__find_args(s, call) || !is_futex_op(call->op, waits))
		*call = (struct futex_call){ .op = NO_FUTEX };
}

static u64 futex_woken(const struct sample *s)
{
	const u32 wakes = 1u << FUTEX_WAKE | 1u << FUTEX_REQUEUE | 1u << FUTEX_CMP_REQUEUE |
			  1u << FUTEX_WAKE_OP | 1u << FUTEX_UNLOCK_PI | 1u << FUTEX_WAKE_BITSET;
	struct futex_call call;

	return sample__find_args(s, &call) && is_futex_op(call.op, wakes) ? call.futex : 0;
}

/* Return a number for the kernel's part of a call chain. */
static u64 kernel_chain_hash(const struct sample *s)
{
	u64 hash = 1;

	for (u64 i = 0; i < s->nr_callchain && s->callchain[i] != PERF_CONTEXT_USER; i++)
		hash = hash__add(hash, s->callchain[i]);
	return hash;
}

void waking__be_of_interrupt(struct waking *w)
{
	w->pid = w->tid = w->kernel_place.tid = 0;
	w->place = w->kernel_place;
}

/* Remove what user code did, and the thread, from a sample in an interrupt. It has a call chain, or not. */
void waking__cut_thread(struct perf_event_header *h, const struct sample_decoder *d)
{
	const struct record r = { .header = h };
	u8 *data = (u8 *)h;
	struct sample s;
	size_t start, end;
	u64 nr = 0;

	if (sample__decode(d, &r, &s))
		return;
	memset(data + s.layout->tid, 0, sizeof(u64));
	while (nr < s.nr_callchain && s.callchain[nr] != PERF_CONTEXT_USER)
		nr++;
	if (nr == s.nr_callchain)
		return;
	start = (size_t)((const u8 *)(s.callchain + nr) - data);
	end = (size_t)((const u8 *)(s.callchain + s.nr_callchain) - data);
	memcpy(data + ((const u8 *)(s.callchain - 1) - data), &nr, sizeof(nr));
	memmove(data + start, data + end, h->size - end);
	h->size = (u16)(h->size - (end - start));
}

bool waking__read(struct waking *w, const struct waking_fields *f, const struct sample *s)
{
	enum { IN_HARDIRQ = 0x08, IN_SOFTIRQ = 0x10 }; /* common_flags: linux/trace_events.h */
	const u8 *raw = s->raw;
	u8 flags;

	*w = (struct waking){
		.time = s->time,
		.pid = s->pid,
		.tid = s->tid,
		.kernel_place = { .ip = s->ip, .sp = kernel_chain_hash(s), .tid = s->tid },
	};
	if (!raw || f->flags >= s->raw_size || f->pid + sizeof(w->woken) > s->raw_size)
		return false;
	memcpy(&w->woken, raw + f->pid, sizeof(w->woken));
	flags = raw[f->flags];
	if (flags & IN_HARDIRQ) {
		w->flags = WOKEN_BY_HARDIRQ;
		waking__be_of_interrupt(w);
		return true;
	}
	w->flags = WOKEN_BY_THREAD | (flags & IN_SOFTIRQ ? WOKEN_BY_SOFTIRQ : 0);
	w->place.tid = s->tid;
	if (sample__find_place(s, &w->place))
		w->futex = futex_woken(s);
	else
		w->flags |= WOKEN_BY_KERNEL;
	if (!s->user_regs)
		w->place = w->kernel_place;
	return true;
}

/* ---- names ---- */

enum {
	WAKERS_MAX = 4096, /* with more, all are named again */
};

static struct waker_name *waker_names__find(const struct waker_names *n, u32 tid)
{
	u32 i;

	hash_table__for_each (&n->by_tid, hash__u64(tid), i)
		if (n->v.v[i].tid == tid)
			return &n->v.v[i];
	return NULL;
}

static void waker_names__write(const struct waker_names *n, const struct waker_name *w, struct strbuf *out)
{
	const u64 event = n->event->ids.nr ? n->event->ids.v[0] : 0;
	const struct sample_id id = { .pid = w->pid, .tid = w->tid, .time = w->looked, .id = event };
	struct strbuf trailer = STRBUF_INIT;

	build__comm(out, 0, w->pid, w->tid, w->comm, n->id_size);
	build__trailer(&trailer, n->event, &id);
	if (trailer.len == n->id_size)
		memcpy(out->buf + out->len - trailer.len, trailer.buf, trailer.len);
	strbuf__exit(&trailer);
}

void waker_names__add(struct waker_names *n, u32 pid, u32 tid, u64 time, struct strbuf *out)
{
	struct waker_name *w = waker_names__find(n, tid);
	struct proc_status status;

	if (w && w->pid == pid && time < w->looked + NS_PER_SECOND)
		return;
	if (!w) {
		if (n->v.nr == WAKERS_MAX)
			waker_names__begin_file(n);
		hash_table__insert(&n->by_tid, hash__u64(tid), (u32)n->v.nr);
		w = array__push(&n->v);
		*w = (struct waker_name){ .tid = tid };
	}
	if (w->pid != pid)
		w->comm[0] = '\0';
	w->pid = pid;
	w->looked = time;
	if (proc__status((pid_t)pid, (pid_t)tid, &status) || !strcmp(w->comm, status.comm))
		return;
	memcpy(w->comm, status.comm, sizeof(w->comm));
	waker_names__write(n, w, out);
}

void waker_names__begin_file(struct waker_names *n)
{
	hash_table__exit(&n->by_tid);
	n->v.nr = 0;
}

void waker_names__exit(struct waker_names *n)
{
	hash_table__exit(&n->by_tid);
	array__exit(&n->v);
}
