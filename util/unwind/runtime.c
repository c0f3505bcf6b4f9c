#include "unwind/runtime.h"

#include <string.h>

static const char python[] = "python3 -X perf (3.12 and newer)";
static const char node[] = "node --perf-basic-prof --interpreted-frames-native-stack";

static const struct runtime rows[] = {
	{ "libjvm.so", "java code", "-XX:+PreserveFramePointer, jcmd PID Compiler.perfmap", false },
	{ "node", "node code", node, false },
	{ "libnode.so", "node code", node, false },
	{ "python3", "python code", python, true },
	{ "libpython3", "python code", python, true },
	{ NULL, RUNTIME_UNKNOWN_CODE, "let its compiler keep frame pointers", false },
};

const struct runtime *runtime__of_file(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	for (size_t i = 0; i < ARRAY_SIZE(rows) && rows[i].file; i++)
		if (*name == *rows[i].file && !strncmp(name, rows[i].file, strlen(rows[i].file)))
			return &rows[i];
	return NULL;
}

const struct runtime *runtime__of_code(const char *code)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(code, rows[i].code))
			return &rows[i];
	return NULL;
}
