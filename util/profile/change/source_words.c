#include "profile/change/source_words.h"

#include <ctype.h>
#include <string.h>

static const struct source_language languages[] = {
	{ .endings = " c h cc cpp cxx c++ hh hpp hxx h++ inc ipp tcc tpp def m mm cu cuh ino l y ll yy ",
	  .line_comment = { "//" },
	  .comment = { "/*", "*/" },
	  .quotes = "\"'",
	  .has_blocks = true,
	  .has_directives = true },
	{ .endings = " rs ",
	  .line_comment = { "//" },
	  .comment = { "/*", "*/" },
	  .quotes = "\"'",
	  .has_blocks = true,
	  .nests = true,
	  .has_lifetimes = true },
	{ .endings = " go js mjs ts kt kts swift scala ",
	  .line_comment = { "//" },
	  .comment = { "/*", "*/" },
	  .quotes = "\"'`",
	  .has_blocks = true,
	  .line_ends = true },
	{ .endings = " java d cs zig vala php ",
	  .line_comment = { "//" },
	  .comment = { "/*", "*/" },
	  .quotes = "\"'",
	  .has_blocks = true },
	{ .endings = " s S asm ",
	  .line_comment = { "//", ";" },
	  .comment = { "/*", "*/" },
	  .quotes = "\"",
	  .has_directives = true },
	{ .endings = " ml mli ", .comment = { "(*", "*)" }, .quotes = "\"", .nests = true },
	{ .endings = " hs ",
	  .line_comment = { "--" },
	  .comment = { "{-", "-}" },
	  .quotes = "\"",
	  .nests = true },
	{ .endings = " adb ads vhd lua sql ", .line_comment = { "--" }, .quotes = "\"" },
	{ .endings = " f f90 f95 f03 f08 F F90 ", .line_comment = { "!" }, .quotes = "\"'" },
	{ .endings = " pas pp ", .line_comment = { "//" }, .comment = { "{", "}" }, .quotes = "'" },
	{ .endings = " lisp cl scm el clj ", .line_comment = { ";" }, .quotes = "\"" },
	{ .endings = " erl hrl tex ", .line_comment = { "%" }, .quotes = "\"" },
	{ .endings = " py pyx rb pl pm ex exs nim cr jl ", .line_comment = { "#" }, .quotes = "\"'" },
};

const struct source_language *source_language__of(const char *path)
{
	const char *name = strrchr(path, '/') ?: path, *dot = strrchr(name, '.');
	size_t len = dot ? strlen(dot + 1) : 0;

	for (size_t i = 0; len && i < ARRAY_SIZE(languages); i++)
		for (const char *p = languages[i].endings; (p = strstr(p, dot + 1)); p++)
			if (p[-1] == ' ' && p[len] == ' ')
				return &languages[i];
	return NULL;
}

struct splitter {
	const struct source_language *language;
	const char *text, *p, *end;
	u32 line;
	bool is_first, is_indented, is_directive;
};

static bool splitter__is_at(const struct splitter *s, const char *what)
{
	size_t len = what ? strlen(what) : 0;

	return len && (size_t)(s->end - s->p) >= len && !memcmp(s->p, what, len);
}

/* Go on by some bytes, at most to the end. */
static void splitter__skip(struct splitter *s, size_t nr)
{
	for (const char *end = s->p + MIN(nr, (size_t)(s->end - s->p)); s->p < end; s->p++)
		s->line += *s->p == '\n';
}

static void splitter__skip_comment(struct splitter *s)
{
	const struct source_language *l = s->language;
	u32 depth = 0;

	while (s->p < s->end) {
		if (splitter__is_at(s, l->comment[1])) {
			splitter__skip(s, strlen(l->comment[1]));
			depth -= depth > 0;
			if (!depth)
				return;
		} else if (splitter__is_at(s, l->comment[0]) && (!depth || l->nests)) {
			splitter__skip(s, strlen(l->comment[0]));
			depth++;
		} else {
			splitter__skip(s, 1);
		}
	}
}

static void splitter__skip_line(struct splitter *s)
{
	while (s->p < s->end && *s->p != '\n')
		s->p++;
}

/* Skip up to the string that ends it, and over that. */
static void splitter__skip_past(struct splitter *s, const char *what, size_t len)
{
	const char *found = len ? memmem(s->p, (size_t)(s->end - s->p), what, len) : NULL;

	splitter__skip(s, found ? (size_t)(found - s->p) + len : (size_t)(s->end - s->p));
}

/*
 * Skip R"x(...)x" of C++, r#"..."# of Rust and three quotes, if one begins here. Return false if none does.
 * Prefixes such as u8 are words of their own.
 */
static bool splitter__skip_raw_string(struct splitter *s)
{
	const char *p = s->p, *start;
	char mark[20] = { 0 };
	size_t hashes = 0;

	if (!s->language->has_blocks && (splitter__is_at(s, "\"\"\"") || splitter__is_at(s, "'''"))) {
		mark[0] = mark[1] = mark[2] = *p;
		splitter__skip(s, 3);
		splitter__skip_past(s, mark, 3);
		return true;
	}
	if (s->language->has_directives && splitter__is_at(s, "R\"")) {
		start = p + 2;
		for (p = start; p < s->end && *p != '(' && p - start < 16; p++)
			;
		if (p == s->end || *p != '(')
			return false;
		mark[0] = ')';
		memcpy(mark + 1, start, (size_t)(p - start));
		mark[1 + (p - start)] = '"';
		splitter__skip(s, (size_t)(p - s->p));
		splitter__skip_past(s, mark, (size_t)(p - start) + 2);
		return true;
	}
	if (!s->language->has_lifetimes || (*p != 'r' && !splitter__is_at(s, "br")))
		return false;
	for (p += *p == 'b' ? 2 : 1; p < s->end && *p == '#' && hashes < 16; p++)
		hashes++;
	if (p == s->end || *p != '"')
		return false;
	memset(mark, '#', hashes + 1);
	mark[0] = '"';
	splitter__skip(s, (size_t)(p - s->p) + 1);
	splitter__skip_past(s, mark, hashes + 1);
	return true;
}

static void splitter__skip_string(struct splitter *s)
{
	char quote = *s->p;
	bool is_raw = quote == '`';

	if (quote == '\'' && s->language->has_lifetimes && s->end - s->p > 2 && s->p[1] != '\\' &&
	    s->p[2] != '\'' && (isalpha((u8)s->p[1]) || s->p[1] == '_')) {
		splitter__skip(s, 1);
		return;
	}
	splitter__skip(s, 1);
	while (s->p < s->end && *s->p != quote) {
		if (*s->p == '\n' && (quote == '\'' || s->language->has_directives))
			return; /* an apostrophe, or a mistake */
		splitter__skip(s, *s->p == '\\' && !is_raw ? 2 : 1);
	}
	splitter__skip(s, 1);
}

static bool is_word_byte(char c)
{
	return isalnum((u8)c) || c == '_' || c == '$' || (u8)c >= 0x80;
}

/* Is the point or quote at p in a number? "1.5", 1'000 of C++; but not "0..9", "1.max(2)" */
static bool splitter__is_in_number(const struct splitter *s)
{
	char next = s->p + 1 < s->end ? s->p[1] : '\0';

	if (*s->p == '.')
		return isdigit((u8)next) || (s->language->has_directives && next != '.');
	return *s->p == '\'' && s->language->has_directives && isalnum((u8)next);
}

/* Skip the word at p. Return its kind. */
static enum source_word_kind splitter__skip_word(struct splitter *s)
{
	bool is_number = isdigit((u8)*s->p);

	if (splitter__skip_raw_string(s))
		return SOURCE_STRING;
	if (is_word_byte(*s->p)) {
		while (s->p < s->end && (is_word_byte(*s->p) || (is_number && splitter__is_in_number(s))))
			s->p++;
		return is_number ? SOURCE_NUMBER : SOURCE_WORD;
	}
	if (strchr(s->language->quotes, *s->p)) {
		splitter__skip_string(s);
		return SOURCE_STRING;
	}
	splitter__skip(s, 1);
	return SOURCE_CHARACTER;
}

/* Does the line that ends here go on in the next one? */
static bool splitter__continues_line(const struct splitter *s)
{
	const char *p = s->p;

	if (p > s->text && p[-1] == '\r')
		p--;
	return p > s->text && p[-1] == '\\';
}

/* Skip white space and comments. */
static void splitter__skip_space(struct splitter *s)
{
	const struct source_language *l = s->language;

	while (s->p < s->end) {
		if (*s->p == '\n') {
			s->is_directive &= splitter__continues_line(s);
			s->is_first = true;
			s->is_indented = false;
			splitter__skip(s, 1);
		} else if (isspace((u8)*s->p) || !*s->p || (*s->p == '\\' && s->is_directive)) {
			s->is_indented = true;
			s->p++;
		} else if (splitter__is_at(s, l->comment[0])) {
			splitter__skip_comment(s);
			s->is_indented = true;
		} else if (splitter__is_at(s, l->line_comment[0]) || splitter__is_at(s, l->line_comment[1])) {
			splitter__skip_line(s);
		} else {
			return;
		}
	}
}

void source_words__split(source_words *words, const struct source_language *l, const char *text, size_t size)
{
	struct splitter s = {
		.language = l, .text = text, .p = text, .end = text + size, .line = 1, .is_first = true
	};

	for (;;) {
		struct source_word *w;
		const char *start;

		splitter__skip_space(&s);
		if (s.p == s.end)
			return;
		start = s.p;
		s.is_directive |= l->has_directives && s.is_first && *s.p == '#';
		w = array__push(words);
		*w = (struct source_word){ .at = (u32)(start - text),
					   .line = s.line,
					   .is_first = s.is_first,
					   .is_indented = s.is_indented,
					   .is_directive = s.is_directive };
		w->kind = (u8)splitter__skip_word(&s);
		w->len = (u32)(s.p - start);
		s.is_first = false;
		s.is_indented = true;
	}
}
