#include "base/message/err.h"

#include "base/text/mask.h"

#include <errno.h>
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

static void advise_another_file(struct err *e, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct strbuf name = STRBUF_INIT;

	strbuf__add_shell_word(&name, slash && slash[1] ? slash + 1 : path);
	err__advise(e, "name a file that you may write with -o, such as -o ~/%s", name.buf);
	strbuf__exit(&name);
}

int err__set_output(struct err *e, int code, const char *path)
{
	err__set(e, code, "cannot write '%s': %s", path,
		 code == -ESTALE ? "another program removed or truncated it" : err__str(code));
	switch (-code) {
	case EACCES:
	case EPERM:
	case EROFS:
		advise_another_file(e, path);
		break;
	case ENOENT:
		err__advise(e, "its folder does not exist: create it, or name another file with -o");
		break;
	case EISDIR:
		err__advise(e, "name a file with -o");
		break;
	case EFBIG:
		err__advise(e, "the size of files is limited: ulimit -f unlimited");
		break;
	case ENOSPC:
	case EDQUOT:
		err__advise(e, "make room, or name a file on another disk with -o");
		break;
	default:
		break;
	}
	return code;
}
