#include "binary/kallsyms.h"

#include <errno.h>
#include <string.h>

static const char *parse_hex(const char *p, const char *end, u64 *value)
{
	const char *start = p;
	u64 x = 0;

	for (; p < end; p++) {
		int d = *p >= '0' && *p <= '9' ? *p - '0' : *p >= 'a' && *p <= 'f' ? *p - 'a' + 10 : -1;

		if (d < 0)
			break;
		x = x << 4 | (u64)d;
	}
	*value = x;
	return p > start ? p : NULL;
}

static bool kallsyms_line__parse(struct kallsyms_line *l, const char *p, const char *end)
{
	const char *tab;

	p = parse_hex(p, end, &l->addr);
	if (!p || end - p < 4 || p[0] != ' ' || p[2] != ' ')
		return false;
	l->type = p[1];
	l->name = p + 3;
	tab = memchr(l->name, '\t', (size_t)(end - l->name));
	l->name_len = (size_t)((tab ? tab : end) - l->name);
	l->module = NULL;
	l->module_len = 0;
	if (tab && end - tab > 3 && tab[1] == '[' && end[-1] == ']') {
		l->module = tab + 2;
		l->module_len = (size_t)(end - 1 - l->module);
	}
	return l->name_len > 0;
}

int kallsyms__parse(const char *text, size_t size, kallsyms_fn fn, void *ctx)
{
	const char *p = text, *end = text + size;

	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		const char *line_end = nl ? nl : end;
		struct kallsyms_line l;
		int ret;

		if (kallsyms_line__parse(&l, p, line_end) && (ret = fn(&l, ctx)))
			return ret;
		p = line_end + 1;
	}
	return 0;
}

struct load_ctx {
	struct symtab *t;
	const char *module;
	size_t module_len;
	bool any_line, any_addr;
};

/* Code and data, as stock takes them: data symbols end functions that have no size of their own. */
static bool is_wanted_type(char type)
{
	return strchr("tTwWdDbB", type) && type;
}

static int load_line(const struct kallsyms_line *l, void *p)
{
	struct load_ctx *ctx = p;
	enum symbol_binding binding;

	ctx->any_line = true;
	ctx->any_addr |= l->addr != 0;
	if (!is_wanted_type(l->type) || l->name[0] == '$')
		return 0;
	if (l->module_len != ctx->module_len || (l->module && memcmp(l->module, ctx->module, l->module_len)))
		return 0;
	binding = l->type == 'W' ? SYMBOL_WEAK : l->type >= 'a' ? SYMBOL_LOCAL : SYMBOL_GLOBAL;
	symtab__addn(ctx->t, l->addr, 0, l->name, l->name_len, binding);
	return 0;
}

int kallsyms__load(struct symtab *t, const char *text, size_t size, const char *module)
{
	struct load_ctx ctx = { .t = t, .module = module, .module_len = module ? strlen(module) : 0 };

	kallsyms__parse(text, size, load_line, &ctx);
	if (!ctx.any_line)
		return -EINVAL;
	if (!ctx.any_addr) {
		symtab__exit(t);
		symtab__init(t);
		return -EPERM;
	}
	t->source = "kallsyms";
	symtab__finish(t);
	return 0;
}

struct reference_ctx {
	const char *const *names;
	u64 addr;
	int which; /* the best so far, -1: none */
	bool any_addr;
};

static int reference_line(const struct kallsyms_line *l, void *p)
{
	struct reference_ctx *ctx = p;

	ctx->any_addr |= l->addr != 0;
	if (l->module)
		return 0;
	for (int i = 0; ctx->names[i] && (ctx->which < 0 || i < ctx->which); i++)
		if (strlen(ctx->names[i]) == l->name_len && !memcmp(ctx->names[i], l->name, l->name_len)) {
			ctx->which = i;
			ctx->addr = l->addr;
		}
	return ctx->which == 0;
}

int kallsyms__reference(const char *text, size_t size, const char *const *names, u64 *addr, int *which)
{
	struct reference_ctx ctx = { .names = names, .which = -1 };

	kallsyms__parse(text, size, reference_line, &ctx);
	if (ctx.which < 0)
		return -ENOENT;
	if (!ctx.addr)
		return -EPERM;
	*addr = ctx.addr;
	*which = ctx.which;
	return 0;
}
