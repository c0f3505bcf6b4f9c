/*
 * The header features: one table row {bit, name, print} for each. Values are untrusted and parsed with the
 * cursor. Layouts: stock perf's perf.data-file-format text.
 */
#ifndef FORMAT_FEATURES_H
#define FORMAT_FEATURES_H

#include "base/system/file.h"
#include "base/text/strbuf.h"
#include "binary/elf/build_id.h"
#include "format/read/reader.h"

/*
 * Append the header as stock perf's `report --header-only` prints it ("# captured on : ..." to the line of
 * missing features). full: what -I adds (topologies, cache, mappings).
 */
void features__print(const struct reader *r, bool full, struct strbuf *out);
/* Append a line for each of names, code and source that is stored, each after the prefix. */
void features__print_stored(const struct reader *r, const char *prefix, struct strbuf *out);
/*
 * Append the members of the object "headers" of stock perf's data convert --to-json: when and where the
 * recording was made. gap: what comes before each member ("": all in one line).
 */
void features__add_json(const struct reader *r, const char *gap, struct strbuf *out);
/*
 * Get a string feature (HOSTNAME, OSRELEASE, VERSION, ARCH, CPUDESC, CPUID). Return 0 and *s (free it), or
 * -ENOENT.
 */
int features__string(const struct reader *r, enum feature f, char **s);
/* Get SAMPLE_TIME: times of the first and last sample, ns. */
int features__sample_time(const struct reader *r, u64 *first, u64 *last);

/* Get CPU_TOPOLOGY and NUMA_TOPOLOGY: parts of the machine by cpu. Lists stay empty if it is not known. */
struct cpu_parts {
	int_array sockets, cores, dies, nodes;
};
void features__cpu_parts(const struct reader *r, struct cpu_parts *parts);
void cpu_parts__exit(struct cpu_parts *parts);
/* Append the words of CMDLINE, with blanks between them. Return false if it is not known. */
bool features__command_line(const struct reader *r, struct strbuf *out);
/* Return the number of CPUs of the recorded machine, also those that were offline; 0: unknown. */
u32 features__nr_cpus(const struct reader *r);

/* The build-id table: feature BUILD_ID, and HEADER_BUILD_ID records. */
struct build_id_entry {
	u32 pid;
	u8 cpumode;
	struct build_id id;
	const char *filename; /* points into the table's data */
};
struct build_id_table {
	ARRAY(struct build_id_entry) entries;
	struct strbuf data;
};
int features__build_ids(const struct reader *r, struct build_id_table *t);
void build_id_table__exit(struct build_id_table *t);

#endif
