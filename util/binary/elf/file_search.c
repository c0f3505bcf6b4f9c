#include "binary/elf/file_search.h"

#include "base/system/file.h"
#include "binary/elf/debuginfod.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/*
 * %r root, %p recorded name, %u recorded name without " (deleted)", %d its folder, %l name in
 * .gnu_debuglink, %b build-id as xx/yyyy, %c build-id cache, %h this machine's root, %i pid, %m address
 * range of the map, %n pid in its own namespace, %v kernel release, %s file from a debuginfod server, %k kept
 * file
 */
static const struct file_place {
	enum file_kind kind;
	enum file_check check;
	const char *root, *path;
} file_places[] = {
	{ FILE_BINARY, CHECK_DONE, "", "%k" },
	{ FILE_BINARY, CHECK_ANY, "%r", "%p" },
	{ FILE_BINARY, CHECK_KNOWN, "/proc/%i/root", "%p" }, /* containers, other mount namespaces */
	/* The mapped file itself, even if it was deleted; needs privileges. */
	{ FILE_BINARY, CHECK_MAP, "", "/proc/%i/map_files/%m" },
	{ FILE_BINARY, CHECK_KNOWN, "", "/proc/%i/exe" }, /* needs fewer privileges */
	{ FILE_BINARY, CHECK_ID, "%r", "%u" },            /* a package that was installed again */
	{ FILE_BINARY, CHECK_ID, "", "%c/.build-id/%b/elf" },

	/* GDB manual, "Separate Debug Files" */
	{ FILE_DEBUG, CHECK_ID, "%r", "/usr/lib/debug/.build-id/%b.debug" },
	{ FILE_DEBUG, CHECK_ID, "%h", "/usr/lib/debug/.build-id/%b.debug" },
	{ FILE_DEBUG, CHECK_ID, "", "%c/.build-id/%b/debug" },
	{ FILE_DEBUG, CHECK_ID, "", "%c/.build-id/%b/elf" },
	{ FILE_DEBUG, CHECK_CRC, "%r", "%d/%l" },
	{ FILE_DEBUG, CHECK_CRC, "%r", "%d/.debug/%l" },
	{ FILE_DEBUG, CHECK_CRC, "%r", "/usr/lib/debug%d/%l" },
	{ FILE_DEBUG, CHECK_ID, "%r", "/usr/lib/debug%p.debug" },
	{ FILE_DEBUG, CHECK_ID, "%r", "/usr/lib/debug%p" },
	{ FILE_DEBUG, CHECK_ID, "", "%s" },

	/* The usual places of distributions. The release alone does not identify a build. */
	{ FILE_KERNEL, CHECK_ID, "%r", "/boot/vmlinux-%v" },
	{ FILE_KERNEL, CHECK_ID, "%r", "/usr/lib/debug/boot/vmlinux-%v" },
	{ FILE_KERNEL, CHECK_ID, "%r", "/lib/modules/%v/build/vmlinux" },
	{ FILE_KERNEL, CHECK_ID, "%r", "/usr/lib/debug/lib/modules/%v/vmlinux" },
	{ FILE_KERNEL, CHECK_ID, "%r", "/usr/lib/debug/boot/vmlinux-%v.debug" },

	{ FILE_KALLSYMS, CHECK_ANY, "", "%c/.build-id/%b/kallsyms" },

	{ FILE_MODULE, CHECK_ANY, "%r", "%p" },
	{ FILE_MODULE, CHECK_ID, "%r", "/usr/lib/debug/.build-id/%b.debug" },
	{ FILE_MODULE, CHECK_ID, "%r", "/usr/lib/debug%p" },
	{ FILE_MODULE, CHECK_ID, "%r", "/usr/lib/debug%p.debug" },
	{ FILE_MODULE, CHECK_ID, "", "%c/.build-id/%b/elf" },

	{ FILE_JITDUMP, CHECK_ANY, "/proc/%i/root", "%p" },
	{ FILE_JITDUMP, CHECK_ANY, "%r", "%p" },

	{ FILE_PERF_MAP, CHECK_ANY, "/proc/%i/root", "/tmp/perf-%n.map" },
	{ FILE_PERF_MAP, CHECK_ANY, "%r", "%p" },
};

/* ---- paths ---- */

/* Return the length of path before " (deleted)", the kernel's mark for deleted files; 0: no mark. */
static size_t undeleted_len(const char *path)
{
	static const char mark[] = " (deleted)";
	size_t len = strlen(path), cut = strlen(mark);

	return len > cut && !strcmp(path + len - cut, mark) ? len - cut : 0;
}

/* Append the value of a letter. Return false if the value is unknown. */
static bool add_part(struct strbuf *out, char letter, const struct file_query *q)
{
	static const struct debug_places none;
	const struct debug_places *places = q->places ? q->places : &none;
	const char *path = q->path ? q->path : "", *slash = strrchr(path, '/');
	char hex[2 * BUILD_ID_MAX + 1], *fetched;

	if (q->is_flat && slash)
		path = slash;
	switch (letter) {
	case 'r':
		strbuf__addstr(out, q->root ? q->root : "");
		return true;
	case 'p':
		strbuf__addstr(out, path);
		return *path == '/';
	case 'u':
		strbuf__add(out, path, undeleted_len(path));
		return undeleted_len(path);
	case 'd':
		strbuf__add(out, path, slash ? (size_t)(slash - path) : 0);
		return slash;
	case 'l':
		strbuf__addstr(out, q->link ? q->link : "");
		return q->link;
	case 'b':
		build_id__str(&q->id, hex);
		strbuf__addf(out, "%.2s/%s", hex, q->id.size < 2 ? "" : hex + 2);
		return q->id.size >= 2;
	case 'c':
		strbuf__addstr(out, places->buildid_dir ? places->buildid_dir : "");
		return places->buildid_dir;
	case 'h':
		return places->also_here;
	case 's':
		fetched = places->debuginfod ? debuginfod__fetch(places->debuginfod, &q->id, path) : NULL;
		strbuf__addstr(out, fetched ? fetched : "");
		free(fetched);
		return out->len;
	case 'v':
		strbuf__addstr(out, q->release ? q->release : "");
		return q->release && !strchr(q->release, '/');
	case 'i':
		strbuf__addf(out, "%u", q->pid);
		return q->pid;
	case 'k':
		strbuf__addstr(out, q->kept ? q->kept : "");
		return q->kept;
	case 'n':
		strbuf__addf(out, "%u", q->ns_pid);
		return q->ns_pid;
	default: /* m */
		strbuf__addf(out, "%llx-%llx", (unsigned long long)q->start, (unsigned long long)q->end);
		return true;
	}
}

static bool add_pattern(struct strbuf *out, const char *pattern, const struct file_query *q)
{
	for (const char *p = pattern; *p; p++) {
		if (*p != '%')
			strbuf__addch(out, *p);
		else if (!add_part(out, *++p, q))
			return false;
	}
	return true;
}

/* ---- the search ---- */

static bool is_usable(enum file_check check, const struct file_query *q)
{
	switch (check) {
	case CHECK_KNOWN:
	case CHECK_MAP:
		return q->id.size || q->ino;
	case CHECK_ID:
		return q->id.size;
	default:
		return true;
	}
}

/* Go on to the next process. */
static bool file_search__next_user(struct file_search *s)
{
	size_t i = s->nr_users++;

	return s->query.user ? s->query.user(&s->query, i) : s->query.pid && !i;
}

static bool is_of_process(const struct file_place *p)
{
	return !strncmp(p->root, "/proc/%i", 8) || !strncmp(p->path, "/proc/%i", 8);
}

void file_search__start(struct file_search *s, enum file_kind kind, const struct file_query *query)
{
	*s = (struct file_search){ .kind = kind, .query = *query, .full = STRBUF_INIT };
}

void file_search__end(struct file_search *s)
{
	strbuf__exit(&s->full);
}

/*
 * Recordings have the first 20 bytes of an id. If no file has this id as its name, take the first one whose
 * name is a longer id that begins with it.
 */
static void file_search__find_longer_id(struct file_search *s)
{
	char hex[2 * BUILD_ID_MAX + 1], *folder, *at = NULL;
	const char *rest;
	struct dirent *e;
	size_t digits;
	DIR *d;

	build_id__str(&s->query.id, hex);
	folder = xasprintf("/%.2s/%s", hex, hex + 2);
	at = strstr(s->full.buf + s->root_len, folder);
	free(folder);
	if (!at || !access(s->full.buf, F_OK))
		return;
	rest = at + 4 + strlen(hex + 2);
	folder = xasprintf("%.*s", (int)(at + 4 - s->full.buf), s->full.buf);
	d = opendir(folder);
	while (d && (e = readdir(d))) {
		digits = strspn(e->d_name, "0123456789abcdef");
		if (strncmp(e->d_name, hex + 2, strlen(hex + 2)) || digits <= strlen(hex + 2) ||
		    strcmp(e->d_name + digits, *rest == '/' ? "" : rest))
			continue;
		at = xasprintf("%s%s%s", folder, e->d_name, *rest == '/' ? rest : "");
		strbuf__reset(&s->full);
		strbuf__addstr(&s->full, at);
		free(at);
		break;
	}
	if (d)
		closedir(d);
	free(folder);
}

bool file_search__next(struct file_search *s)
{
	while (s->next_row < ARRAY_SIZE(file_places)) {
		const struct file_place *p = &file_places[s->next_row];
		bool is_ours = p->kind == s->kind && is_usable(p->check, &s->query);

		if (!is_ours || !is_of_process(p)) {
			s->next_row++;
		} else if (!file_search__next_user(s)) {
			s->next_row++;
			s->nr_users = 0;
			continue;
		}
		strbuf__reset(&s->full);
		s->check = p->check;
		if (!is_ours || !add_pattern(&s->full, p->root, &s->query))
			continue;
		s->root_len = s->full.len;
		if (!add_pattern(&s->full, p->path, &s->query))
			continue;
		if (s->query.id.size == BUILD_ID_MAX && strstr(p->path, "%b"))
			file_search__find_longer_id(s);
		return true;
	}
	return false;
}

static bool file_search__is_wanted(const struct file_search *s, int fd)
{
	const struct file_query *q = &s->query;
	bool any_device = s->check == CHECK_MAP || (!q->maj && !q->min);
	struct stat st;

	if (q->id.size && s->check != CHECK_DONE)
		return build_id__is_of_fd(&q->id, fd);
	if (!q->ino || s->check == CHECK_DONE)
		return true;
	return !fstat(fd, &st) && st.st_ino == q->ino &&
	       (any_device || (major(st.st_dev) == q->maj && minor(st.st_dev) == q->min));
}

/* As file_search__find, but return an open descriptor. */
static int file_search__open(struct file_search *s)
{
	while (file_search__next(s)) {
		int fd = file__open_plain(s->full.buf);

		if (fd >= 0 && file_search__is_wanted(s, fd))
			return fd;
		s->stale |= fd >= 0;
		file__close(fd);
	}
	return s->stale ? -ESTALE : -ENOENT;
}

int file_search__find(struct file_search *s)
{
	int fd = file_search__open(s);

	file__close(fd);
	return MIN(fd, 0);
}

int file_search__open_first(enum file_kind kind, const struct file_query *query)
{
	struct file_search s;
	int fd;

	file_search__start(&s, kind, query);
	fd = file_search__open(&s);
	file_search__end(&s);
	return fd;
}
