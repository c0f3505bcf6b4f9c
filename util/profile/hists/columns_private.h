/* The functions that the table in columns.c uses, by the file that has them. */
#ifndef PROFILE_COLUMNS_PRIVATE_H
#define PROFILE_COLUMNS_PRIVATE_H

#include "profile/hists/hists.h"

enum {
	UNRESOLVED_WIDTH = 16, /* digits of an address */
};

/* The kinds of functions in struct column, where their meaning is. */
typedef u64 column_value(const struct column *c, const struct view *v, const struct hist_entry *e);
typedef const char *column_text(const struct column *c, const struct view *v, const struct hist_entry *e);
typedef struct branch_end column_end(const struct view *v, const struct hist_entry *e);
typedef u64 column_sum(const struct column *c, const struct view *v, const struct fold *f);
typedef unsigned column_identity(const struct column *c, const struct view *v, const struct hist_entry *e,
				 u64 *words);
typedef int column_compare(const struct column *c, struct view *v, const struct hist_entry *a,
			   const struct hist_entry *b);
typedef unsigned column_room(const struct column *c, struct view *v, const struct hist_entry *e);
typedef void column_print(const struct cell *c);

/* ---- columns.c: numbers and texts ---- */

column_compare smaller_first, larger_first, text_compare;
/* Pad what was added since start to the width of the cell. */
void cell__pad(const struct cell *c, size_t start);
/* Append a name from a file, without control characters and separators. max: -1: no limit. */
void add_text(const struct cell *c, const char *text, int width, int max);

/* ---- column_threads.c: threads, processes, CPUs ---- */

column_value entry_tid, entry_comm, entry_tgid, entry_cpu, entry_socket;
column_identity nodigit_identity;
column_compare comm_compare, nodigit_compare;
column_room comm_room, tid_room, nodigit_room, tgid_room;
column_print print_tid, print_comm, print_nodigit, print_tgid, print_cpu, print_socket;

/* ---- column_places.c: functions, binaries, lines, branches ---- */

column_value entry_symbol_size, entry_map_size, entry_parent, no_value, place_line, place_file,
	branch_prediction, branch_in_tx, branch_abort, branch_cycles;
column_text parent_text, source_text;
column_end entry_itself, branch_from, branch_to;
column_identity dso_identity, symbol_identity, end_address_identity;
column_compare dso_compare, end_dso_compare, symbol_compare, symbol_collapse, end_symbol_compare,
	end_address_compare, symbol_offset_compare, parent_compare;
/* Return the width that an address without a symbol needs in a column of dsos: 0 with --dsos, -w and -t. */
unsigned unresolved_dso_room(const struct view *v);
column_room dso_room, end_dso_room, symbol_room, symbol_offset_room;
column_print print_dso, print_symbol, print_end_address, print_symbol_offset, print_symbol_size,
	print_map_size, print_no_ipc, print_ipc, print_prediction, print_in_tx, print_abort, print_cycles;
const struct place *column__place(const struct column *c, const struct view *v, const struct hist_entry *e);
const char *place__dso_name(const struct view *v, const struct place *p);
u64 place__dso_word(const struct place *p);
int compare_dsos(const struct view *v, const struct place *x, const struct place *y);
int compare_addresses(u64 a, u64 b);
/* Append "[.] 0x0123456789abcdef". Stock perf prints address 0 without 0x, too. */
void add_address(struct strbuf *sb, char level, u64 address);
void add_offset(struct strbuf *sb, u64 offset); /* "+0x1a" */

/* ---- column_samples.c: fields of samples, waits, tracepoints ---- */

column_value word_value, entry_wait, entry_waker, entry_lock, trace_value;
column_text cgroup_text, wait_text, waker_text, lock_text, trace_text;
column_end entry_data;
column_identity cacheline_identity;
column_compare addresses_compare, cacheline_compare;
column_room data_dso_room, address_symbol_room, transaction_room, time_room;
column_print print_field, print_number_sum, print_parallelism, print_address, print_address_symbol,
	print_cacheline, print_phys_addr, print_time;

/* ---- column_values.c: sums ---- */

column_value time_on_cpu, time_waiting, time_self;
column_sum sum_latency, sum_words;
column_compare stat_compare, children_compare, average_compare, always_equal;
column_print print_share, print_children, print_sum, print_share_of_sum, print_average, print_time_sum,
	print_predicted, print_aborted, print_chain_cycles, print_parts;
column_print json_predicted, json_aborted, json_chain_cycles;

#endif
