/*
 * The records that describe what was there before the recording began: the kernel's map, its modules, and the
 * names, parents and executable maps of existing threads.
 */
#ifndef RECORD_SYNTHESIZE_H
#define RECORD_SYNTHESIZE_H

#include "base/message/err.h"
#include "base/system/file.h"
#include "base/text/strbuf.h"

#include <sys/types.h>

/* The modules that a file has records of, so that those that are loaded later can be added. */
struct module_records {
	struct strbuf maps; /* MMAP records, one after the other */
	u64 folders;        /* in /sys/module when /proc/modules was read; 0: not known */
	u64 list;           /* hash of the modules that it had then */
};

struct synthesize_opts {
	size_t id_size;                 /* build__id_size of the recording */
	bool data_maps;                 /* -d: maps that are not executable, too */
	bool build_ids;                 /* read build-ids of mapped files into the MMAP2 records */
	bool no_kernel;                 /* no kernel map wanted */
	bool no_maps;                   /* tasks without what they have mapped */
	bool namespaces;                /* of each thread */
	struct module_records *modules; /* gets the records of modules, too; NULL: nobody asks for new ones */
};

/*
 * The kernel's map, reference symbol _text or else _stext, as stock writes it; one map per module. With
 * build_ids the kernel's is an MMAP2 with its id. hidden (may be NULL): set when the addresses are hidden
 * from us (kptr_restrict, or perf_event_paranoid without CAP_SYSLOG): as stock, nothing is written then.
 */
int synthesize__kernel(struct strbuf *out, const struct synthesize_opts *opts, bool *hidden, struct err *err);
/*
 * Append the records of modules that opts->modules lacks, and add them there. Unless always, /proc/modules is
 * read only if the number of modules has changed since. Nothing is appended with no_kernel, or if addresses
 * are hidden.
 */
void synthesize__new_modules(struct strbuf *out, const struct synthesize_opts *opts, bool always);
/* These processes with all their threads; several reader threads where there are many. Vanished ones are left
 * out. */
int synthesize__processes(struct strbuf *out, const int_array *pids, const struct synthesize_opts *opts,
			  struct err *err);
/* These threads only (-t), with their process's maps. */
int synthesize__threads(struct strbuf *out, const int_array *tids, const struct synthesize_opts *opts,
			struct err *err);
/* The namespaces of one thread, as far as they can be looked at. */
void synthesize__namespaces(struct strbuf *out, pid_t pid, pid_t tid, const struct synthesize_opts *opts);
/* All cgroups of the hierarchy that perf events know. 0 or a negative errno with err. */
int synthesize__cgroups(struct strbuf *out, const struct synthesize_opts *opts, struct err *err);

#endif
