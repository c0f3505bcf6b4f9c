#include "live/cgroups.h"

#include "base/memory/array.h"
#include "base/system/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

enum { GROUPS_MAX = 1 << 20 };

/* ---- the hierarchy ---- */

static bool is_word(const char *text, size_t len, const char *word)
{
	return len == strlen(word) && !memcmp(text, word, len);
}

/* Is word in the comma-separated list? */
static bool has_word(const char *text, size_t len, const char *word)
{
	for (size_t at = 0, n; at < len; at += n + 1) {
		n = MIN(strcspn(text + at, ", \n"), len - at);
		if (is_word(text + at, n, word))
			return true;
	}
	return false;
}

/* The kernel escapes blanks in folder names as \040. (man 5 fstab) */
static void add_unescaped(struct strbuf *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		bool octal = text[i] == '\\' && len - i > 3 && strspn(text + i + 1, "01234567") >= 3;

		strbuf__addch(out, octal ? (char)((text[i + 1] - '0') << 6 | (text[i + 2] - '0') << 3 |
						  (text[i + 3] - '0'))
					 : text[i]);
		i += octal ? 3 : 0;
	}
}

struct mount_line {          /* words of a line of /proc/self/mounts, not terminated */
	const char *word[4]; /* device, folder, type, options */
	size_t len[4];
};

static const char *mount_line__split(struct mount_line *m, const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(m->word); i++) {
		m->word[i] = text;
		m->len[i] = strcspn(text, " \n");
		text += m->len[i] + (text[m->len[i]] == ' ');
	}
	text += strcspn(text, "\n");
	return *text ? text + 1 : text;
}

bool cgroups__find_mount(const char *mounts, struct strbuf *path)
{
	struct mount_line m, best = { 0 };

	while (*mounts) {
		bool is_v1, is_v2;

		mounts = mount_line__split(&m, mounts);
		is_v1 = is_word(m.word[2], m.len[2], "cgroup") && has_word(m.word[3], m.len[3], "perf_event");
		is_v2 = is_word(m.word[2], m.len[2], "cgroup2");
		if (is_v1 || (is_v2 && !best.len[1]))
			best = m;
		if (is_v1)
			break;
	}
	if (best.len[1])
		add_unescaped(path, best.word[1], best.len[1]);
	return best.len[1];
}

int cgroups__mount(struct strbuf *path, struct err *err)
{
	struct strbuf mounts = STRBUF_INIT;
	int ret = file__read("/proc/self/mounts", &mounts, 0);

	if (!ret && !cgroups__find_mount(mounts.buf, path))
		ret = -ENOENT;
	strbuf__exit(&mounts);
	if (ret) {
		err__set(err, ret, "no cgroup hierarchy is mounted that perf events can use");
		err__advise(err, "mount -t cgroup2 none /sys/fs/cgroup");
	}
	return ret;
}

/* ---- groups ---- */

/* The group's number in CGROUP records and samples. 0 or a negative errno. */
static int cgroup__id(const char *path, u64 *id)
{
	union {
		struct file_handle h;
		u8 bytes[sizeof(struct file_handle) + sizeof(u64)];
	} handle = { .h.handle_bytes = sizeof(u64) };
	int mount_id;

	if (name_to_handle_at(AT_FDCWD, path, &handle.h, &mount_id, 0))
		return -errno;
	memcpy(id, handle.h.f_handle, sizeof(*id));
	return 0;
}

static void add_children(const char *mount, const char *name, name_array *names)
{
	name_array children = { 0 };

	folder__names(&children, true, "%s%s", mount, name); /* fails if the group is gone */
	for (size_t i = 0; i < children.nr && names->nr < GROUPS_MAX; i++)
		array__add(names, xasprintf("%s/%s", name, children.v[i]));
	name_array__exit(&children);
}

int cgroups__each(const char *mount, void (*fn)(void *ctx, const char *name, u64 id), void *ctx)
{
	name_array names = { 0 };
	int ret = 0;

	array__add(&names, xstrdup(""));
	for (size_t i = 0; i < names.nr; i++) {
		char *path = xasprintf("%s%s", mount, names.v[i]);
		u64 id = 0;
		int failed = cgroup__id(path, &id);

		if (!failed) {
			fn(ctx, *names.v[i] ? names.v[i] : "/", id);
			add_children(mount, names.v[i], &names);
		} else if (!i) {
			ret = failed;
		}
		free(path);
	}
	name_array__exit(&names);
	return ret;
}

int cgroup__open(const char *mount, const char *name, struct err *err)
{
	char *path = xasprintf("%s/%s", mount, name);
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret = fd < 0 ? -errno : fd;

	if (fd < 0) {
		err__set(err, ret, "cannot open cgroup '%s' in '%s': %s", name, mount, err__str(ret));
		err__advise(err,
			    "ls %s shows those there are; /proc/PID/cgroup says which one a process is in",
			    mount);
	}
	free(path);
	return ret;
}
