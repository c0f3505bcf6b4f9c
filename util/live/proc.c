#include "live/proc.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* The numeric names in a folder, ascending. */
static int numbers_of_folder(const char *path, int_array *list)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		char *end;
		long x;

		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		x = strtol(entry->d_name, &end, 10);
		if (!*end && x > 0 && x <= INT32_MAX)
			array__add(list, (int)x);
	}
	closedir(dir);
	if (list->nr)
		qsort(list->v, list->nr, sizeof(int), int__compare);
	return 0;
}

int proc__pids(int_array *pids)
{
	return numbers_of_folder("/proc", pids);
}

int proc__tids(pid_t pid, int_array *tids)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	return numbers_of_folder(path, tids);
}

int proc__pids_of_user(u32 uid, int_array *pids)
{
	int_array all = { 0 };
	int ret = proc__pids(&all);

	for (size_t i = 0; i < all.nr; i++) {
		struct stat st;
		char path[64];

		snprintf(path, sizeof(path), "/proc/%d", all.v[i]);
		if (!stat(path, &st) && st.st_uid == uid)
			array__add(pids, all.v[i]);
	}
	array__exit(&all);
	return ret;
}

/* ---- status ---- */

/* The kernel escapes a newline, a backslash and other control characters of Name: \n, \\, \ooo. */
static size_t unescape_status(char *to, size_t room, const char *from, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len && n + 1 < room; i++) {
		if (from[i] != '\\' || i + 1 >= len) {
			to[n++] = from[i];
		} else if (i + 3 < len && from[i + 1] >= '0' && from[i + 1] <= '3' && from[i + 2] >= '0' &&
			   from[i + 2] <= '7' && from[i + 3] >= '0' && from[i + 3] <= '7') {
			to[n++] = (char)((from[i + 1] - '0') << 6 | (from[i + 2] - '0') << 3 |
					 (from[i + 3] - '0'));
			i += 3;
		} else {
			to[n++] = from[i + 1] == 'n' ? '\n' : from[i + 1];
			i++;
		}
	}
	to[n] = '\0';
	return n;
}

static void status_name(struct proc_status *s, const char *value, size_t len)
{
	unescape_status(s->comm, sizeof(s->comm), value, len);
}

static s64 status_large_number(const char *value, size_t len)
{
	s64 x = 0;

	for (size_t i = 0; i < len && isdigit((unsigned char)value[i]) && x <= UINT32_MAX; i++)
		x = x * 10 + (value[i] - '0');
	return x;
}

static pid_t status_number(const char *value, size_t len)
{
	s64 x = status_large_number(value, len);

	return x <= INT32_MAX ? (pid_t)x : 0;
}

static void status_tgid(struct proc_status *s, const char *value, size_t len)
{
	s->tgid = status_number(value, len);
}

static void status_ppid(struct proc_status *s, const char *value, size_t len)
{
	s->ppid = status_number(value, len);
}

/* "REAL EFFECTIVE ..." */
static void status_uid(struct proc_status *s, const char *value, size_t len)
{
	const char *tab = memchr(value, '\t', len);

	if (tab)
		s->uid = (u32)status_large_number(tab + 1, len - (size_t)(tab + 1 - value));
}

/* One number for each namespace, from ours to the thread's own. */
static void status_ns_pid(struct proc_status *s, const char *value, size_t len)
{
	const char *tab = memrchr(value, '\t', len);
	size_t skip = tab ? (size_t)(tab + 1 - value) : 0;

	s->ns_pid = status_number(value + skip, len - skip);
}

/* Kernel threads have no VmPeak; neither do zombies, so look at the state, too. */
static void status_memory(struct proc_status *s, const char *value, size_t len)
{
	(void)value;
	(void)len;
	s->is_kernel_thread = false;
}

static void status_state(struct proc_status *s, const char *value, size_t len)
{
	s->has_ended = len && (*value == 'Z' || *value == 'X');
	if (s->has_ended)
		s->is_kernel_thread = false;
}

bool proc_status__parse(const char *text, size_t size, struct proc_status *s)
{
	static const struct {
		const char *key;
		void (*set)(struct proc_status *s, const char *value, size_t len);
	} rows[] = {
		{ "Name:\t", status_name },    { "State:\t", status_state }, { "Tgid:\t", status_tgid },
		{ "PPid:\t", status_ppid },    { "VmPeak:", status_memory }, { "Uid:\t", status_uid },
		{ "NSpid:\t", status_ns_pid },
	};
	const char *end = text + size;
	bool has_name = false;

	*s = (struct proc_status){ .is_kernel_thread = true };
	while (text < end) {
		const char *eol = memchr(text, '\n', (size_t)(end - text));
		size_t len = (size_t)((eol ? eol : end) - text);

		for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
			size_t n = strlen(rows[i].key);

			if (len < n || memcmp(text, rows[i].key, n))
				continue;
			rows[i].set(s, text + n, len - n);
			has_name |= !i;
		}
		text += len + (eol != NULL);
	}
	return has_name && s->tgid > 0;
}

int proc__status(pid_t pid, pid_t tid, struct proc_status *s)
{
	struct strbuf sb = STRBUF_INIT;
	char path[96];
	int ret;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", pid, tid);
	ret = file__read(path, &sb, 0);
	if (!ret && !proc_status__parse(sb.buf, sb.len, s))
		ret = -ESRCH;
	strbuf__exit(&sb);
	return ret;
}

pid_t proc__running_thread(pid_t pid)
{
	int_array tids = { 0 };
	struct proc_status s;
	pid_t found = 0;

	if (proc__status(pid, pid, &s))
		return 0;
	if (!s.has_ended)
		return pid;
	if (!proc__tids(pid, &tids))
		for (size_t i = 0; !found && i < tids.nr; i++)
			if (!proc__status(pid, tids.v[i], &s) && !s.has_ended)
				found = tids.v[i];
	array__exit(&tids);
	return found;
}

bool proc__outlives_first_thread(pid_t pid)
{
	pid_t tid = proc__running_thread(pid);

	return tid && tid != pid;
}

/* ---- maps ---- */

/* Parse a number that is followed by the character after; move *p past that. */
static bool take_number(const char **p, const char *end, unsigned base, char after, u64 *value)
{
	const char *start = *p, *at = start;
	u64 x = 0;

	for (; at < end; at++) {
		unsigned c = (unsigned char)*at, digit;

		digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
		if (digit >= base)
			break;
		if (x > (UINT64_MAX - digit) / base)
			return false;
		x = x * base + digit;
	}
	if (at == start || at == end || *at != after)
		return false;
	*value = x;
	*p = at + 1;
	return true;
}

/* "r-xp " */
static bool take_permissions(const char **p, const char *end, struct proc_map *m)
{
	static const struct {
		char letter;
		u32 prot;
	} bits[] = { { 'r', PROT_READ }, { 'w', PROT_WRITE }, { 'x', PROT_EXEC } };
	const char *s = *p;

	if (end - s < 5 || s[4] != ' ')
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(bits); i++) {
		if (s[i] == bits[i].letter)
			m->prot |= bits[i].prot;
		else if (s[i] != '-')
			return false;
	}
	if (s[3] != 'p' && s[3] != 's')
		return false;
	m->flags = s[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	*p = s + 5;
	return true;
}

/*
 * The kernel escapes a newline in a file name as \012 and nothing else, not even the backslash: any other
 * sequence is part of the name.
 */
static void unescape_newlines(char *s)
{
	char *to = s;

	while (*s) {
		if (!strncmp(s, "\\012", 4)) {
			*to++ = '\n';
			s += 4;
		} else {
			*to++ = *s++;
		}
	}
	*to = '\0';
}

static bool parse_fields(const char **p, const char *end, struct proc_map *m)
{
	u64 maj, min;

	if (!take_number(p, end, 16, '-', &m->start) || !take_number(p, end, 16, ' ', &m->end) ||
	    !take_permissions(p, end, m) || !take_number(p, end, 16, ' ', &m->pgoff) ||
	    !take_number(p, end, 16, ':', &maj) || !take_number(p, end, 16, ' ', &min))
		return false;
	m->maj = (u32)maj;
	m->min = (u32)min;
	return m->start <= m->end;
}

bool proc_map__parse(char **text, char *end, struct proc_map *m)
{
	char *line = *text, *eol = memchr(line, '\n', (size_t)(end - line));
	const char *p = line;
	char *name;

	*m = (struct proc_map){ 0 };
	*text = eol ? eol + 1 : end;
	if (!eol)
		return false; /* truncated: the name may be incomplete */
	if (!parse_fields(&p, eol, m))
		return false;
	/* the line of anonymous memory ends with the inode, or with a blank after it */
	*eol = '\0';
	if (!isdigit((unsigned char)*p))
		return false;
	errno = 0;
	m->ino = strtoull(p, &name, 10);
	if (errno || (*name && *name != ' '))
		return false;
	name += strspn(name, " ");
	unescape_newlines(name);
	m->name = name;
	return true;
}

void proc__namespaces(pid_t pid, pid_t tid, struct ns_link *links)
{
	static const char *const names[PROC_NAMESPACES] = { "net",  "uts", "ipc",   "pid",
							    "user", "mnt", "cgroup" };

	for (size_t i = 0; i < PROC_NAMESPACES; i++) {
		char path[80];
		struct stat st;

		snprintf(path, sizeof(path), "/proc/%d/task/%d/ns/%s", pid, tid, names[i]);
		links[i] = (struct ns_link){ 0 };
		if (!stat(path, &st))
			links[i] = (struct ns_link){ st.st_dev, st.st_ino };
	}
}

int proc__maps(pid_t pid, struct strbuf *sb)
{
	size_t before = sb->len;
	char path[64];
	pid_t tid;
	int ret;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	ret = file__read(path, sb, 0);
	if (ret || sb->len != before)
		return ret;
	tid = proc__running_thread(pid);
	if (!tid || tid == pid)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/maps", pid, tid);
	return file__read(path, sb, 0);
}
