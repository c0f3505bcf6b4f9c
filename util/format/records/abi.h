/*
 * The bytes of perf.data, as documented by stock perf's perf.data-file-format text and the kernel's
 * <linux/perf_event.h>. Numbers only, no behaviour.
 */
#ifndef FORMAT_ABI_H
#define FORMAT_ABI_H

#include "base/memory/types.h"

#include <linux/perf_event.h>

/* "PERFILE2" read as a little-endian word; a file from a big-endian machine shows it reversed. */
#define PERF_DATA_MAGIC2 0x32454c4946524550ull
/* "PERFFILE", version 1: no feature bitmap beyond the old layout, events in the header. */
#define PERF_DATA_MAGIC1 0x454c494646524550ull

struct perf_data_section {
	u64 offset; /* in the file */
	u64 size;   /* bytes */
};

struct perf_data_header {
	u64 magic;
	u64 size;      /* of this header: 104; 16 in pipe mode, which has only the first two fields */
	u64 attr_size; /* of one entry of attrs: sizeof(attr) + sizeof(section of ids) */
	struct perf_data_section attrs;
	struct perf_data_section data;
	struct perf_data_section event_types; /* unused since 2013 */
	u64 features[4];                      /* bitmap of enum feature */
};

enum { PERF_DATA_PIPE_HEADER_SIZE = 16 };

/* Record types above the kernel's, made by the recorder itself. */
enum user_record_type {
	RECORD_HEADER_ATTR = 64,
	RECORD_HEADER_EVENT_TYPE = 65,
	RECORD_HEADER_TRACING_DATA = 66,
	RECORD_HEADER_BUILD_ID = 67,
	RECORD_FINISHED_ROUND = 68,
	RECORD_ID_INDEX = 69,
	RECORD_AUXTRACE_INFO = 70,
	RECORD_AUXTRACE = 71,
	RECORD_AUXTRACE_ERROR = 72,
	RECORD_THREAD_MAP = 73,
	RECORD_CPU_MAP = 74,
	RECORD_STAT_CONFIG = 75,
	RECORD_STAT = 76,
	RECORD_STAT_ROUND = 77,
	RECORD_EVENT_UPDATE = 78,
	RECORD_TIME_CONV = 79,
	RECORD_HEADER_FEATURE = 80,
	RECORD_COMPRESSED = 81,
	RECORD_FINISHED_INIT = 82,
	RECORD_COMPRESSED2 = 83,
	RECORD_BPF_METADATA = 84,
	RECORD_SCHEDSTAT_CPU = 85,
	RECORD_SCHEDSTAT_DOMAIN = 86,
	RECORD_TYPE_MAX, /* one past the last known */
};

/* Kinds of EVENT_UPDATE records. */
enum event_update { EVENT_UPDATE_UNIT, EVENT_UPDATE_SCALE, EVENT_UPDATE_NAME, EVENT_UPDATE_CPUS };

/* The name in GROUP_DESC of a group that has none. */
#define ANONYMOUS_GROUP "{anon_group}"

enum feature {
	FEATURE_RESERVED = 0,
	FEATURE_TRACING_DATA = 1,
	FEATURE_BUILD_ID,
	FEATURE_HOSTNAME,
	FEATURE_OSRELEASE,
	FEATURE_VERSION,
	FEATURE_ARCH,
	FEATURE_NRCPUS,
	FEATURE_CPUDESC,
	FEATURE_CPUID,
	FEATURE_TOTAL_MEM,
	FEATURE_CMDLINE,
	FEATURE_EVENT_DESC,
	FEATURE_CPU_TOPOLOGY,
	FEATURE_NUMA_TOPOLOGY,
	FEATURE_BRANCH_STACK,
	FEATURE_PMU_MAPPINGS,
	FEATURE_GROUP_DESC,
	FEATURE_AUXTRACE,
	FEATURE_STAT,
	FEATURE_CACHE,
	FEATURE_SAMPLE_TIME,
	FEATURE_MEM_TOPOLOGY,
	FEATURE_CLOCKID,
	FEATURE_DIR_FORMAT,
	FEATURE_BPF_PROG_INFO,
	FEATURE_BPF_BTF,
	FEATURE_COMPRESSED,
	FEATURE_CPU_PMU_CAPS,
	FEATURE_CLOCK_DATA,
	FEATURE_HYBRID_TOPOLOGY,
	FEATURE_PMU_CAPS, /* the last one of perf 6.1 */
	FEATURE_CPU_DOMAIN_INFO,
	FEATURE_E_MACHINE,
	FEATURE_CLN_SIZE,
	FEATURE_LAST, /* one past the last known */
	/*
	 * Earlier versions of this program stored data under these bits that is in the extension section
	 * today (format/file/extension.h). They are read, never written.
	 */
	FEATURE_OLD_LOSSES = 253,
	FEATURE_OLD_NAMES = 254,
	FEATURE_OLD_CALL_CHAINS = 255,
	FEATURE_BITS = 256,
};

/* header.misc bits that <linux/perf_event.h> lacks on some systems. */
#define MISC_CPUMODE_MASK 7
#define MISC_BUILD_ID_SIZE (1 << 15) /* in RECORD_HEADER_BUILD_ID: the id's size is stored */
#define MISC_MMAP_BUILD_ID (1 << 14) /* PERF_RECORD_MISC_MMAP_BUILD_ID */
#define MISC_COMM_EXEC (1 << 13)
#define MISC_FORK_EXEC (1 << 13) /* a synthesized fork: nothing is inherited */

/* Sample format bits newer than some headers. */
#define SAMPLE_CGROUP (1ull << 21)
#define SAMPLE_DATA_PAGE_SIZE (1ull << 22)
#define SAMPLE_CODE_PAGE_SIZE (1ull << 23)
#define SAMPLE_WEIGHT_STRUCT (1ull << 24)
#define READ_FORMAT_LOST (1ull << 4)
#define BRANCH_HW_INDEX (1ull << 17) /* branch_sample_type: a word in front of the entries */
#define BRANCH_COUNTERS (1ull << 19) /* one word per entry after them */

#endif
