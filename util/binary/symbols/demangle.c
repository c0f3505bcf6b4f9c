#include "base/text/strbuf.h"
#include "base/text/utf8.h"
#include "binary/symbols/symtab.h"

#include <ctype.h>
#include <setjmp.h>
#include <string.h>

/* libiberty's header declares an xmemdup with three arguments, which is not used here. */
#define xmemdup libiberty_xmemdup
#include <libiberty/demangle.h>
#undef xmemdup

/* A hostile name of a few hundred bytes can expand to gigabytes; names that get too long stay mangled. */
enum {
	DEMANGLED_MAX = 1 << 18,
	D_NAME_MAX = 4096,
	D_BACKREFS_MAX = 40, /* each may double the length */
};

struct demangled {
	struct strbuf text;
	jmp_buf too_long;
};

static void demangled__add(const char *text, size_t len, void *ctx)
{
	struct demangled *d = ctx;

	if (d->text.len + len > DEMANGLED_MAX)
		longjmp(d->too_long, 1);
	strbuf__add(&d->text, text, len);
}

typedef int (*demangle_fn)(const char *name, int options, demangle_callbackref add, void *ctx);

static char *demangle_by(demangle_fn fn, const char *name)
{
	struct demangled d = { .text = STRBUF_INIT };

	if (!setjmp(d.too_long) && fn(name, DMGL_NO_OPTS, demangled__add, &d) && d.text.len)
		return strbuf__detach(&d.text);
	strbuf__exit(&d.text);
	return NULL;
}

static char *demangle_d(const char *name)
{
	size_t refs = 0;

	if (strncmp(name, "_D", 2) || strlen(name) > D_NAME_MAX)
		return NULL;
	for (const char *p = name; (p = strchr(p, 'Q')); p++)
		refs++;
	return refs <= D_BACKREFS_MAX ? dlang_demangle(name, DMGL_NO_OPTS) : NULL;
}

/* OCaml's encoder writes lower-case digits. */
static int hex_digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Return the byte that an escape stands for, "$" and two hex digits, or 0: there is none. */
static u8 ocaml_byte(const char *p)
{
	int high = p[0] == '$' ? hex_digit(p[1]) : -1, low = high < 0 ? -1 : hex_digit(p[2]);

	return low < 0 ? 0 : (u8)(high << 4 | low);
}

/*
 * Append the character whose bytes are escaped at *p, and move *p to its end. Return false if there is none:
 * a "$" before a name is a separator, also before "be" or "added". OCaml escapes only punctuation, and the
 * bytes of UTF-8.
 */
static bool add_ocaml_escape(struct strbuf *text, const char **p)
{
	enum { ESCAPE = 3, UTF8_MAX = 4 };
	char bytes[UTF8_MAX + 1] = { 0 };
	size_t size = 0;

	for (size_t i = 0; i < UTF8_MAX && (bytes[i] = (char)ocaml_byte(*p + i * ESCAPE)); i++)
		if (!size && (size = utf8__size(bytes)))
			break;
	if (!size || (size == 1 && (!isprint((unsigned char)bytes[0]) || isalnum((unsigned char)bytes[0]))))
		return false;
	strbuf__add(text, bytes, size);
	*p += size * ESCAPE;
	return true;
}

/*
 * OCaml: camlModule__Sub__name_123, since 5.1 camlModule$Sub$name_123 on some systems, with other characters
 * as $ and two hex digits.
 */
static char *demangle_ocaml(const char *name)
{
	struct strbuf text = STRBUF_INIT;
	const char *p = name + 4;

	if (strncmp(name, "caml", 4) || !isupper((unsigned char)name[4]))
		return NULL;
	while (*p) {
		if (p[0] == '_' && p[1] == '_') {
			strbuf__addch(&text, '.');
			p += 2;
		} else if (*p != '$') {
			strbuf__addch(&text, *p++);
		} else if (!add_ocaml_escape(&text, &p)) {
			strbuf__addch(&text, '.');
			p++;
		}
	}
	return strbuf__detach(&text);
}

static char *demangle(const char *name)
{
	char *text;

	if (name[0] == 'c')
		return demangle_ocaml(name);
	if (name[0] != '_')
		return NULL;
	text = demangle_by(rust_demangle_callback, name);
	if (!text)
		text = demangle_by(cplus_demangle_v3_callback, name);
	if (!text)
		text = demangle_d(name);
	if (!text || utf8__is_valid(text) || !utf8__is_valid(name))
		return text;
	free(text); /* a demangler decoded bytes that are not text */
	return NULL;
}

char *symbol__demangle(const char *name)
{
	size_t len = strlen(name);
	char *bare, *text, *full;

	if (len < 5 || strcmp(name + len - 4, "@plt"))
		return demangle(name);
	bare = xmemdup(name, len - 3);
	bare[len - 4] = '\0';
	text = demangle(bare);
	full = text ? xasprintf("%s@plt", text) : NULL;
	free(bare);
	free(text);
	return full;
}
