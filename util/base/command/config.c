#include "base/command/config.h"

#include "base/message/msg.h"
#include "base/system/file.h"
#include "base/system/output_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CONFIG_MAX = 1 << 20 }; /* bytes of a file */

void config__exit(struct config *c)
{
	for (size_t i = 0; i < c->v.nr; i++) {
		free(c->v.v[i].key);
		free(c->v.v[i].value);
		free(c->v.v[i].file);
	}
	array__exit(&c->v);
}

const struct config_entry *config__find(const struct config *c, const char *key)
{
	for (size_t i = 0; i < c->v.nr; i++)
		if (!strcmp(c->v.v[i].key, key))
			return &c->v.v[i];
	return NULL;
}

static void config__add(struct config *c, const char *key, const char *value, const char *file, unsigned line)
{
	struct config_entry *e = (struct config_entry *)config__find(c, key);

	if (!e) {
		e = array__push(&c->v);
		*e = (struct config_entry){ .key = xstrdup(key) };
	}
	free(e->value);
	free(e->file);
	e->value = xstrdup(value);
	e->file = xstrdup(file);
	e->line = line;
}

/* ---- the format ---- */

struct config_parser {
	const char *file, *start, *p, *end;
	unsigned line; /* of p */
	struct strbuf section, name, value;
	const char *expected; /* missing in the wrong line */
	void (*on_bad)(const char *reason);
	const char *item; /* start of the last section or entry */
	unsigned item_line;
};

enum config_item { CONFIG_END, CONFIG_SECTION, CONFIG_ENTRY };

static void config_parser__init(struct config_parser *c, const char *file, const char *text, size_t size)
{
	*c = (struct config_parser){ .file = file, .start = text, .p = text, .end = text + size, .line = 1 };
	strbuf__init(&c->section);
	strbuf__init(&c->name);
	strbuf__init(&c->value);
}

static void config_parser__exit(struct config_parser *c)
{
	strbuf__exit(&c->section);
	strbuf__exit(&c->name);
	strbuf__exit(&c->value);
}

static int peek(const struct config_parser *c)
{
	return c->p < c->end ? (unsigned char)*c->p : '\n';
}

static void skip_blanks(struct config_parser *c)
{
	while (peek(c) == ' ' || peek(c) == '\t' || peek(c) == '\r')
		c->p++;
}

static bool is_comment(int ch)
{
	return ch == '#' || ch == ';';
}

static bool fail(struct config_parser *c, const char *expected)
{
	c->expected = expected;
	return false;
}

/* "[section]" */
static bool parse_section(struct config_parser *c)
{
	strbuf__reset(&c->section);
	for (c->p++; peek(c) != ']'; c->p++) {
		if (peek(c) == '\n' || !peek(c)) {
			strbuf__reset(&c->section);
			return fail(c, "']' after the name of a section");
		}
		strbuf__addch(&c->section, *c->p);
	}
	c->p++;
	return c->section.len || fail(c, "the name of a section");
}

/*
 * Append the character that an escape stands for, and skip an escaped newline. The parser is after the
 * backslash.
 */
static bool add_escaped(struct config_parser *c)
{
	static const char from[] = "\"\\ntb", to[] = "\"\\\n\t\b";
	int ch = peek(c);
	const char *at = ch ? strchr(from, ch) : NULL;

	if (ch == '\n')
		c->line++;
	else if (at)
		strbuf__addch(&c->value, to[at - from]);
	else
		return fail(c, "one of \\\" \\\\ \\n \\t \\b after a backslash");
	c->p += c->p < c->end;
	return true;
}

static bool parse_value(struct config_parser *c)
{
	bool quoted = false;
	size_t len = 0; /* without the blanks at the end */

	skip_blanks(c);
	while (peek(c) != '\n' && (quoted || !is_comment(peek(c)))) {
		int ch = *c->p++;

		if (ch == '"')
			quoted = !quoted;
		else if (ch == '\\' && !add_escaped(c))
			return false;
		else if (ch != '\\' && ch)
			strbuf__addch(&c->value, (char)ch);
		if (quoted || !isspace(ch))
			len = c->value.len;
	}
	if (quoted)
		return fail(c, "a '\"' at the end of the value");
	if (len < c->value.len)
		strbuf__setlen(&c->value, len);
	return true;
}

static bool is_of_name(int ch)
{
	return isalnum(ch) || (ch && strchr("-_.", ch));
}

/* "name = value" */
static bool parse_entry(struct config_parser *c)
{
	strbuf__reset(&c->name);
	strbuf__reset(&c->value);
	for (; is_of_name(peek(c)); c->p++)
		strbuf__addch(&c->name, *c->p);
	skip_blanks(c);
	if (!c->name.len || peek(c) != '=')
		return fail(c, "[SECTION] or NAME = VALUE");
	if (!c->section.len)
		return fail(c, "a line [SECTION] before this one");
	c->p++;
	return parse_value(c);
}

static void report_bad(const struct config_parser *c)
{
	struct strbuf reason = STRBUF_INIT;

	strbuf__addf(&reason, "%s, line %u: expected %s; this line is ignored", c->file, c->item_line,
		     c->expected);
	if (c->on_bad)
		c->on_bad(reason.buf);
	strbuf__exit(&reason);
}

/* Parse up to the end of the next section's name, or of the next entry. Report wrong lines. */
static enum config_item config_parser__next(struct config_parser *c)
{
	while (c->p < c->end) {
		enum config_item item = CONFIG_END;

		skip_blanks(c);
		c->item = c->p;
		c->item_line = c->line;
		c->expected = NULL;
		if (peek(c) == '[' && parse_section(c))
			return CONFIG_SECTION;
		if (!c->expected && peek(c) != '\n' && !is_comment(peek(c)) && parse_entry(c))
			item = CONFIG_ENTRY;
		if (c->expected)
			report_bad(c);
		while (peek(c) != '\n')
			c->p++;
		c->p += c->p < c->end;
		c->line++;
		if (item)
			return item;
	}
	return CONFIG_END;
}

void config__parse(struct config *c, const char *file, const char *text, size_t size,
		   void (*on_bad)(const char *reason))
{
	struct strbuf key = STRBUF_INIT;
	struct config_parser p;
	enum config_item item;

	config_parser__init(&p, file, text, size);
	p.on_bad = on_bad;
	while ((item = config_parser__next(&p))) {
		if (item != CONFIG_ENTRY)
			continue;
		strbuf__reset(&key);
		strbuf__addf(&key, "%s.%s", p.section.buf, p.name.buf);
		config__add(c, key.buf, p.value.buf, file, p.item_line);
	}
	config_parser__exit(&p);
	strbuf__exit(&key);
}

/* ---- files ---- */

/* Return the name of the file, to be freed; NULL: there is none. */
static char *path_of(enum config_place place)
{
	const char *one = getenv("PERF_CONFIG"), *home = getenv("HOME");

	if (one && *one)
		return place == CONFIG_USER ? xstrdup(one) : NULL;
	if (place == CONFIG_SYSTEM)
		return xstrdup("/etc/perfconfig");
	return home && *home ? xasprintf("%s/.perfconfig", home) : NULL;
}

static void warn(const char *reason)
{
	warning("%s", reason);
}

static bool is_foreign(const struct stat *st)
{
	return st->st_uid && st->st_uid != geteuid();
}

static void config__load_file(struct config *c, const char *path)
{
	struct strbuf text = STRBUF_INIT;
	struct stat st;
	int fd = file__open_regular(path);

	if (fd < 0)
		return;
	if (!fstat(fd, &st) && is_foreign(&st)) {
		warning("%s belongs to another user (uid %u); it is ignored", path, st.st_uid);
	} else if (!file__read_fd(fd, &text, CONFIG_MAX)) {
		config__parse(c, path, text.buf, text.len, warn);
	}
	close(fd);
	strbuf__exit(&text);
}

void config__load(struct config *c, enum config_place place)
{
	static const enum config_place places[] = { CONFIG_SYSTEM, CONFIG_USER };

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		char *path = place == CONFIG_BOTH || place == places[i] ? path_of(places[i]) : NULL;

		if (path)
			config__load_file(c, path);
		free(path);
	}
}

/* ---- changes ---- */

bool config__is_key(const char *key)
{
	const char *dot = strchr(key, '.'), *name = dot ? dot + 1 : key;

	if (!dot || dot == key || !*name)
		return false;
	for (const char *c = key; c < dot; c++)
		if (*c == ']' || iscntrl((unsigned char)*c))
			return false;
	while (*name && is_of_name((unsigned char)*name))
		name++;
	return !*name;
}

static void add_quoted(struct strbuf *sb, const char *value)
{
	static const char from[] = "\"\\\n\t\b", to[] = "\"\\ntb";
	bool quote =
		strpbrk(value, "#;") || isspace(value[0]) || (*value && isspace(value[strlen(value) - 1]));

	if (quote)
		strbuf__addch(sb, '"');
	for (; *value; value++) {
		const char *at = strchr(from, *value);

		if (at)
			strbuf__addch(sb, '\\');
		strbuf__addch(sb, at ? to[at - from] : *value);
	}
	if (quote)
		strbuf__addch(sb, '"');
}

void config__edit(struct strbuf *text, const char *key, const char *value)
{
	const char *dot = strchr(key, '.');
	size_t from = text->len, to = text->len; /* range that the new line replaces */
	bool has_section = false, has_entry = false;
	struct strbuf new = STRBUF_INIT;
	struct config_parser p;
	enum config_item item;

	config_parser__init(&p, "", text->buf, text->len);
	while ((item = config_parser__next(&p))) {
		if (p.section.len != (size_t)(dot - key) || strncmp(p.section.buf, key, p.section.len))
			continue;
		if (item == CONFIG_ENTRY && !strcmp(p.name.buf, dot + 1)) {
			from = (size_t)(p.item - text->buf);
			to = (size_t)(p.p - text->buf);
			has_entry = true;
		} else if (!has_entry) {
			const char *end =
				item == CONFIG_SECTION ? memchr(p.p, '\n', (size_t)(p.end - p.p)) : p.p - 1;

			from = to = end ? (size_t)(end + 1 - text->buf) : text->len;
		}
		has_section = true;
	}
	config_parser__exit(&p);
	strbuf__add(&new, text->buf, from);
	if (new.len &&new.buf[new.len - 1] != '\n' && !has_entry)
		strbuf__addch(&new, '\n');
	if (!has_section)
		strbuf__addf(&new, "[%.*s]\n", (int)(dot - key), key);
	strbuf__addf(&new, "%s%s = ", has_entry ? "" : "\t", dot + 1);
	add_quoted(&new, value);
	strbuf__addch(&new, '\n');
	strbuf__add(&new, text->buf + to, text->len - to);
	strbuf__exit(text);
	*text = new;
}

int config__set(enum config_place place, const char *key, const char *value, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	struct stat st;
	char *path = path_of(place == CONFIG_SYSTEM ? CONFIG_SYSTEM : CONFIG_USER);
	char *target = path ? realpath(path, NULL) : NULL; /* the file behind a symbolic link */
	int ret;

	if (!path)
		return err__set(err, -ENOENT,
				place == CONFIG_SYSTEM ? "PERF_CONFIG replaces the system's file"
						       : "there is no user's file: HOME is not set");
	if (target && !stat(target, &st) && is_foreign(&st)) { /* a new file would be mine, and be followed */
		ret = err__set(err, -EPERM, "cannot change '%s': it belongs to user id %u", path, st.st_uid);
		free(target);
		free(path);
		return ret;
	}
	ret = target ? file__read(target, &text, CONFIG_MAX) : 0;
	if (ret) {
		err__set(err, ret, "cannot read '%s': %s", target, err__str(ret));
	} else {
		config__edit(&text, key, value);
		ret = output_file__write(target ? target : path, text.buf, text.len, 0666, NULL);
		if (ret)
			err__set(err, ret, "cannot write '%s': %s", path, err__str(ret));
	}
	strbuf__exit(&text);
	free(target);
	free(path);
	return ret;
}

int config__bool(const char *value)
{
	static const char *const no[] = { "false", "no", "off", "0" }, *const yes[] = { "true", "yes", "on" };

	for (size_t i = 0; i < ARRAY_SIZE(no); i++)
		if (!strcasecmp(value, no[i]))
			return 0;
	for (size_t i = 0; i < ARRAY_SIZE(yes); i++)
		if (!strcasecmp(value, yes[i]))
			return 1;
	return *value && strspn(value, "0123456789") == strlen(value) ? strtoul(value, NULL, 10) != 0 : -1;
}
