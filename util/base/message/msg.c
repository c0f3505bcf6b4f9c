#include "base/message/msg.h"

#include "base/memory/limit_advice.h"
#include "base/text/mask.h"

#include <stdarg.h>
#include <string.h>
#include <unistd.h>

static int level = MSG_NORMAL;
static msg_sink_fn sink;

void msg__set_level(int new_level)
{
	level = new_level;
}

void msg__set_sink(msg_sink_fn new_sink)
{
	sink = new_sink;
}

static void write_all(const char *text, size_t len)
{
	while (len) {
		ssize_t n = write(STDERR_FILENO, text, len);

		if (n <= 0)
			return;
		text += n;
		len -= (size_t)n;
	}
}

static void emit(const char *prefix, const char *fmt, va_list ap)
{
	struct strbuf line = STRBUF_INIT;
	size_t start;

	strbuf__addstr(&line, prefix);
	start = line.len;
	strbuf__vaddf(&line, fmt, ap);
	mask_message(line.buf + start, line.len - start, fmt);
	strbuf__addch(&line, '\n');
	(sink ? sink : write_all)(line.buf, line.len);
	strbuf__exit(&line);
}

int error__say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	emit("perf: error: ", fmt, ap);
	va_end(ap);
	return -1;
}

int error__print(const struct err *e)
{
	struct strbuf text = STRBUF_INIT;
	char advice[128];

	strbuf__addstr(&text, e->text.buf);
	if (!strstr(text.buf, "RLIMIT_") && limit_advice__write(e->code, advice, sizeof(advice)))
		strbuf__addf(&text, "\n%s", advice);
	error__say("%s", text.buf);
	strbuf__exit(&text);
	return -1;
}

void warning(const char *fmt, ...)
{
	va_list ap;

	if (level < MSG_NORMAL)
		return;
	va_start(ap, fmt);
	emit("perf: warning: ", fmt, ap);
	va_end(ap);
}

void info(const char *fmt, ...)
{
	va_list ap;

	if (level < MSG_NORMAL)
		return;
	va_start(ap, fmt);
	emit("", fmt, ap);
	va_end(ap);
}

void debug(int at, const char *domain, const char *fmt, ...)
{
	struct strbuf prefix = STRBUF_INIT;
	va_list ap;

	if (level < at)
		return;
	strbuf__addf(&prefix, "%s: ", domain);
	va_start(ap, fmt);
	emit(prefix.buf, fmt, ap);
	va_end(ap);
	strbuf__exit(&prefix);
}
