/* The merged recording in memory: tables without addresses of memory (merge.h). */
#ifndef MERGE_PRIVATE_H
#define MERGE_PRIVATE_H

#include "base/memory/hash.h"
#include "base/memory/strpool.h"
#include "merge/merge.h"
#include "model/session.h"
#include "profile/embed/names_store.h"

enum { NO_DSO = UINT32_MAX, NO_EVENT = UINT32_MAX };

struct merge_dso {
	u32 name; /* id in texts; of JIT code that of a fixed text */
	struct build_id id;
	enum dso_kind kind;
	u64 first, last; /* dso addresses that frames have; of the kernel: from its first symbol on */
	/* size bytes from the dso address `from` on are at base in the memory of the merged recording */
	u64 from, size, base;
};

struct merge_frame {
	u32 dso; /* NO_DSO: addr is in memory */
	bool is_kernel;
	u64 addr; /* callers: address of the call; JIT code: id of the function's name */
};

struct merge_node { /* a stack: its innermost frame, called by the parent; the first one has no frames */
	u32 parent, frame;
};

struct merge_sample {
	u32 event, comm;
	u32 leaf; /* frame */
	u32 stack;
	u8 cpumode;
	u64 nr, period;
};

struct merge_event {
	u32 name;
	struct perf_event_attr attr;
	bool has_chains;
	bool is_varied;   /* the sampling period, in all recordings */
	bool begins_late; /* some recording is not of a command from its start to its end */
};

struct merge_data { /* that is kept if all inputs have the same */
	struct strbuf data;
	bool differs, is_known;
};

struct merge {
	const struct merge_opts *opts;
	struct strpool texts;
	char *arch; /* of all inputs; NULL: not known yet */
	ARRAY(struct merge_event) events;
	ARRAY(struct merge_dso) dsos;
	ARRAY(struct merge_frame) frames;
	ARRAY(struct merge_node) nodes;
	ARRAY(struct merge_sample) samples;
	struct hash_table by_dso, by_frame, by_node, by_sample;
	ARRAY(u32) inputs; /* ids of texts: a line for each recording */
	u64 nr_samples, duration;
	/* names and lines of the sampled functions; its dsos are those of dsos */
	struct names_store names;
	struct merge_data features[FEATURE_LAST], labels;
};

/* Write the file. The samples and tables are complete. */
int merge__write_file(struct merge *m, const char *output, struct err *err);

#endif
