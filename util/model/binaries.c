#include "model/binaries.h"

#include "base/system/file.h"
#include "binary/symbols/vdso.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

void binaries__exit(struct binaries *b)
{
	array__exit(&b->v);
	hash_table__exit(&b->table);
	arena__exit(&b->names);
}

/* ---- dsos with samples ---- */

enum { SEEN_SLOTS = 1 << 14 };

struct seen_address { /* looked up before; nothing new to learn */
	const struct maps *maps;
	u64 ip;
	u32 version;
};

struct hit_search {
	struct session *s;
	struct machine_cursor cursor;
	struct seen_address *seen;
	bool *hit; /* indexed by dso idx */
};

static void hit_search__address(struct hit_search *h, const struct maps *space, u8 cpumode, u64 ip)
{
	const struct machine *m = &h->s->machine;
	const struct maps *maps = machine__maps(m, space, cpumode);
	struct dso_addr at;
	struct seen_address now = { .maps = maps, .ip = ip }, *slot;

	if (!maps)
		return;
	now.version = machine_cursor__version(&h->cursor, maps);
	slot = &h->seen[hash__add(ip, (uintptr_t)maps) % SEEN_SLOTS];
	if (slot->maps == maps && slot->ip == ip && slot->version == now.version)
		return;
	*slot = now;
	machine__resolve(m, space, h->cursor.rank, cpumode, ip, &at);
	h->hit[at.dso] = true;
}

static void hit_search__sample(void *ctx, const struct record *r)
{
	struct hit_search *h = ctx;
	const struct thread_state *t;
	struct sample sample;
	u8 cpumode;

	if (sample__decode_head(&h->s->decoder, r, &sample))
		return;
	machine_cursor__seek(&h->cursor, session__time(h->s, &sample, r));
	t = machine_cursor__thread(&h->cursor, sample.pid, sample.tid);
	cpumode = sample.cpumode;
	hit_search__address(h, t->maps, cpumode, sample.ip);
	for (u64 i = 0; i < sample.nr_callchain; i++) {
		u64 ip = sample.callchain[i];

		if (ip >= PERF_CONTEXT_MAX)
			cpumode = callchain__cpumode(ip);
		else
			hit_search__address(h, t->maps, cpumode, ip);
	}
}

static int find_hits(struct session *s, bool *hit, struct err *err)
{
	struct hit_search h = { .s = s, .hit = hit, .seen = xcalloc(SEEN_SLOTS, sizeof(*h.seen)) };
	int ret;

	machine_cursor__init(&h.cursor, &s->machine);
	ret = session__each_sample(s, hit_search__sample, &h, err);
	free(h.seen);
	return ret;
}

/* ---- the list ---- */

static void binaries__add(struct binaries *b, const struct binary *x)
{
	u64 hash = hash__bytes(x->id.data, x->id.size, hash__bytes(x->name, strlen(x->name), 0));
	struct binary *added;
	u32 i;

	hash_table__for_each (&b->table, hash, i) {
		const struct binary *old = &b->v.v[i];

		if (!strcmp(old->name, x->name) && old->id.size == x->id.size &&
		    !memcmp(old->id.data, x->id.data, x->id.size))
			return;
	}
	hash_table__insert(&b->table, hash, (u32)b->v.nr);
	added = array__push(&b->v);
	*added = *x;
	added->name = arena__strdup(&b->names, x->name);
}

static bool dso__is_binary(const struct dso *dso)
{
	return dso->kind == DSO_ELF || dso->kind == DSO_VDSO || dso->kind == DSO_KERNEL ||
	       dso->kind == DSO_MODULE;
}

static u8 dso__cpumode(const struct dso *dso)
{
	if (dso->kind == DSO_KERNEL || dso->kind == DSO_MODULE)
		return dso->is_guest ? PERF_RECORD_MISC_GUEST_KERNEL : PERF_RECORD_MISC_KERNEL;
	return dso->is_guest ? PERF_RECORD_MISC_GUEST_USER : PERF_RECORD_MISC_USER;
}

static void binaries__add_dsos(struct binaries *b, const struct machine *m, const bool *hit, bool kernel)
{
	for (size_t i = 1; i < m->dsos.v.nr; i++) {
		const struct dso *dso = m->dsos.v.v[i];
		struct binary x = { .name = dso__long_name(&m->dsos, dso),
				    .id = dso->build_id,
				    .cpumode = dso__cpumode(dso),
				    .ino = dso->ino };

		if (!dso__is_binary(dso) || (dso->kind == DSO_KERNEL) != kernel)
			continue;
		/* If there is a table of build-ids, ignore binaries missing from it, as stock perf does. */
		if (hit ? hit[i] : x.id.size || !b->has_table)
			binaries__add(b, &x);
	}
}

static void binaries__add_table(struct binaries *b, const struct session *s)
{
	struct build_id_table ids = { .data = STRBUF_INIT };

	b->has_table = s->reader->features_set[0] >> FEATURE_BUILD_ID & 1;
	if (!features__build_ids(s->reader, &ids))
		for (size_t i = 0; i < ids.entries.nr; i++) {
			const struct build_id_entry *e = &ids.entries.v[i];
			struct binary x = { .name = e->filename, .id = e->id, .cpumode = e->cpumode };

			binaries__add(b, &x);
		}
	build_id_table__exit(&ids);
}

int binaries__find(struct binaries *b, struct session *s, enum binaries_wanted wanted, struct err *err)
{
	const struct machine *m = &s->machine;
	bool *hit = NULL;
	int ret = 0;

	if (wanted == BINARIES_HIT) {
		hit = xcalloc(m->dsos.v.nr + 1, sizeof(*hit));
		ret = find_hits(s, hit, err);
	} else {
		binaries__add_table(b, s);
	}
	if (!ret) {
		binaries__add_dsos(b, m, hit, true);
		binaries__add_dsos(b, m, hit, false);
	}
	free(hit);
	return ret;
}

/* ---- build-ids missing in the recording ---- */

static bool same_kernel(const struct session *s)
{
	const char *release = s->symbolizer.osrelease;
	struct utsname host;

	return !uname(&host) && (!release || !strcmp(release, host.release));
}

/* Inodes are reused: the file must not be newer than the recording. */
static bool is_older(const struct stat *st, const struct session *s)
{
	const struct timespec *a = &st->st_mtim;
	struct stat recording;

	if (s->reader->is_pipe)
		return true;
	if (stat(s->reader->path, &recording))
		return false;
	return a->tv_sec < recording.st_mtim.tv_sec ||
	       (a->tv_sec == recording.st_mtim.tv_sec && a->tv_nsec <= recording.st_mtim.tv_nsec);
}

static bool file__id(const struct session *s, const struct binary *b, struct build_id *id)
{
	int fd = file__open_plain(b->name);
	struct stat st;
	bool same;

	if (fd < 0)
		return false;
	same = !fstat(fd, &st) && (!b->ino || st.st_ino == b->ino) && is_older(&st, s) &&
	       !build_id__of_fd(fd, id);
	close(fd);
	return same;
}

bool binary__id_of_today(const struct session *s, const struct binary *b, struct build_id *id)
{
	if (s->symbolizer.finder.opts.foreign_host)
		return false;
	if (b->cpumode == PERF_RECORD_MISC_USER && b->name[0] == '/')
		return file__id(s, b, id);
	if (!same_kernel(s))
		return false;
	if (b->cpumode == PERF_RECORD_MISC_USER)
		return vdso__is_name(b->name) && vdso__build_id(b->name, id);
	if (b->cpumode != PERF_RECORD_MISC_KERNEL)
		return false; /* a guest's binary */
	return !(strcmp(b->name, "[kernel.kallsyms]") ? build_id__of_module_file(b->name, id)
						      : build_id__of_kernel(id));
}
