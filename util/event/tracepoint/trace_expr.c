#include "event/tracepoint/trace_expr.h"

#include <string.h>

enum {
	DEPTH_MAX = 200, /* of trees, and of brackets; formats of kernels have up to 30 */
	WORD_MAX = 64,   /* letters of a name that means something */
};

struct parser {
	struct trace_lexer lexer;
	const struct trace_fields *fields;
	struct arena *arena;
	u8 long_size;
	int depth;
};

typedef const struct trace_expr *expr_t; /* NULL: not understood */

static expr_t parse_expr(struct parser *ps);

/* ---- trees ---- */

static expr_t parser__add(struct parser *ps, const struct trace_expr *e)
{
	const struct trace_expr *parts[] = { e->condition, e->left, e->right };
	bool is_constant = (e->kind == TRACE_NUMBER && (!e->text || e->is_constant)) ||
			   e->kind == TRACE_CAST || e->kind == TRACE_UNARY || e->kind == TRACE_BINARY;
	struct trace_expr *copy;
	u16 depth = 0;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (parts[i]) {
			depth = MAX(depth, parts[i]->depth);
			is_constant &= parts[i]->is_constant;
		}
	if (depth >= DEPTH_MAX)
		return NULL;
	copy = arena__alloc(ps->arena, sizeof(*copy));
	*copy = *e;
	copy->depth = depth + 1;
	copy->is_constant = is_constant;
	return copy;
}

static expr_t parser__number(struct parser *ps, u64 value, bool is_signed)
{
	return parser__add(
		ps, &(struct trace_expr){ .kind = TRACE_NUMBER, .value = value, .is_signed = is_signed });
}

static bool parser__take_sign(struct parser *ps, u8 sign)
{
	if (!trace_lexer__is_sign(&ps->lexer, sign))
		return false;
	trace_lexer__next(&ps->lexer);
	return true;
}

/* Take the current token as a name; NULL if it is not one, or too long. */
static const char *parser__take_name(struct parser *ps, char name[WORD_MAX])
{
	if (ps->lexer.token != TOKEN_NAME || ps->lexer.len >= WORD_MAX)
		return NULL;
	memcpy(name, ps->lexer.start, ps->lexer.len);
	name[ps->lexer.len] = '\0';
	trace_lexer__next(&ps->lexer);
	return name;
}

/* ---- types ---- */

/* Size in bytes and signedness; size 0: as wide as a register, so a cast changes nothing. */
struct type {
	u8 size;
	bool is_signed;
};

static const struct type_word {
	const char *word;
	u8 size; /* 0: says nothing about the size; LONG: the recorded machine's */
	bool is_unsigned;
} type_words[] = {
	{ "unsigned", 0, true }, { "signed", 0, false },
	{ "const", 0, false },   { "volatile", 0, false },
	{ "struct", 0, false },  { "union", 0, false },
	{ "enum", 4, false },    { "void", 0, false },
	{ "char", 1, false },    { "short", 2, false },
	{ "int", 4, false },     { "long", UINT8_MAX, false },
	{ "bool", 1, true },     { "u8", 1, true },
	{ "u16", 2, true },      { "u32", 4, true },
	{ "u64", 8, true },      { "s8", 1, false },
	{ "s16", 2, false },     { "s32", 4, false },
	{ "s64", 8, false },     { "__u8", 1, true },
	{ "__u16", 2, true },    { "__u32", 4, true },
	{ "__u64", 8, true },    { "__s32", 4, false },
	{ "__s64", 8, false },   { "uint8_t", 1, true },
	{ "uint16_t", 2, true }, { "uint32_t", 4, true },
	{ "uint64_t", 8, true }, { "size_t", UINT8_MAX, true },
	{ "uint", 4, true },     { "ulong", UINT8_MAX, true },
	{ "ushort", 2, true },   { "ssize_t", UINT8_MAX, false },
	{ "dev_t", 4, true },    { "gfp_t", 4, true },
	{ "pid_t", 4, false },
};

static const struct type_word *type_word__find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(type_words); i++)
		if (!strcmp(type_words[i].word, name))
			return &type_words[i];
	return NULL;
}

static bool is_type_name(const char *name)
{
	size_t len = strlen(name);

	return type_word__find(name) || (len > 2 && !strcmp(name + len - 2, "_t"));
}

/* Take all words up to and including ')'. In "(struct page *)" only the first one is known. */
static bool parse_type(struct parser *ps, struct type *type)
{
	bool is_unsigned = false, is_pointer = false;
	char name[WORD_MAX];
	u32 size = 4;

	while (ps->lexer.token == TOKEN_NAME) {
		const struct type_word *w;

		if (!parser__take_name(ps, name))
			return false;
		w = type_word__find(name);
		is_unsigned |= w && w->is_unsigned;
		if (!w || w->size) /* unknown types are as wide as a register */
			size = !w ? 8 : w->size == UINT8_MAX ? ps->long_size : w->size;
		if (w && w->size == UINT8_MAX && !strcmp(name, "long") &&
		    trace_lexer__is_name(&ps->lexer, "long"))
			size = 8;
		if (w && w->size && w->size != 4 && trace_lexer__is_name(&ps->lexer, "int"))
			trace_lexer__next(&ps->lexer); /* "long int" */
	}
	while (parser__take_sign(ps, '*'))
		is_pointer = true;
	*type = is_pointer ? (struct type){ ps->long_size, false } : (struct type){ (u8)size, !is_unsigned };
	return parser__take_sign(ps, ')');
}

/* ---- helpers ---- */

static const struct trace_field *parse_field_name(struct parser *ps)
{
	char name[WORD_MAX];

	return parser__take_name(ps, name) ? trace_fields__find(ps->fields, name) : NULL;
}

/* "NAME)" of a dynamic field */
static expr_t parse_dynamic(struct parser *ps, enum trace_expr_kind kind)
{
	const struct trace_field *field = parse_field_name(ps);

	if (!field || !field->is_dynamic || !parser__take_sign(ps, ')'))
		return NULL;
	return parser__add(ps, &(struct trace_expr){ .kind = kind, .field = field, .is_signed = true });
}

/* Constants that the kernel's formats use by name, where old kernels did not write the number. */
static bool name__value(const char *name, u64 *value)
{
	static const struct {
		const char *name;
		u64 value;
	} names[] = {
		{ "HI_SOFTIRQ", 0 },
		{ "TIMER_SOFTIRQ", 1 },
		{ "NET_TX_SOFTIRQ", 2 },
		{ "NET_RX_SOFTIRQ", 3 },
		{ "BLOCK_SOFTIRQ", 4 },
		{ "IRQ_POLL_SOFTIRQ", 5 },
		{ "TASKLET_SOFTIRQ", 6 },
		{ "SCHED_SOFTIRQ", 7 },
		{ "HRTIMER_SOFTIRQ", 8 },
		{ "RCU_SOFTIRQ", 9 },
		{ "HRTIMER_NORESTART", 0 },
		{ "HRTIMER_RESTART", 1 },
		{ "true", 1 },
		{ "false", 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i].name, name)) {
			*value = names[i].value;
			return true;
		}
	return false;
}

/* "{ VALUE, "TEXT" }"; a text of NULL ends the list in some formats and is not counted. */
static bool parse_name(struct parser *ps, struct trace_name *n)
{
	static const struct trace_payload none;
	expr_t value = parser__take_sign(ps, '{') ? parse_expr(ps) : NULL, text;

	if (!value || !parser__take_sign(ps, ','))
		return false;
	text = parse_expr(ps);
	if (!text || !parser__take_sign(ps, '}'))
		return false;
	*n = (struct trace_name){ .text = text->kind == TRACE_TEXT ? text->text : "" };
	n->is_known = text->kind == TRACE_TEXT && value->is_constant;
	if (n->is_known)
		n->value = trace_expr__narrow_value(value, &none);
	return true;
}

/* ", { VALUE, "TEXT" }, ..." up to ')' */
static bool parse_names(struct parser *ps, struct trace_expr *e)
{
	ARRAY(struct trace_name) names = { 0 };
	bool ok = true;

	while (ok && parser__take_sign(ps, ','))
		ok = parse_name(ps, array__push(&names));
	if (ok && names.nr)
		e->names = arena__memdup(ps->arena, names.v, names.nr * sizeof(*names.v));
	e->nr_names = (u32)names.nr;
	array__exit(&names);
	return ok && parser__take_sign(ps, ')');
}

/* "VALUE, "DELIMITER", { ... }, ...)" */
static expr_t parse_flags(struct parser *ps, enum trace_expr_kind kind)
{
	struct trace_expr e = { .kind = kind, .left = parse_expr(ps) };

	if (!e.left || !parser__take_sign(ps, ',') || ps->lexer.token != TOKEN_TEXT)
		return NULL;
	e.text = arena__strdup(ps->arena, ps->lexer.text.buf);
	trace_lexer__next(&ps->lexer);
	return parse_names(ps, &e) ? parser__add(ps, &e) : NULL;
}

/* "VALUE, { ... }, ...)" */
static expr_t parse_symbol(struct parser *ps, enum trace_expr_kind kind)
{
	struct trace_expr e = { .kind = kind, .left = parse_expr(ps) };

	return e.left && parse_names(ps, &e) ? parser__add(ps, &e) : NULL;
}

static bool is_bytes(expr_t e)
{
	return e && e->kind == TRACE_FIELD && e->field->is_array;
}

/* "BYTES, COUNT)" */
static expr_t parse_hex_with(struct parser *ps, const char *between)
{
	struct trace_expr e = { .kind = TRACE_HEX, .text = between, .left = parse_expr(ps) };

	if (!is_bytes(e.left) || !parser__take_sign(ps, ','))
		return NULL;
	e.right = parse_expr(ps);
	return e.right && parser__take_sign(ps, ')') ? parser__add(ps, &e) : NULL;
}

static expr_t parse_hex(struct parser *ps, enum trace_expr_kind kind)
{
	(void)kind;
	return parse_hex_with(ps, " ");
}

static expr_t parse_hex_str(struct parser *ps, enum trace_expr_kind kind)
{
	(void)kind;
	return parse_hex_with(ps, "");
}

/* "ARRAY, COUNT, ELEMENT SIZE)" */
static expr_t parse_ints(struct parser *ps, enum trace_expr_kind kind)
{
	struct trace_expr e = { .kind = kind, .left = parse_expr(ps) };

	if (!is_bytes(e.left) || !parser__take_sign(ps, ','))
		return NULL;
	e.condition = parse_expr(ps);
	if (!e.condition || !parser__take_sign(ps, ','))
		return NULL;
	e.right = parse_expr(ps);
	return e.right && parser__take_sign(ps, ')') ? parser__add(ps, &e) : NULL;
}

static expr_t parse_sizeof(struct parser *ps, enum trace_expr_kind kind)
{
	struct type type;

	(void)kind;
	return parse_type(ps, &type) ? parser__number(ps, type.size, false) : NULL;
}

/* "EXPRESSION, EXPECTED VALUE)" */
static expr_t parse_expect(struct parser *ps, enum trace_expr_kind kind)
{
	expr_t e = parse_expr(ps);

	(void)kind;
	if (!e || !parser__take_sign(ps, ',') || !parse_expr(ps) || !parser__take_sign(ps, ')'))
		return NULL;
	return e;
}

static const struct helper {
	const char *name;
	expr_t (*parse)(struct parser *ps, enum trace_expr_kind kind); /* after '(' */
	enum trace_expr_kind kind;
} helpers[] = {
	{ "__print_flags", parse_flags, TRACE_FLAGS },
	{ "__print_flags_u64", parse_flags, TRACE_FLAGS },
	{ "__print_symbolic", parse_symbol, TRACE_SYMBOL },
	{ "__print_symbolic_u64", parse_symbol, TRACE_SYMBOL },
	{ "__print_hex", parse_hex, TRACE_HEX },
	{ "__print_hex_str", parse_hex_str, TRACE_HEX },
	{ "__print_array", parse_ints, TRACE_INTS },
	{ "__get_str", parse_dynamic, TRACE_FIELD },
	{ "__get_rel_str", parse_dynamic, TRACE_FIELD },
	{ "__get_dynamic_array", parse_dynamic, TRACE_FIELD },
	{ "__get_rel_dynamic_array", parse_dynamic, TRACE_FIELD },
	{ "__get_dynamic_array_len", parse_dynamic, TRACE_LENGTH },
	{ "__get_rel_dynamic_array_len", parse_dynamic, TRACE_LENGTH },
	{ "__get_sockaddr", parse_dynamic, TRACE_FIELD },
	{ "__get_rel_sockaddr", parse_dynamic, TRACE_FIELD },
	{ "__get_bitmask", parse_dynamic, TRACE_BITMASK },
	{ "__get_rel_bitmask", parse_dynamic, TRACE_BITMASK },
	{ "__get_cpumask", parse_dynamic, TRACE_CPUMASK },
	{ "__get_rel_cpumask", parse_dynamic, TRACE_CPUMASK },
	{ "sizeof", parse_sizeof, TRACE_NUMBER },
	{ "__builtin_expect", parse_expect, TRACE_NUMBER },
};

/* ---- expressions ---- */

static expr_t parse_field(struct parser *ps)
{
	const struct trace_field *field = parser__take_sign(ps, TRACE_OP_ARROW) ? parse_field_name(ps) : NULL;

	if (!field)
		return NULL;
	return parser__add(ps, &(struct trace_expr){ .kind = TRACE_FIELD,
						     .field = field,
						     .is_signed = field->is_signed || field->size < 8 });
}

static expr_t parse_named(struct parser *ps)
{
	char name[WORD_MAX];

	if (!parser__take_name(ps, name))
		return NULL;
	if (!strcmp(name, "REC"))
		return parse_field(ps);
	if (!parser__take_sign(ps, '(')) {
		struct trace_expr e = { .kind = TRACE_NUMBER, .is_signed = true };

		e.is_constant = name__value(name, &e.value);
		e.text = arena__strdup(ps->arena, name);
		return parser__add(ps, &e);
	}
	for (size_t i = 0; i < ARRAY_SIZE(helpers); i++)
		if (!strcmp(helpers[i].name, name))
			return helpers[i].parse(ps, helpers[i].kind);
	return NULL;
}

static expr_t parse_unary(struct parser *ps);

static expr_t parse_cast(struct parser *ps)
{
	struct trace_expr e = { .kind = TRACE_CAST };
	struct type type;

	if (!parse_type(ps, &type))
		return NULL;
	e.right = parse_unary(ps);
	if (!e.right)
		return NULL;
	if (is_bytes(e.right)) /* "(u8 *)array" */
		return e.right;
	e.size = type.size;
	e.is_signed = type.is_signed || type.size < 8;
	e.op = type.is_signed;
	return parser__add(ps, &e);
}

static expr_t parse_primary(struct parser *ps)
{
	struct trace_lexer *l = &ps->lexer;
	struct trace_expr text = { .kind = TRACE_TEXT };
	u64 value = l->value;
	bool is_signed = !l->is_unsigned;
	char name[WORD_MAX];
	expr_t e;

	switch (l->token) {
	case TOKEN_NUMBER:
		trace_lexer__next(l);
		return parser__number(ps, value, is_signed);
	case TOKEN_TEXT:
		text.text = arena__strdup(ps->arena, l->text.buf);
		trace_lexer__next(l);
		return parser__add(ps, &text);
	case TOKEN_NAME:
		return parse_named(ps);
	default:
		break;
	}
	if (!parser__take_sign(ps, '('))
		return NULL;
	if (l->token == TOKEN_NAME && l->len < WORD_MAX) {
		memcpy(name, l->start, l->len);
		name[l->len] = '\0';
		if (is_type_name(name))
			return parse_cast(ps);
	}
	e = parse_expr(ps);
	return e && parser__take_sign(ps, ')') ? e : NULL;
}

/* "ARRAY[INDEX]" */
static expr_t parse_element(struct parser *ps)
{
	struct trace_expr element = { .kind = TRACE_ELEMENT };
	expr_t e = parse_primary(ps);

	if (!e || !parser__take_sign(ps, '['))
		return e;
	if (!is_bytes(e))
		return NULL;
	element.field = e->field;
	element.is_signed = e->field->is_signed || e->field->element_size < 8;
	element.right = parse_expr(ps);
	return element.right && parser__take_sign(ps, ']') ? parser__add(ps, &element) : NULL;
}

static expr_t parse_unary(struct parser *ps)
{
	struct trace_expr e = { .kind = TRACE_UNARY };
	expr_t element = NULL;

	if (ps->depth >= DEPTH_MAX)
		return NULL;
	ps->depth++;
	if (ps->lexer.token == TOKEN_SIGN && strchr("!~-+", ps->lexer.sign)) {
		e.op = ps->lexer.sign;
		trace_lexer__next(&ps->lexer);
		e.right = parse_unary(ps);
		e.is_signed = e.right && (e.op == '!' || e.right->is_signed);
		element = e.right ? parser__add(ps, &e) : NULL;
	} else {
		element = parse_element(ps);
	}
	ps->depth--;
	return element;
}

/* Precedence of an operator; 0: not an operator. */
static int precedence(const struct trace_lexer *l)
{
	static const u8 rows[][4] = {
		{ TRACE_OP_OR },
		{ TRACE_OP_AND },
		{ '|' },
		{ '^' },
		{ '&' },
		{ TRACE_OP_EQ, TRACE_OP_NE },
		{ '<', '>', TRACE_OP_LE, TRACE_OP_GE },
		{ TRACE_OP_SHL, TRACE_OP_SHR },
		{ '+', '-' },
		{ '*', '/', '%' },
	};

	for (size_t i = 0; l->token == TOKEN_SIGN && i < ARRAY_SIZE(rows); i++)
		for (size_t k = 0; k < sizeof(rows[i]) && rows[i][k]; k++)
			if (rows[i][k] == l->sign)
				return (int)i + 1;
	return 0;
}

static bool is_comparison(u8 op)
{
	return op == '<' || op == '>' || op >= TRACE_OP_LE;
}

static expr_t parse_binary(struct parser *ps, int least)
{
	expr_t left = parse_unary(ps);
	int level;

	while (left && (level = precedence(&ps->lexer)) >= least && level) {
		struct trace_expr e = { .kind = TRACE_BINARY, .op = ps->lexer.sign, .left = left };

		trace_lexer__next(&ps->lexer);
		e.right = parse_binary(ps, level + 1);
		if (!e.right)
			return NULL;
		e.is_signed = is_comparison(e.op) || (left->is_signed && e.right->is_signed);
		left = parser__add(ps, &e);
	}
	return left;
}

static expr_t parse_expr(struct parser *ps)
{
	expr_t e = NULL;

	if (ps->depth >= DEPTH_MAX)
		return NULL;
	ps->depth++;
	e = parse_binary(ps, 1);
	if (e && parser__take_sign(ps, '?')) {
		struct trace_expr choice = { .kind = TRACE_CHOICE, .condition = e, .left = parse_expr(ps) };

		if (choice.left && parser__take_sign(ps, ':'))
			choice.right = parse_expr(ps);
		choice.is_signed = choice.right && choice.left->is_signed && choice.right->is_signed;
		e = choice.right ? parser__add(ps, &choice) : NULL;
	}
	ps->depth--;
	return e;
}

bool trace_print__parse(struct trace_print *print, const struct trace_text *text,
			const struct trace_fields *fields, u8 long_size, struct arena *arena)
{
	struct parser ps = { .fields = fields, .arena = arena, .long_size = long_size };
	bool ok;

	*print = (struct trace_print){ .format = NULL };
	trace_lexer__init(&ps.lexer, text);
	ok = ps.lexer.token == TOKEN_TEXT;
	if (ok) {
		print->format = arena__strdup(arena, ps.lexer.text.buf);
		trace_lexer__next(&ps.lexer);
	}
	while (ok && parser__take_sign(&ps, ',')) {
		expr_t arg = parse_expr(&ps);

		ok = arg;
		array__add(&print->args, arg);
	}
	ok &= ps.lexer.token == TOKEN_END;
	trace_lexer__exit(&ps.lexer);
	return ok;
}

void trace_print__exit(struct trace_print *print)
{
	array__exit(&print->args);
}
