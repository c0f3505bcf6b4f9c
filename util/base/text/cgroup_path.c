#include "base/text/cgroup_path.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { ID_DIGITS = 64 /* of containers */, TASK_DIGITS = 32 /* of tasks of ECS */ };

/* Kinds of folder names that may name a service, the weakest first. */
enum rank { RANK_NONE, RANK_FOLDER, RANK_SLICE, RANK_SCOPE, RANK_UNIT };

struct text {
	const char *s;
	size_t len;
};

struct walk {
	struct cgroup_path *path;
	enum rank rank; /* of the service so far */
	bool is_first;  /* component */
	bool of_user;   /* below the slice of a user */
	bool of_lxc;    /* the last component was "lxc" */
};

/* ---- texts ---- */

static bool begins_with(struct text t, const char *prefix)
{
	size_t len = strlen(prefix);

	return t.len >= len && !memcmp(t.s, prefix, len);
}

static bool equals(struct text t, const char *word)
{
	return t.len == strlen(word) && begins_with(t, word);
}

static bool contains(struct text t, const char *word)
{
	return memmem(t.s, t.len, word, strlen(word));
}

static bool cut_suffix(struct text *t, const char *suffix)
{
	size_t len = strlen(suffix);

	if (t->len <= len || memcmp(t->s + t->len - len, suffix, len) != 0)
		return false;
	t->len -= len;
	return true;
}

static struct text skip(struct text t, size_t n)
{
	return (struct text){ t.s + n, t.len - n };
}

static size_t nr_hex(struct text t)
{
	size_t n = 0;

	while (n < t.len && (isdigit((unsigned char)t.s[n]) || (t.s[n] >= 'a' && t.s[n] <= 'f')))
		n++;
	return n;
}

static int hex_digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Return the character at t, and its length in *n: systemd writes those with a meaning in paths as \x2d. */
static char unescape(struct text t, size_t *n)
{
	*n = 1;
	if (t.len < 4 || t.s[0] != '\\' || t.s[1] != 'x' || hex_digit(t.s[2]) < 0 || hex_digit(t.s[3]) < 0)
		return t.s[0];
	*n = 4;
	return (char)(hex_digit(t.s[2]) << 4 | hex_digit(t.s[3]));
}

/* Names become labels, where servers give a meaning to most other characters. */
static char allowed(char c)
{
	return c && (isalnum((unsigned char)c) || strchr("-_.:@", c)) && isascii(c) ? c : '_';
}

static void copy_name(char to[CGROUP_NAME_SIZE], struct text t)
{
	size_t n, len = 0;

	for (; t.len && len < CGROUP_NAME_SIZE - 1; t = skip(t, n))
		to[len++] = allowed(unescape(t, &n));
	to[len] = '\0';
}

/* ---- containers ---- */

/* The id in "ID", "docker-ID", "kubepods-...:cri-containerd:ID" and the like; of ECS "TASK-NUMBER". */
static bool find_id(struct text t, struct text *id)
{
	const char *colon = memrchr(t.s, ':', t.len), *dash;
	size_t task, i;

	if (colon)
		t = skip(t, (size_t)(colon + 1 - t.s));
	*id = t;
	task = nr_hex(t);
	if (task == TASK_DIGITS && t.len > task + 1 && t.s[task] == '-') {
		i = task + 1;
		while (i < t.len && isdigit((unsigned char)t.s[i]))
			i++;
		return i == t.len;
	}
	dash = memrchr(t.s, '-', t.len);
	if (dash)
		*id = skip(t, (size_t)(dash + 1 - t.s));
	return id->len == ID_DIGITS && nr_hex(*id) == ID_DIGITS;
}

/* The name in "lxc.payload.NAME", "lxc/NAME", "systemd-nspawn@NAME.service" and "machine-NAME.scope". */
static bool find_name(const struct walk *w, struct text t, struct text *name)
{
	static const struct {
		const char *prefix, *suffix;
	} forms[] = { { "lxc.payload.", "" }, { "systemd-nspawn@", ".service" }, { "machine-", ".scope" } };

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		*name = t;
		if (begins_with(t, forms[i].prefix) && cut_suffix(name, forms[i].suffix) &&
		    name->len > strlen(forms[i].prefix)) {
			*name = skip(*name, strlen(forms[i].prefix));
			return true;
		}
	}
	*name = t;
	return w->of_lxc;
}

/* Take a component that stands for a container, or for the process that watches one. */
static bool walk__container(struct walk *w, struct text t)
{
	struct text id, plain = t;

	if (contains(t, "conmon-") || begins_with(t, "lxc.monitor"))
		return true;
	if (contains(t, "kubepods")) { /* below the unit that starts pods, and no part of it */
		w->rank = RANK_NONE;
		w->path->service[0] = '\0';
	}
	cut_suffix(&plain, ".scope");
	if (!find_id(plain, &id) && !find_name(w, t, &id))
		return false;
	copy_name(w->path->container, id);
	return true;
}

/* ---- services ---- */

static void walk__service(struct walk *w, enum rank rank, struct text name)
{
	if (!name.len || rank < w->rank)
		return;
	copy_name(w->path->service, name);
	w->rank = rank;
}

/* "name@instance.service" */
static void walk__unit(struct walk *w, struct text name)
{
	const char *at = memchr(name.s, '@', name.len);

	if (begins_with(name, "user@") || nr_hex(name) >= ID_DIGITS) /* podman's checks of a container */
		return;
	if (at)
		name.len = (size_t)(at - name.s);
	walk__service(w, RANK_UNIT, name);
}

/* Programs that start scopes end their names in a number, such as of the process. */
static void walk__scope(struct walk *w, struct text name)
{
	size_t len = name.len;

	while (len && isdigit((unsigned char)name.s[len - 1]))
		len--;
	if (len > 1 && len < name.len && name.s[len - 1] == '-')
		name.len = len - 1;
	if (!w->of_user && !begins_with(name, "session-") && !begins_with(name, "run-"))
		walk__service(w, RANK_SCOPE, name);
}

static void walk__slice(struct walk *w, struct text name)
{
	static const char *const common[] = { "-", "system", "user", "machine" };

	if (w->of_user || contains(name, "kubepods"))
		return;
	for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++)
		if (equals(name, common[i]))
			return;
	w->of_user = begins_with(name, "user-");
	if (!begins_with(name, "system-")) /* of the instances of a unit */
		walk__service(w, RANK_SLICE, name);
}

static void walk__component(struct walk *w, struct text t)
{
	if (walk__container(w, t))
		return;
	if (cut_suffix(&t, ".service"))
		walk__unit(w, t);
	else if (cut_suffix(&t, ".scope"))
		walk__scope(w, t);
	else if (cut_suffix(&t, ".slice"))
		walk__slice(w, t);
	else if (w->is_first && begins_with(t, "openrc."))
		walk__service(w, RANK_UNIT, skip(t, strlen("openrc.")));
	else if (w->is_first && !contains(t, "kubepods"))
		walk__service(w, RANK_FOLDER, t);
}

void cgroup_path__set_service(struct cgroup_path *p, const char *name)
{
	copy_name(p->service, (struct text){ name, strlen(name) });
}

void cgroup_path__parse(struct cgroup_path *p, const char *path, size_t size)
{
	struct walk w = { .path = p, .is_first = true };
	struct text rest = { path, strnlen(path, size) };

	p->service[0] = p->container[0] = '\0';
	while (rest.len) {
		const char *slash = memchr(rest.s, '/', rest.len);
		struct text t = { rest.s, slash ? (size_t)(slash - rest.s) : rest.len };

		rest = skip(rest, t.len + (slash != NULL));
		if (!t.len || equals(t, "..")) /* of a group outside of the reader's namespace */
			continue;
		walk__component(&w, t);
		w.is_first = false;
		w.of_lxc = equals(t, "lxc");
	}
	if (w.rank == RANK_FOLDER && p->container[0]) /* the folder of a program that starts containers */
		p->service[0] = '\0';
}
