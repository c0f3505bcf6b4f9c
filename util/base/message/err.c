#include "base/message/err.h"

#include "base/text/mask.h"

#include <stdarg.h>
#include <string.h>

void err__exit(struct err *e)
{
	strbuf__exit(&e->text);
	e->code = 0;
}

/* Mask newlines in names, so that they do not add lines. */
static void err__vaddf(struct err *e, const char *fmt, va_list ap)
{
	size_t start = e->text.len;

	strbuf__vaddf(&e->text, fmt, ap);
	mask_message(e->text.buf + start, e->text.len - start, fmt);
}

int err__set(struct err *e, int code, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return code;
	e->code = code;
	strbuf__reset(&e->text);
	va_start(ap, fmt);
	err__vaddf(e, fmt, ap);
	va_end(ap);
	return code;
}

void err__advise(struct err *e, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return;
	strbuf__addch(&e->text, '\n');
	va_start(ap, fmt);
	err__vaddf(e, fmt, ap);
	va_end(ap);
}

void err__prefix(struct err *e, const char *fmt, ...)
{
	struct strbuf rest;
	va_list ap;

	if (!e)
		return;
	rest = e->text;
	strbuf__init(&e->text);
	va_start(ap, fmt);
	err__vaddf(e, fmt, ap);
	va_end(ap);
	strbuf__addstr(&e->text, ": ");
	strbuf__add(&e->text, rest.buf, rest.len);
	strbuf__exit(&rest);
}

const char *err__str(int code)
{
	return strerror(code < 0 ? -code : code);
}
