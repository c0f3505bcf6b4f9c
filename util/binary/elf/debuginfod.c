#include "binary/elf/debuginfod.h"

#include "base/memory/mem.h"
#include "base/system/clock.h"
#include "base/system/library.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* From elfutils/debuginfod.h, which may be missing where perf is built. */
typedef struct debuginfod_client client;
typedef int (*progress_fn)(client *c, long a, long b);
client *debuginfod_begin(void);
int debuginfod_find_debuginfo(client *c, const unsigned char *id, int size, char **path);
int debuginfod_find_source(client *c, const unsigned char *id, int size, const char *name, char **path);
void debuginfod_set_progressfn(client *c, progress_fn fn);
void debuginfod_set_user_data(client *c, void *data);
void *debuginfod_get_user_data(client *c);
void debuginfod_end(client *c);

#define CLIENT_FUNCTIONS(F)          \
	F(debuginfod_begin)          \
	F(debuginfod_find_debuginfo) \
	F(debuginfod_find_source)    \
	F(debuginfod_set_progressfn) F(debuginfod_set_user_data) F(debuginfod_get_user_data) F(debuginfod_end)
LIBRARY_TO_LOAD(api, "libdebuginfod.so.1", "libdebuginfod1", CLIENT_FUNCTIONS);

struct debuginfod {
	struct debuginfod_opts opts;
	pthread_mutex_t lock; /* protects what follows: a client is for one thread at a time */
	client *client;
	u64 spent, started;  /* ns: spent in earlier fetches; start of this one */
	const char *stopped; /* __atomic */
};

/* Check the time limit and the stop flag. The library calls this during a fetch. */
static bool debuginfod__may_go_on(struct debuginfod *d)
{
	const char *why = NULL;

	if (d->opts.stop && __atomic_load_n(d->opts.stop, __ATOMIC_RELAXED))
		why = "it was interrupted";
	else if (d->spent + (d->started ? clock__ns() - d->started : 0) >= (u64)d->opts.seconds * 1000000000)
		why = "its time is over";
	if (why)
		__atomic_store_n(&d->stopped, why, __ATOMIC_RELEASE);
	return !why;
}

static int watch(client *c, long a, long b)
{
	(void)a;
	(void)b;
	return !debuginfod__may_go_on(api.debuginfod_get_user_data(c));
}

struct debuginfod *debuginfod__new(const struct debuginfod_opts *opts, struct err *err)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	struct debuginfod *d;
	client *c;

	if (!urls || !*urls) {
		err__set(err, -ENOENT,
			 "DEBUGINFOD_URLS names no server, such as https://debuginfod.debian.net");
		return NULL;
	}
	if (library__load(&api_library, err))
		return NULL;
	c = api.debuginfod_begin();
	if (!c) {
		err__set(err, -ENOMEM, "libdebuginfod does not start");
		return NULL;
	}
	d = xcalloc(1, sizeof(*d));
	d->opts = *opts;
	d->client = c;
	pthread_mutex_init(&d->lock, NULL);
	api.debuginfod_set_user_data(c, d);
	api.debuginfod_set_progressfn(c, watch);
	return d;
}

void debuginfod__delete(struct debuginfod *d)
{
	if (!d)
		return;
	api.debuginfod_end(d->client);
	pthread_mutex_destroy(&d->lock);
	free(d);
}

/* Fetch the debug file, or with source the file of source code of that path. */
static char *debuginfod__get(struct debuginfod *d, const struct build_id *id, const char *name,
			     const char *source)
{
	char *path = NULL;
	int fd = -ENOENT;

	pthread_mutex_lock(&d->lock);
	if (!d->stopped && debuginfod__may_go_on(d)) {
		progress__enter(d->opts.progress, "asking %s for %s%s", getenv("DEBUGINFOD_URLS"),
				source ? "" : "the debug file of ", name);
		d->started = clock__ns();
		fd = source ? api.debuginfod_find_source(d->client, id->data, id->size, source, &path)
			    : api.debuginfod_find_debuginfo(d->client, id->data, id->size, &path);
		d->spent += clock__ns() - d->started;
		d->started = 0;
		progress__leave(d->opts.progress);
	}
	pthread_mutex_unlock(&d->lock);
	if (fd < 0)
		return NULL;
	close(fd);
	return path;
}

char *debuginfod__fetch(struct debuginfod *d, const struct build_id *id, const char *name)
{
	return debuginfod__get(d, id, name, NULL);
}

char *debuginfod__fetch_source(struct debuginfod *d, const struct build_id *id, const char *path)
{
	return debuginfod__get(d, id, path, path);
}

const char *debuginfod__stopped(const struct debuginfod *d)
{
	return __atomic_load_n(&d->stopped, __ATOMIC_ACQUIRE);
}

/* Servers by ID in os-release, or by a word of ID_LIKE for systems that use the packages of another one. */
static const struct usual_server {
	const char *id, *url;
} usual_servers[] = {
	{ "debian", "https://debuginfod.debian.net" },
	{ "ubuntu", "https://debuginfod.ubuntu.com" },
	{ "fedora", "https://debuginfod.fedoraproject.org/" },
	{ "centos", "https://debuginfod.centos.org/" },
	{ "arch", "https://debuginfod.archlinux.org" },
	{ "opensuse", "https://debuginfod.opensuse.org/" },
	{ "opensuse-tumbleweed", "https://debuginfod.opensuse.org/" },
	{ "opensuse-leap", "https://debuginfod.opensuse.org/" },
	{ "rhel", "https://debuginfod.elfutils.org/" }, /* packages of Rocky, Alma ... are their own */
	{ "", "https://debuginfod.elfutils.org/" },     /* it asks the others */
};

static const struct usual_server *find_server(const char *id, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(usual_servers); i++)
		if (strlen(usual_servers[i].id) == len && !memcmp(usual_servers[i].id, id, len))
			return &usual_servers[i];
	return NULL;
}

/* Return the server of the first known word in the value of name. */
static const struct usual_server *find_server_of(const char *os_release, const char *name)
{
	const struct usual_server *found = NULL;

	for (const char *line = os_release; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		if (strncmp(line, name, strlen(name)))
			continue;
		for (const char *word = line + strlen(name); !found && *word && *word != '\n';) {
			size_t len = strcspn(word, " \"'\n");

			found = len ? find_server(word, len) : NULL;
			word += len + (word[len] && word[len] != '\n');
		}
	}
	return found;
}

const char *debuginfod__usual_server(const char *os_release)
{
	const struct usual_server *found = NULL;

	if (os_release && !(found = find_server_of(os_release, "ID=")))
		found = find_server_of(os_release, "ID_LIKE=");
	return found ? found->url : find_server("", 0)->url;
}
