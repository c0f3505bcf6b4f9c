#include "base/text/fold_name.h"

#include "base/memory/array.h"

#include <string.h>

enum { KEPT = 3, HASH_DIGITS = 16 }; /* KEPT: bytes between brackets that are not worth folding */

struct folding {
	struct strbuf *out;
	const char *name, *end;
	const char *after_operator; /* the position after the last operator's symbol */
	u32 *partner;               /* by position: of a bracket's other side; 0: none */
};

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
	       c == '$' || (c & 0x80);
}

static bool has_prefix(const char *s, const char *end, const char *prefix)
{
	size_t len = strlen(prefix);

	return (size_t)(end - s) >= len && !memcmp(s, prefix, len);
}

/* Return the length of "operator" at p with its symbol; 0: not an operator. */
static size_t operator_length(const char *name, const char *p, const char *end)
{
	static const char *const symbols[] = { "()", "[]", "->*", "->", "<=>", "<<=", ">>=",
					       "<<", ">>", "<=",  ">=", "<",   ">",   "," };
	size_t len = strlen("operator");

	if (*p != 'o' || !has_prefix(p, end, "operator") || (p > name && is_word(p[-1])) || is_word(p[len]))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(symbols); i++)
		if (has_prefix(p + len, end, symbols[i]))
			return len + strlen(symbols[i]);
	return len + strspn(p + len, "+-*/%^&|~!=");
}

/*
 * Find the pairs of brackets. A '<' or '>' without a partner is an operator of an expression; so is one whose
 * partner is outside of the parentheses around it.
 */
static void folding__pair(struct folding *f)
{
	static const char openers[] = "<([{", closers[] = ">)]}";
	ARRAY(u32) open = { 0 };
	size_t len;

	for (const char *p = f->name; p < f->end; p += MAX(len, (size_t)1)) {
		const char *closer = strchr(closers, *p);
		size_t nr = open.nr;

		len = operator_length(f->name, p, f->end);
		if (len)
			continue;
		if (strchr(openers, *p))
			array__add(&open, (u32)(p - f->name));
		if (!closer)
			continue;
		while (*p != '>' && nr && f->name[open.v[nr - 1]] == '<')
			nr--;
		if (!nr || f->name[open.v[nr - 1]] != openers[closer - closers] ||
		    (*p == '>' && p[-1] == '-'))
			continue;
		open.nr = nr - 1;
		f->partner[open.v[open.nr]] = (u32)(p - f->name);
	}
	array__exit(&open);
}

/* Append a bracket with what it contains: whole, or as "...". Return the position after it. */
static const char *folding__bracket(struct folding *f, const char *p)
{
	const char *close = f->name + f->partner[p - f->name];

	strbuf__addch(f->out, *p);
	if (close - p - 1 > KEPT)
		strbuf__addstr(f->out, "...");
	else
		strbuf__add(f->out, p + 1, (size_t)(close - p - 1));
	strbuf__addch(f->out, *close);
	return close + 1;
}

/*
 * Are these the arguments of a template? Otherwise '<' begins a type, as in "<T as Trait>::f", or a name as
 * "<init>" of Java and "<module>" of Python.
 */
static bool is_arguments(const struct folding *f, const char *p)
{
	const char *close = f->name + f->partner[p - f->name];

	if (p == f->name || has_prefix(p, f->end, "<impl "))
		return false;
	if (p == f->after_operator || (p[-1] == ' ' && p - 1 == f->after_operator))
		return true;
	if (p[-1] == ':')
		return p - f->name > 1 && p[-2] == ':' && !has_prefix(p, f->end, "<init>") &&
		       !has_prefix(p, f->end, "<clinit>") && (close[1] != ':' || close[2] == ':');
	return is_word(p[-1]) || strchr(">)]}'", p[-1]);
}

/* Are these the parameters of a function? Otherwise '(' is a part of a type, or of the name, as in Go. */
static bool is_parameters(const struct folding *f, const char *p)
{
	return p == f->after_operator || (p > f->name && (is_word(p[-1]) || strchr(">]'", p[-1])));
}

/* "{lambda(int)#1}::operator()": return the position after it. */
static const char *folding__lambda(struct folding *f, const char *p)
{
	static const char call[] = "::operator()";
	const char *paren = p + strlen("{lambda"), *close = f->name + f->partner[p - f->name];
	const char *number = f->name + f->partner[paren - f->name] + 1;

	strbuf__addstr(f->out, "{lambda");
	strbuf__add(f->out, number, (size_t)(close + 1 - number));
	if (!has_prefix(close + 1, f->end, call))
		return close + 1;
	return f->after_operator = close + 1 + strlen(call);
}

static bool is_lambda(const struct folding *f, const char *p)
{
	return has_prefix(p, f->end, "{lambda(") && f->partner[p - f->name] &&
	       f->partner[p + strlen("{lambda") - f->name];
}

/* Skip text that is left out without a mark. Return the position after it, or p. */
static const char *folding__skip(const struct folding *f, const char *p)
{
	static const char *const dropped[] = { "(anonymous namespace)::", "__cxx11::", "__1::" };
	static const char hash[] = "::h";

	if (has_prefix(p, f->end, "[abi:") && f->partner[p - f->name])
		return f->name + f->partner[p - f->name] + 1;
	if (has_prefix(p, f->end, hash) && (size_t)(f->end - p) == strlen(hash) + HASH_DIGITS &&
	    strspn(p + strlen(hash), "0123456789abcdef") == HASH_DIGITS)
		return f->end;
	if (p > f->name && is_word(p[-1]))
		return p;
	for (size_t i = 0; i < ARRAY_SIZE(dropped); i++)
		if (has_prefix(p, f->end, dropped[i]) && f->end - p > (ptrdiff_t)strlen(dropped[i]))
			return p + strlen(dropped[i]);
	return p;
}

/* Append what begins at p, folded. Return the position after it. */
static const char *folding__step(struct folding *f, const char *p)
{
	size_t len = operator_length(f->name, p, f->end);
	const char *after = folding__skip(f, p);
	bool has_partner = f->partner[p - f->name];

	if (after > p)
		return after;
	if (len) {
		strbuf__add(f->out, p, len);
		return f->after_operator = p + len;
	}
	if (is_lambda(f, p))
		return folding__lambda(f, p);
	if (has_partner && ((*p == '<' && is_arguments(f, p)) || (*p == '(' && is_parameters(f, p))))
		return folding__bracket(f, p);
	strbuf__addch(f->out, *p);
	return p + 1;
}

/* Return the length of a name without the version of its symbol: "@@GLIBC_2.34". */
static size_t unversioned_length(const char *name)
{
	static const char word[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
	const char *at = strrchr(name, '@'), *digits;

	if (!at || at - name < 2 || at[1] < 'A' || at[1] > 'Z')
		return strlen(name);
	digits = at + 1 + strspn(at + 1, word);
	if (digits[-1] != '_' || !*digits || digits[strspn(digits, "0123456789.")])
		return strlen(name);
	return (size_t)(at - name) - (at[-1] == '@');
}

void name__fold(struct strbuf *sb, const char *name)
{
	size_t len = unversioned_length(name);
	struct folding f = { .out = sb, .name = name, .end = name + len };

	if (!strpbrk(name, "<([{:") || len >= UINT32_MAX) {
		strbuf__add(sb, name, len);
		return;
	}
	f.partner = xcalloc(len + 1, sizeof(*f.partner));
	folding__pair(&f);
	for (const char *p = name; p < f.end;)
		p = folding__step(&f, p);
	free(f.partner);
}

bool name__is(const char *name, const char *wanted)
{
	struct strbuf folded = STRBUF_INIT;
	bool is_equal = !strcmp(name, wanted);

	if (!is_equal) {
		name__fold(&folded, name);
		is_equal = !strcmp(folded.buf, wanted);
	}
	strbuf__exit(&folded);
	return is_equal;
}
