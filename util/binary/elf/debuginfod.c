#include "binary/elf/debuginfod.h"

#include "base/system/clock.h"
#include "base/system/library.h"
#include "base/memory/mem.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char library_name[] = "libdebuginfod.so.1";

/* elfutils/debuginfod.h, whose functions are looked up by name. */
typedef struct debuginfod_client client;
typedef int (*progress_fn)(client *c, long a, long b);
struct client_api {
	client *(*begin)(void);
	int (*find_debuginfo)(client *c, const unsigned char *id, int size, char **path);
	void (*set_progressfn)(client *c, progress_fn fn);
	void (*set_user_data)(client *c, void *data);
	void (*end)(client *c);
};

struct debuginfod {
	struct debuginfod_opts opts;
	struct client_api api;
	pthread_mutex_t lock; /* of what follows: a client is for one thread at a time */
	client *client;
	u64 spent, started;  /* ns: in earlier fetches; when this one began */
	const char *stopped; /* atomic */
};

static bool client_api__load(struct client_api *api)
{
	const struct library_function functions[] = {
		{ "debuginfod_begin", &api->begin },
		{ "debuginfod_find_debuginfo", &api->find_debuginfo },
		{ "debuginfod_set_progressfn", &api->set_progressfn },
		{ "debuginfod_set_user_data", &api->set_user_data },
		{ "debuginfod_end", &api->end },
	};

	return library__load(library_name, functions, ARRAY_SIZE(functions));
}

/* Whether to go on; called by the library all the while. */
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

/* The client's user data is the object. This has nothing but the client to find the function that says so. */
static int watch(client *c, long a, long b)
{
	void *(*get_user_data)(client * c);
	const struct library_function function = { "debuginfod_get_user_data", &get_user_data };

	(void)a;
	(void)b;
	return library__load(library_name, &function, 1) && !debuginfod__may_go_on(get_user_data(c));
}

struct debuginfod *debuginfod__new(const struct debuginfod_opts *opts, struct err *err)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	struct client_api api;
	struct debuginfod *d;
	client *c;

	if (!urls || !*urls) {
		err__set(err, -ENOENT,
			 "DEBUGINFOD_URLS names no server, such as https://debuginfod.debian.net");
		return NULL;
	}
	if (!client_api__load(&api) || !(c = api.begin())) {
		err__set(err, -ENOENT, "%s cannot be loaded: install libdebuginfod1", library_name);
		return NULL;
	}
	d = xcalloc(1, sizeof(*d));
	d->opts = *opts;
	d->api = api;
	d->client = c;
	pthread_mutex_init(&d->lock, NULL);
	api.set_user_data(c, d);
	api.set_progressfn(c, watch);
	return d;
}

void debuginfod__delete(struct debuginfod *d)
{
	if (!d)
		return;
	d->api.end(d->client);
	pthread_mutex_destroy(&d->lock);
	free(d);
}

char *debuginfod__fetch(struct debuginfod *d, const struct build_id *id, const char *name)
{
	char *path = NULL;
	int fd = -ENOENT;

	pthread_mutex_lock(&d->lock);
	if (!d->stopped && debuginfod__may_go_on(d)) {
		progress__enter(d->opts.progress, "asking %s for the debug file of %s",
				getenv("DEBUGINFOD_URLS"), name);
		d->started = clock__ns();
		fd = d->api.find_debuginfo(d->client, id->data, id->size, &path);
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

const char *debuginfod__stopped(const struct debuginfod *d)
{
	return __atomic_load_n(&d->stopped, __ATOMIC_ACQUIRE);
}
