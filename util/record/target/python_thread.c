#include "record/target/python_thread.h"

#include <string.h>

/*
 * Words of the table of Python 3.14, which keeps its form within a minor version. The first is the
 * cookie. (docs.python.org, "Remote debugging attachment protocol";
 * Include/internal/pycore_debug_offsets.h)
 */
enum word {
	VERSION = 1,
	FREE_THREADED = 2,
	RUNTIME_SIZE = 3,
	RUNTIME_FINALIZING = 4,
	RUNTIME_INTERPRETERS = 5,
	INTERPRETER_SIZE = 6,
	INTERPRETER_ID = 7,
	INTERPRETER_NEXT = 8,
	INTERPRETER_MAIN = 10,
	THREAD_SIZE = 22,
	THREAD_INTERPRETER = 25,
	STOP_BREAKER = 89, /* in the thread */
	STOP_SUPPORT = 90, /* in the thread; has the next but one and the one after it */
	STOP_ENABLED = 91, /* in the interpreter */
	STOP_PENDING = 92,
	STOP_PATH = 93,
	STOP_PATH_SIZE = 94,
	WORDS
};

enum {
	INTERPRETERS_MAX = 64,
	OBJECTS_MAX = 1 << 24, /* bytes of a runtime, interpreter or thread; larger ones are a lie */
	PATHS_MAX = 1 << 16,
	FINAL_RELEASE = 0xf, /* of the four bits for alpha, beta, candidate and final */
	/* older ones free code in use (gh-143228), or crash in children (gh-144766) */
	LEAST_PATCH = 5,
};

static const char odd[] = "its tables have an unknown form";
static const char unreadable[] = "its memory cannot be read";
static const char no_support[] = "it is older than Python 3.14";

static bool fits(u64 offset, u64 bytes, u64 size)
{
	return offset <= size && bytes <= size - offset;
}

/* Is every field within what it is a part of? */
static bool are_sane(const u64 *w, u64 runtime_size)
{
	const u64 thread = w[THREAD_SIZE], interpreter = w[INTERPRETER_SIZE], support = w[STOP_SUPPORT];

	return w[RUNTIME_SIZE] == runtime_size && interpreter <= OBJECTS_MAX && thread <= OBJECTS_MAX &&
	       fits(w[RUNTIME_FINALIZING], 8, runtime_size) &&
	       fits(w[RUNTIME_INTERPRETERS], 8, runtime_size) && fits(w[INTERPRETER_ID], 8, interpreter) &&
	       fits(w[INTERPRETER_NEXT], 8, interpreter) && fits(w[INTERPRETER_MAIN], 8, interpreter) &&
	       fits(w[STOP_ENABLED], 4, interpreter) && fits(w[THREAD_INTERPRETER], 8, thread) &&
	       fits(w[STOP_BREAKER], 8, thread) && w[STOP_PATH_SIZE] >= PYTHON_PATH_MAX &&
	       w[STOP_PATH_SIZE] <= PATHS_MAX && fits(support, 0, thread) &&
	       fits(w[STOP_PENDING], 4, thread - support) &&
	       fits(w[STOP_PATH], w[STOP_PATH_SIZE], thread - support);
}

static const char *read_table(u64 *w, const struct vm_memory *m, u64 runtime, u64 runtime_size)
{
	if (runtime_size < WORDS * sizeof(*w) || runtime_size > OBJECTS_MAX)
		return no_support;
	if (!vm_memory__read(m, runtime, w, WORDS * sizeof(*w)))
		return unreadable;
	if (memcmp(w, "xdebugpy", 8))
		return no_support;
	if (w[VERSION] >> 16 == 0x30d)
		return "it is Python 3.13";
	if (w[VERSION] >> 16 != 0x30e || (w[VERSION] >> 4 & 0xf) != FINAL_RELEASE)
		return "this version of Python is not known (3.14 is)";
	if ((w[VERSION] >> 8 & 0xff) < LEAST_PATCH)
		return "it is older than Python 3.14.5, and could crash";
	if (w[FREE_THREADED])
		return "it is a free-threaded Python";
	return are_sane(w, runtime_size) ? NULL : odd;
}

/* Find the interpreter with the number 0: the newest is first in the list. */
static const char *find_interpreter(u64 *addr, const u64 *w, const struct vm_memory *m, u64 runtime)
{
	u64 at, id;

	if (!vm_memory__u64(m, runtime + w[RUNTIME_INTERPRETERS], &at))
		return unreadable;
	for (int i = 0; at && i < INTERPRETERS_MAX; i++) {
		if (!vm_memory__u64(m, at + w[INTERPRETER_ID], &id))
			return unreadable;
		*addr = at;
		if (!id)
			return NULL;
		if (!vm_memory__u64(m, at + w[INTERPRETER_NEXT], &at))
			return unreadable;
	}
	return at ? odd : "it is starting or ending";
}

const char *python_thread__find(struct python_thread *t, const struct vm_memory *m, u64 runtime,
				u64 runtime_size)
{
	u64 w[WORDS], interpreter, thread, back, finalizing, support;
	const char *why = read_table(w, m, runtime, runtime_size);
	s32 is_enabled;

	if (!why)
		why = find_interpreter(&interpreter, w, m, runtime);
	if (why)
		return why;
	if (!vm_memory__u64(m, runtime + w[RUNTIME_FINALIZING], &finalizing) ||
	    !vm_memory__read(m, interpreter + w[STOP_ENABLED], &is_enabled, sizeof(is_enabled)) ||
	    !vm_memory__u64(m, interpreter + w[INTERPRETER_MAIN], &thread))
		return unreadable;
	if (finalizing || !thread)
		return "it is starting or ending";
	if (is_enabled != 1)
		return "remote debugging is disabled in it (PYTHON_DISABLE_REMOTE_DEBUG)";
	if (thread + w[THREAD_SIZE] < thread || !vm_memory__u64(m, thread + w[THREAD_INTERPRETER], &back))
		return unreadable;
	if (back != interpreter)
		return odd;
	support = thread + w[STOP_SUPPORT];
	*t = (struct python_thread){ .path = support + w[STOP_PATH],
				     .pending = support + w[STOP_PENDING],
				     .breaker = thread + w[STOP_BREAKER] };
	return NULL;
}
