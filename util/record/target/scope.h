/*
 * The binaries in which the names of -e are looked up: the command's program and the libraries that it starts
 * with (also where the command is recorded with all that runs, -a), or those that the target processes have
 * mapped. Which libraries a command starts with is what its own loader says: if that is asked for, the
 * command is started once, up to the point where its libraries are loaded and nothing of it has run, and
 * killed there.
 */
#ifndef RECORD_SCOPE_H
#define RECORD_SCOPE_H

#include "binary/symbols/elf_object.h"
#include "record/target/target.h"

struct scope_object {
	struct elf_object *elf; /* owned; its path is as /proc/PID/maps has it */
	bool is_program;        /* else a library */
};

struct scope {
	const struct target *target;
	char *const *argv; /* the command, NULL: none */
	ARRAY(struct scope_object) objects;
	ARRAY(struct elf_object *) others; /* opened by name; owned */
	bool has_programs, has_libraries;
};

/* target and argv must live as long. */
void scope__init(struct scope *s, const struct target *target, char *const *argv);
void scope__exit(struct scope *s);
/* Fills objects with the programs, or with all. None for all of the system without a command. 0 or a negative
 * errno with err. */
int scope__programs(struct scope *s, struct err *err);
int scope__libraries(struct scope *s, struct err *err);
/*
 * The binary that a user calls name: a path; the name of one of the objects ("prog", "libfoo.so.1",
 * "libfoo"); or of a library or command that is found elsewhere as the loader or a shell would. NULL with err
 * and -ENOENT in *ret, or another error.
 */
struct elf_object *scope__binary(struct scope *s, const char *name, int *ret, struct err *err);
/* The program that a process runs, as /proc/PID/maps has it; to be freed. NULL: gone, or not to be read. */
char *scope__program_of(pid_t pid);

#endif
