/* perf config: show and set the values of configuration files. */
#include "builtin.h"

#include "base/command/config.h"
#include "base/message/called_name.h"
#include "base/message/msg.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void print_entry(const struct config_entry *e)
{
	struct strbuf line = STRBUF_INIT;

	strbuf__add_masked(&line, e->key);
	strbuf__addch(&line, '=');
	strbuf__add_masked(&line, e->value);
	puts(line.buf);
	strbuf__exit(&line);
}

/* "section.name" or "section.name=value" */
static int show_or_set(const struct config *config, enum config_place place, const char *word,
		       struct err *err)
{
	const char *equals = strchr(word, '=');
	char *key = xasprintf("%.*s", (int)strcspn(word, "="), word);
	const struct config_entry *e;
	int ret = 0;

	if (!config__is_key(key))
		ret = err__set(err, -EINVAL, "'%s' is not SECTION.NAME or SECTION.NAME=VALUE", word);
	else if (equals)
		ret = config__set(place, key, equals + 1, err);
	else if ((e = config__find(config, key)))
		print_entry(e);
	free(key);
	return ret;
}

int cmd_config(int argc, const char **argv)
{
	static const char *const usage[] = { "perf config [<options>] [<section.name[=value]>...]", NULL };
	bool system = false, user = false, list = false;
	const struct option options[] = {
		OPT_BOOL(0, "system", &system, "read or change /etc/perfconfig only"),
		OPT_BOOL(0, "user", &user, "read or change ~/.perfconfig only"),
		OPT_BOOL('l', "list", &list, "show all values"),
		OPT_END(),
	};
	struct config config = { 0 };
	struct err err = ERR_INIT;
	enum config_place place;
	int nr = perf__parse_options(options, usage, 0, argc, argv), ret = 0;

	if (nr < 0)
		return -nr;
	if (system && user) {
		error__say("--system and --user exclude each other");
		return EXIT_USAGE;
	}
	if (list && nr) {
		error__say("--list takes no words: %s config %s shows one value", called_name(), argv[0]);
		return EXIT_USAGE;
	}
	place = system ? CONFIG_SYSTEM : user ? CONFIG_USER : CONFIG_BOTH;
	config__load(&config, place);
	for (size_t i = 0; !nr && i < config.v.nr; i++)
		print_entry(&config.v.v[i]);
	for (int i = 0; i < nr && !ret; i++)
		ret = show_or_set(&config, place, argv[i], &err);
	if (ret)
		error__print(&err);
	err__exit(&err);
	config__exit(&config);
	return ret ? 255 : 0;
}
