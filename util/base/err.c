#include "base/err.h"

#include <stdarg.h>
#include <string.h>

void err__exit(struct err *e)
{
	strbuf__exit(&e->text);
	e->code = 0;
}

int err__set(struct err *e, int code, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return code;
	e->code = code;
	strbuf__reset(&e->text);
	va_start(ap, fmt);
	strbuf__vaddf(&e->text, fmt, ap);
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
	strbuf__vaddf(&e->text, fmt, ap);
	va_end(ap);
}

const char *err__str(int code)
{
	return strerror(code < 0 ? -code : code);
}
