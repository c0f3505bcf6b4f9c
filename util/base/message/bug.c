#include "base/message/bug.h"

#include "base/message/msg.h"
#include "base/text/strbuf.h"

#include <stdarg.h>
#include <stdlib.h>

#ifdef BUGS_ARE_FATAL
bool bugs_are_fatal = true;
#else
bool bugs_are_fatal;
#endif

void bug__found(bool *is_told, const char *what, const char *fmt, ...)
{
	struct strbuf values = STRBUF_INIT;
	va_list ap;

	if (__atomic_exchange_n(is_told, true, __ATOMIC_RELAXED) && !bugs_are_fatal)
		return;
	va_start(ap, fmt);
	strbuf__vaddf(&values, fmt, ap);
	va_end(ap);
	error__say("bug in perf: %s (%s)", what, values.buf);
	if (bugs_are_fatal)
		abort();
	strbuf__exit(&values);
}
