/*
 * Values of columns as JSON: numbers are numbers, names are whole and not masked. The table in columns.c
 * names one of these functions for a column; without one, column__add_json goes by what the column has.
 * Documentation/report-schema.json describes the results.
 */
#ifndef PROFILE_COLUMN_JSON_H
#define PROFILE_COLUMN_JSON_H

#include "profile/keys/column.h"

/* Append the value of a cell, whose width and style are not used. */
void column__add_json(const struct cell *c);
/* Append the key of the column in quotes: its name, or EVENT.FIELD for a field of a tracepoint. */
void column__add_json_key(const struct column *c, const struct view *v, struct strbuf *sb);
/*
 * Append the members of an object that describes the function at a place, without braces: its name, or its
 * address if it has none, and whether the name is a real one.
 */
void view__add_json_function(struct view *v, u32 place, struct strbuf *sb);
/* Append the name of the binary of a place. */
void view__add_json_dso(const struct view *v, u32 place, struct strbuf *sb);
/* Append x with up to seven digits. */
void strbuf__add_json_double(struct strbuf *sb, double x);

/* ---- for the table ---- */

void json_thread(const struct cell *c);
void json_process(const struct cell *c);
void json_comm(const struct cell *c);
void json_nodigit(const struct cell *c);
void json_dso(const struct cell *c);
void json_symbol(const struct cell *c);
void json_end_address(const struct cell *c);
void json_symbol_offset(const struct cell *c);
void json_ipc(const struct cell *c);
void json_parts(const struct cell *c);
void json_address_symbol(const struct cell *c);
void json_cacheline(const struct cell *c);
void json_known_number(const struct cell *c); /* 0: unknown */
void json_number_sum(const struct cell *c);
void json_flag(const struct cell *c);
void json_prediction(const struct cell *c);
void json_null(const struct cell *c);
void json_trace_field(const struct cell *c);
void json_share(const struct cell *c);
void json_children(const struct cell *c);
void json_share_of_sum(const struct cell *c);
void json_sum(const struct cell *c);
void json_average(const struct cell *c);

#endif
