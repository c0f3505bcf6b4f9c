#include "record/target/kernel_names.h"

#include "base/memory/arena.h"
#include "base/message/word_list.h"
#include "binary/symbols/kallsyms.h"

#include <errno.h>
#include <string.h>

struct search {
	const char *name;
	size_t len;
	kernel_name_array *found;
	bool any_addr, any_data;
};

static bool is_function(char type)
{
	return type && strchr("tTwW", type);
}

static bool is_data(char type)
{
	return type && strchr("dDbBrRvVgGsS", type);
}

/* Symbols that mark section boundaries; they exist without any variable. */
static bool is_mark(const struct kallsyms_line *l)
{
	return l->name_len > 2 && l->name[0] == '_' && l->name[1] == '_';
}

static int look_at(const struct kallsyms_line *l, void *ctx)
{
	struct search *s = ctx;
	struct kernel_name *n;

	s->any_addr |= l->addr != 0;
	s->any_data |= is_data(l->type) && !is_mark(l);
	if (l->name_len != s->len || memcmp(l->name, s->name, s->len) != 0 ||
	    (!is_function(l->type) && !is_data(l->type)))
		return 0;
	n = array__push(s->found);
	*n = (struct kernel_name){ .addr = l->addr, .is_function = is_function(l->type) };
	n->is_global = l->type < 'a'; /* upper case */
	memcpy(n->module, l->module ? l->module : "", MIN(l->module_len, sizeof(n->module) - 1));
	return 0;
}

/* The lines need not be sorted, so the next symbol is known only at the end. */
static int look_behind(const struct kallsyms_line *l, void *ctx)
{
	struct search *s = ctx;

	for (size_t i = 0; i < s->found->nr; i++) {
		struct kernel_name *n = &s->found->v[i];

		if (l->addr > n->addr && (!n->size || l->addr - n->addr < n->size))
			n->size = l->addr - n->addr;
	}
	return 0;
}

int kernel_names__find(const void *text, size_t size, const char *name, kernel_name_array *found,
		       struct err *err)
{
	struct search s = { .name = name, .len = strlen(name), .found = found };

	found->nr = 0;
	kallsyms__parse(text, size, look_at, &s);
	if (found->nr && !s.any_addr)
		return err__set(err, -EPERM, "the kernel's addresses are hidden: '%s' cannot be found", name);
	if (!found->nr && !s.any_data) {
		err__set(err, -ENODATA,
			 "/proc/kallsyms has no data symbols: this kernel was built without "
			 "CONFIG_KALLSYMS_ALL");
		err__advise(
			err,
			"give the address of '%s', from the System.map or vmlinux of this kernel: mem:0xADDR",
			name);
		return -ENODATA;
	}
	if (found->nr)
		kallsyms__parse(text, size, look_behind, &s);
	return 0;
}

struct suggesting {
	struct suggest suggest;
	struct arena names;
};

static int offer(const struct kallsyms_line *l, void *ctx)
{
	struct suggesting *s = ctx;

	if (is_function(l->type) || is_data(l->type))
		suggest__offer(&s->suggest, arena__strndup(&s->names, l->name, l->name_len));
	return 0;
}

bool kernel_names__suggest(const void *text, size_t size, const char *name, struct err *err)
{
	struct suggesting s = { .names = ARENA_INIT };
	bool any;

	suggest__init(&s.suggest, "", name);
	kallsyms__parse(text, size, offer, &s);
	any = err__suggest(err, &s.suggest);
	arena__exit(&s.names);
	return any;
}
