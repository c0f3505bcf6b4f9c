/*
 * The binaries in which the names of -e are looked up: the command's program and the libraries it starts
 * with (also with -a), or the binaries that the target processes have mapped.
 *
 * Only the command's own loader knows its libraries. If they are needed, the command is started once,
 * stopped when the libraries are loaded and before any of its code runs, and killed.
 */
#ifndef RECORD_SCOPE_H
#define RECORD_SCOPE_H

#include "binary/symbols/elf_object.h"
#include "record/target/target.h"

struct scope_object {
	struct elf_object *elf; /* owned; its path is as /proc/PID/maps has it */
	bool is_program;        /* false: a library */
};

struct scope {
	const struct target *target;
	char *const *argv; /* the command; NULL: none */
	ARRAY(struct scope_object) objects;
	ARRAY(struct elf_object *) others; /* opened by name; owned */
	bool has_programs, has_libraries;
};

/* Set up a scope. target and argv must outlive s. */
void scope__init(struct scope *s, const struct target *target, char *const *argv);
void scope__exit(struct scope *s);
/*
 * Fill objects with the programs only, or with all binaries. Both are empty for a system-wide recording
 * without a command. Return 0 or a negative errno with err.
 */
int scope__programs(struct scope *s, struct err *err);
int scope__libraries(struct scope *s, struct err *err);
/*
 * Return the binary that the user calls name: a path, the name of one of the objects ("prog", "libfoo.so.1",
 * "libfoo"), or a library or command found where the loader or a shell would find it. Return NULL with err
 * and -ENOENT or another error in *ret.
 */
struct elf_object *scope__binary(struct scope *s, const char *name, int *ret, struct err *err);

#endif
