/*
 * Records that describe the system before the recording began: the map of the kernel, its modules, and the
 * names, parents and executable maps of existing threads.
 */
#ifndef RECORD_SYNTHESIZE_H
#define RECORD_SYNTHESIZE_H

#include "base/message/err.h"
#include "base/system/file.h"
#include "base/text/strbuf.h"

#include <sys/types.h>

/* The modules that a file already describes, so that modules loaded later can be added. */
struct module_records {
	struct strbuf maps; /* MMAP records, one after the other */
	u64 folders;        /* in /sys/module when /proc/modules was read; 0: not known */
	u64 list;           /* hash of the modules in /proc/modules at that time */
};

struct synthesize_opts {
	size_t id_size;  /* build__id_size of the recording */
	bool data_maps;  /* -d: also maps that are not executable */
	bool build_ids;  /* read build-ids of mapped files into the MMAP2 records */
	bool no_kernel;  /* leave out the kernel's map */
	bool no_maps;    /* leave out the maps of tasks */
	bool namespaces; /* of each thread */
	/* gets the records of modules, too; NULL: new modules are not looked for */
	struct module_records *modules;
};

/*
 * Append the kernel's map and one map per module. The reference symbol is _text or else _stext, as in stock
 * perf. With build_ids the kernel's map is an MMAP2 with its id. hidden (may be NULL): set if the addresses
 * are hidden (kptr_restrict, or perf_event_paranoid without CAP_SYSLOG); nothing is written then, as in
 * stock perf.
 */
int synthesize__kernel(struct strbuf *out, const struct synthesize_opts *opts, bool *hidden, struct err *err);
/*
 * Append the records of modules that opts->modules lacks, and add them there. Unless always, /proc/modules is
 * read only if the number of modules has changed since. Nothing is appended with no_kernel, or if addresses
 * are hidden.
 */
void synthesize__new_modules(struct strbuf *out, const struct synthesize_opts *opts, bool always);
/*
 * Append these processes with all their threads, read by several threads if there are many. Processes that
 * have ended are left out.
 */
int synthesize__processes(struct strbuf *out, const int_array *pids, const struct synthesize_opts *opts,
			  struct err *err);
/* Append these threads only (-t), with the maps of their processes. */
int synthesize__threads(struct strbuf *out, const int_array *tids, const struct synthesize_opts *opts,
			struct err *err);
/* Append the namespaces of one thread, as far as they can be read. */
void synthesize__namespaces(struct strbuf *out, pid_t pid, pid_t tid, const struct synthesize_opts *opts);
/* Append all cgroups of the hierarchy that perf events use. Return 0 or a negative errno with err. */
int synthesize__cgroups(struct strbuf *out, const struct synthesize_opts *opts, struct err *err);

#endif
