#include "profile/gather/read_locks.h"

#include "profile/gather/lock_names.h"
#include "profile/gather/unwound.h"
#include "profile/rows/sample_row.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>

enum { MAX_STACK = 1024 /* frames to unwind from a stack copy, as many as of reports */ };

struct futex {     /* an address in a process, or in memory that processes share */
	u64 space; /* which memory: of a process, a file, or a family of forks */
	u64 addr;
	const struct maps *maps; /* of who waited there first; NULL: unknown */
	u32 rank;
	u64 first_time;
	u32 first_row; /* of reading.waits: the first wait for it as a lock; UINT32_MAX: none */
	u32 head;      /* the lock that it is part of: a futex with a lower address, or itself */
	u32 name;      /* text id, without the kind; TEXT_UNKNOWN: not looked up yet */
};

struct pending { /* of a lock_wait */
	struct wait_detail detail;
	u32 row;   /* of reading.waits; UINT32_MAX: of ended-waits */
	u32 futex; /* UINT32_MAX: none */
	u32 comm;  /* of who woke it, as row_key.comm */
};

struct waking_place {
	u64 place;
	u32 row; /* of reading.wakings */
};

struct row_wait { /* what the functions of a row of waits tell */
	struct wait wait;
	bool is_glibc; /* its lock has several futexes */
	u32 place;     /* text id: where it waits; 0: no name */
};

struct named_place { /* a place that names locks */
	u32 place;   /* text id */
	enum lock_kind kind;
	u32 nr; /* locks */
};

struct reading {
	struct locks *locks;
	struct session *session;
	struct machine_cursor cursor;
	struct unwound unwound;
	struct lock_names names;
	struct row_table waits, wakings;
	ARRAY(struct row_wait) of_rows; /* by row of waits */
	ARRAY(u32) facts;               /* by row of wakings */
	ARRAY(struct futex) futexes;
	struct hash_table by_addr, by_place;
	ARRAY(struct waking_place) places;
	ARRAY(struct pending) pending; /* parallel to locks.v */
	ARRAY(struct named_place) named;
	struct strbuf text;
};

enum { NO_ROW = UINT32_MAX, NO_FUTEX_ID = UINT32_MAX, TEXT_UNKNOWN = UINT32_MAX };
enum { FUTEX_PRIVATE = 128 };              /* FUTEX_PRIVATE_FLAG */
enum { OF_FILE = 1, OF_FAMILY, OF_SPACE }; /* upper bits of futex.space */

/* Return the space of memory that a process shares with those that it was forked from. */
static const struct maps *maps__family(const struct maps *maps)
{
	while (maps->parent && !maps->parent_end)
		maps = maps->parent;
	return maps;
}

/* Identify the memory that an address is in. *addr becomes the address there. */
static u64 reading__space(struct reading *r, const struct maps *maps, u32 pid, u32 op, u64 *addr)
{
	const struct map *map;
	struct dso_addr at;

	if (!maps)
		return (u64)OF_SPACE << 32 | pid | 1ull << 40;
	if (op == NO_FUTEX || op & FUTEX_PRIVATE)
		return (u64)OF_SPACE << 32 | maps->idx;
	map = machine__resolve(&r->session->machine, maps, r->cursor.rank, PERF_RECORD_MISC_USER, *addr, &at);
	if (!map || at.dso == DSO_IDX_NONE)
		return (u64)OF_FAMILY << 32 | maps__family(maps)->idx;
	*addr = at.addr;
	return (u64)OF_FILE << 32 | at.dso;
}

static u32 reading__futex(struct reading *r, const struct sample *s, const struct wait_detail *d)
{
	const struct maps *maps = machine_cursor__thread(&r->cursor, s->pid, s->tid)->maps;
	struct futex f = { .addr = s->addr, .maps = maps, .rank = r->cursor.rank };
	u64 hash;
	u32 i;

	if (!s->addr)
		return NO_FUTEX_ID;
	f.space = reading__space(r, maps, s->pid, d->futex_op, &f.addr);
	hash = hash__add(hash__u64(f.space), f.addr);
	hash_table__for_each (&r->by_addr, hash, i)
		if (r->futexes.v[i].addr == f.addr && r->futexes.v[i].space == f.space)
			return i;
	i = (u32)r->futexes.nr;
	hash_table__insert(&r->by_addr, hash, i);
	f.first_time = UINT64_MAX;
	f.first_row = NO_ROW;
	f.head = i;
	f.name = TEXT_UNKNOWN;
	array__add(&r->futexes, f);
	return i;
}

static u32 reading__row(struct reading *r, struct row_table *rows, const struct sample *s,
			const struct record *record)
{
	const struct thread_state *t = machine_cursor__thread(&r->cursor, s->pid, s->tid);
	struct row_sample row = { .nr = 1, .time = s->time, .offset = record->offset };
	struct row_key key = sample__row_key(s, t, &r->cursor, &r->session->machine);
	const u64 *chain = s->callchain;
	static const struct row_extra none;
	static const u64 no_chain;

	row.rank = r->cursor.rank;
	row.thread = t->thread;
	key.comm = 0;
	key.event = 0;
	key.nr_chain = chain ? (u32)s->nr_callchain : 0;
	if (!chain)
		chain = &no_chain;
	return row_table__count(rows, row_key__hash(&key, chain, &none), &key, chain, &none, &row);
}

static struct waking_place *reading__place(struct reading *r, u64 place)
{
	u64 hash = hash__u64(place);
	u32 i;

	hash_table__for_each (&r->by_place, hash, i)
		if (r->places.v[i].place == place)
			return &r->places.v[i];
	return NULL;
}

/* Has the process run code of user space? Its threads have no registers any more when they exit. */
static bool reading__is_process(struct reading *r, u32 pid, u32 tid)
{
	const struct maps *maps = machine_cursor__thread(&r->cursor, pid, tid)->maps;

	while (maps && !maps->v.nr)
		maps = maps->parent;
	return maps;
}

static void reading__unwind(struct reading *r, struct sample *s)
{
	const struct maps *maps = machine_cursor__thread(&r->cursor, s->pid, s->tid)->maps;

	unwound__complete_chain(&r->unwound, s, maps, r->cursor.rank);
}

static void reading__sample(void *ctx, const struct record *record)
{
	struct reading *r = ctx;
	struct pending p = { .row = NO_ROW };
	enum wait_event event;
	struct sample s;
	u32 waking;

	if (sample__decode(&r->session->decoder, record, &s))
		return;
	event = evsel__wait_event(s.evsel);
	if ((event != WAIT_EVENT_OFF_CPU && event != WAIT_EVENT_ENDED) || !s.raw ||
	    !wait_detail__decode(&p.detail, s.raw, s.raw_size, s.time, r->session->reader->needs_swap))
		return;
	machine_cursor__seek(&r->cursor, session__time(r->session, &s, record));
	p.futex = reading__futex(r, &s, &p.detail);
	p.comm = machine_cursor__thread(&r->cursor, p.detail.pid, p.detail.tid)->comm;
	if (p.detail.flags & WOKEN_BY_KERNEL && reading__is_process(r, p.detail.pid, p.detail.tid))
		p.detail.flags &= ~(u32)WOKEN_BY_KERNEL;
	reading__unwind(r, &s);
	if (event == WAIT_EVENT_OFF_CPU) {
		p.row = reading__row(r, &r->waits, &s, record);
	} else if (p.detail.place && !reading__place(r, p.detail.place)) {
		waking = reading__row(r, &r->wakings, &s, record);
		hash_table__insert(&r->by_place, hash__u64(p.detail.place), (u32)r->places.nr);
		array__add(&r->places, ((struct waking_place){ p.detail.place, waking }));
	}
	p.detail.spans = (struct cursor){ 0 }; /* the record is gone later */
	array__add(&r->pending, p);
	array__add(&r->locks->v, ((struct lock_wait){ .time = s.time,
						      .addr = s.addr,
						      .period = s.period,
						      .tid = s.tid,
						      .event = s.evsel->idx,
						      .holder_pid = p.detail.pid,
						      .holder_tid = p.detail.tid }));
}

/* ---- names ---- */

static void reading__name_rows(struct reading *r)
{
	for (size_t i = 0; i < r->waits.rows.nr; i++) {
		struct row_wait w = { .wait = lock_names__wait(&r->names, row_table__get(&r->waits, i)) };

		w.is_glibc = w.wait.lock != LOCK_NONE && lock_names__is_glibc(&r->names, w.wait.nr_inner);
		strbuf__reset(&r->text);
		if (w.wait.lock != LOCK_NONE && lock_names__add_place(&r->names, w.wait.named, &r->text))
			w.place = strpool__intern(&r->locks->texts, r->text.buf);
		array__add(&r->of_rows, w);
	}
	for (size_t i = 0; i < r->wakings.rows.nr; i++)
		array__add(&r->facts, lock_names__facts(&r->names, row_table__get(&r->wakings, i)));
}

/* Note the first waits for futexes, as locks. */
static void reading__find_firsts(struct reading *r)
{
	for (size_t i = 0; i < r->pending.nr; i++) {
		const struct pending *p = &r->pending.v[i];
		struct futex *f = p->futex == NO_FUTEX_ID ? NULL : &r->futexes.v[p->futex];
		u64 time = r->locks->v.v[i].time;

		if (!f || p->row == NO_ROW || time >= f->first_time ||
		    r->of_rows.v[p->row].wait.lock == LOCK_NONE)
			continue;
		f->first_time = time;
		f->first_row = p->row;
	}
}

struct futex_order { /* of futexes */
	u64 space, addr;
	u32 futex;
};

static int compare_futexes(const void *x, const void *y)
{
	const struct futex_order *a = x, *b = y;

	if (a->space != b->space)
		return a->space < b->space ? -1 : 1;
	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

/* Return how many bytes from the first one the futexes of one lock are apart at most. */
static u64 futex__reach(const struct reading *r, const struct futex *f)
{
	const struct row_wait *w = f->first_row == NO_ROW ? NULL : &r->of_rows.v[f->first_row];

	if (!w || !w->is_glibc)
		return 0;
	return w->wait.lock == LOCK_RWLOCK ? 12 : w->wait.lock == LOCK_CONDITION ? 4 : 0;
}

static enum lock_kind futex__kind(const struct reading *r, const struct futex *f)
{
	return f->first_row == NO_ROW ? LOCK_NONE : r->of_rows.v[f->first_row].wait.lock;
}

/* Waiters of one rwlock, or of one condition variable, of the C library wait at two or three addresses. */
static void reading__join_futexes(struct reading *r)
{
	ARRAY(struct futex_order) order = { .v = NULL };
	struct futex *head = NULL;

	for (size_t i = 0; i < r->futexes.nr; i++)
		array__add(&order,
			   ((struct futex_order){ r->futexes.v[i].space, r->futexes.v[i].addr, (u32)i }));
	if (order.nr)
		qsort(order.v, order.nr, sizeof(*order.v), compare_futexes);
	for (size_t i = 0; i < order.nr; i++) {
		struct futex *f = &r->futexes.v[order.v[i].futex];

		if (!head || head->space != f->space || f->addr - head->addr > futex__reach(r, head) ||
		    futex__kind(r, f) != futex__kind(r, head)) {
			head = f;
			continue;
		}
		f->head = head->head;
		if (f->first_time < head->first_time) {
			head->first_time = f->first_time;
			head->first_row = f->first_row;
		}
	}
	array__exit(&order);
}

static void add_hex(struct strbuf *sb, u64 value)
{
	strbuf__addf(sb, "0x%llx", (unsigned long long)value);
}

/* Append the place that waited for a lock first. Several locks of one place are numbered. */
static void reading__add_first_place(struct reading *r, const struct futex *f, u32 place)
{
	enum lock_kind kind = futex__kind(r, f);
	struct named_place *n = NULL;

	for (size_t i = 0; i < r->named.nr && !n; i++)
		if (r->named.v[i].place == place && r->named.v[i].kind == kind)
			n = &r->named.v[i];
	if (!n) {
		array__add(&r->named, ((struct named_place){ place, kind, 0 }));
		n = &r->named.v[r->named.nr - 1];
	}
	strbuf__addf(&r->text, "of %s", locks__text(r->locks, place));
	if (n->nr++)
		strbuf__addf(&r->text, " #%u", n->nr);
}

/* Return the text of what a lock is called, after its kind: " pool.lock", " of worker (app.c:42)". */
static u32 reading__futex_name(struct reading *r, u32 id)
{
	struct futex *f = &r->futexes.v[r->futexes.v[id].head];
	u32 place = f->first_row == NO_ROW ? 0 : r->of_rows.v[f->first_row].place;

	if (f->name != TEXT_UNKNOWN)
		return f->name;
	strbuf__reset(&r->text);
	strbuf__addstr(&r->text, " ");
	if (f->space >> 32 == OF_FILE || !f->maps ||
	    !lock_names__add_variable(&r->names, f->maps, f->rank, f->addr, &r->text)) {
		if (place)
			reading__add_first_place(r, f, place);
		else
			add_hex(&r->text, f->addr);
	}
	return f->name = strpool__intern(&r->locks->texts, r->text.buf);
}

static void add_thread(struct strbuf *sb, const struct reading *r, const struct pending *p)
{
	if (p->comm == COMM_UNKNOWN)
		strbuf__addf(sb, ":%u", p->detail.tid);
	else
		strbuf__addstr(sb, machine__str(&r->session->machine, p->comm));
}

/* Return the text id of a lock. */
static u32 reading__lock_text(struct reading *r, const struct pending *p, const struct row_wait *w,
			      enum waker_role role)
{
	u32 name = 0;

	if (w->wait.lock == LOCK_NONE)
		return 0;
	if (w->wait.lock < LOCK_KERNEL_MUTEX && w->wait.lock != LOCK_THREAD && !w->wait.is_own &&
	    p->futex != NO_FUTEX_ID)
		name = reading__futex_name(r, p->futex);
	strbuf__reset(&r->text);
	strbuf__addstr(&r->text, lock_kind__name(w->wait.lock));
	if (name) {
		strbuf__addstr(&r->text, locks__text(r->locks, name));
	} else if (w->wait.lock == LOCK_THREAD) {
		if (role == ROLE_ENDED) {
			strbuf__addstr(&r->text, " ");
			add_thread(&r->text, r, p);
		}
	} else if (w->place) {
		strbuf__addf(&r->text, "%s%s", w->wait.lock < LOCK_KERNEL_MUTEX ? " of " : " in ",
			     locks__text(r->locks, w->place));
	}
	return strpool__intern(&r->locks->texts, r->text.buf);
}

static const char *interrupt__source(u32 facts)
{
	return facts & WAKER_DISK      ? " (disk)"
	       : facts & WAKER_NETWORK ? " (network)"
	       : facts & WAKER_TIMER   ? " (timer)"
				       : "";
}

/* Return the text id of who ended a wait. */
static u32 reading__holder_text(struct reading *r, const struct pending *p, enum waker_role role, u32 facts)
{
	strbuf__reset(&r->text);
	strbuf__addstr(&r->text, waker_role__words(role));
	if (role == ROLE_INTERRUPT)
		strbuf__addstr(&r->text, interrupt__source(facts));
	else if (role != ROLE_UNKNOWN)
		add_thread(&r->text, r, p);
	if (role != ROLE_INTERRUPT && role != ROLE_UNKNOWN && role != ROLE_KERNEL_THREAD)
		strbuf__addf(&r->text, " %u", p->detail.tid);
	return strpool__intern(&r->locks->texts, r->text.buf);
}

static void reading__name(struct reading *r, size_t i)
{
	const struct pending *p = &r->pending.v[i];
	struct lock_wait *l = &r->locks->v.v[i];
	const struct futex *head =
		p->futex == NO_FUTEX_ID ? NULL : &r->futexes.v[r->futexes.v[p->futex].head];
	u32 row = p->row != NO_ROW ? p->row : head ? head->first_row : NO_ROW;
	const struct waking_place *place = p->detail.place ? reading__place(r, p->detail.place) : NULL;
	u32 facts = place ? r->facts.v[place->row] : 0;
	const struct row_wait *w = row == NO_ROW ? NULL : &r->of_rows.v[row];
	bool is_wait = p->row != NO_ROW && w->wait.kind != WAIT_RUNNABLE && w->wait.kind != WAIT_FOR_EVER;
	enum waker_role role = is_wait ? waker_role__of(&p->detail, w->wait.lock, facts) : ROLE_UNKNOWN;

	if (w) {
		l->kind = (u8)w->wait.kind;
		l->lock_kind = (u8)w->wait.lock;
		l->lock = reading__lock_text(r, p, w, role);
	}
	if (head && w && w->wait.lock != LOCK_NONE && w->wait.lock < LOCK_KERNEL_MUTEX)
		l->lock_nr = r->futexes.v[p->futex].head + 1;
	if (is_wait)
		l->holder = reading__holder_text(r, p, role, facts);
	l->role = (u8)role;
	if (role == ROLE_UNKNOWN || role == ROLE_INTERRUPT)
		l->holder_pid = l->holder_tid = 0;
}

static void reading__exit(struct reading *r)
{
	unwound__exit(&r->unwound);
	lock_names__exit(&r->names);
	row_table__exit(&r->waits);
	row_table__exit(&r->wakings);
	array__exit(&r->of_rows);
	array__exit(&r->facts);
	array__exit(&r->futexes);
	array__exit(&r->places);
	array__exit(&r->pending);
	array__exit(&r->named);
	hash_table__exit(&r->by_addr);
	hash_table__exit(&r->by_place);
	strbuf__exit(&r->text);
}

int locks__read(struct locks *l, struct session *s, struct err *err)
{
	struct reading r = { .locks = l,
			     .session = s,
			     .by_addr = HASH_TABLE_INIT,
			     .by_place = HASH_TABLE_INIT,
			     .text = STRBUF_INIT };
	int ret;

	locks__exit(l); /* what another call found */
	strpool__init(&l->texts);
	machine_cursor__init(&r.cursor, &s->machine);
	unwound__init(&r.unwound, s, MAX_STACK);
	lock_names__init(&r.names, s);
	row_table__init(&r.waits, true);
	row_table__init(&r.wakings, true);
	ret = session__each_sample(s, reading__sample, &r, err);
	row_table__end(&r.waits);
	row_table__end(&r.wakings);
	if (!ret) {
		reading__name_rows(&r);
		reading__find_firsts(&r);
		reading__join_futexes(&r);
		for (size_t i = 0; i < r.pending.nr; i++)
			reading__name(&r, i);
	}
	locks__sort(l);
	reading__exit(&r);
	if (!ret && !l->v.nr)
		ret = err__set(
			err, -ENOENT,
			"'%s' does not say which locks threads waited for; record with --off-cpu=locks",
			s->reader->path);
	return ret;
}

int locks__read_any(struct locks *l, struct session *s, struct err *err)
{
	struct err why = ERR_INIT;
	int ret = locks__read(l, s, &why);

	if (ret == -ENOENT)
		ret = 0;
	else if (ret)
		err__set(err, ret, "%s", why.text.buf);
	err__exit(&why);
	return ret;
}
