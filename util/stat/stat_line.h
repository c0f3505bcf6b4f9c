/* One line of a table of perf stat, and the form of the table: what all views share. */
#ifndef STAT_STAT_LINE_H
#define STAT_STAT_LINE_H

#include "base/text/strbuf.h"
#include "stat/metrics.h"

enum stat_form { STAT_TEXT, STAT_CSV, STAT_JSON };

struct stat_print_opts {
	enum stat_form form;
	const char *separator; /* of STAT_CSV */
	bool big_num;          /* group the digits, as the user's locale does */
	bool metric_only;
	bool shows_cgroups; /* some event counts a control group only */
	bool hides_idle;    /* leave out rows of threads that did not run */
	bool is_repeated;   /* -r: show how far the runs differ */
	bool is_interval;   /* -I: each line begins with a time */
	bool shows_table;   /* --table: the time of each run */
	bool null_run;      /* -n */
	bool names_summary; /* -x with -I and --summary: its lines begin with "summary" */
	bool has_command;   /* user and system time are known */
};

/* One line of a view: an event in a row. */
struct stat_line {
	const struct stat_print_opts *opts;
	const struct stat_table *table;
	const struct evsel *e;
	const struct stat_row *row;
	const struct stat_value *value;
	enum stat_state state;
	struct metric metrics[METRICS_MAX];
	unsigned nr_metrics;
	const char *time; /* what begins the line with -I: "     1.000123456 "; "": nothing */
};

/* Return which part of its time a counter counted, in per cent; 100 if it was never enabled. */
double stat_value__percent(const struct stat_value *v);
/* Append the value as text: "<not counted>", or a number with decimals if it has a unit. */
void stat_line__add_value(struct strbuf *out, const struct stat_line *line);

#endif
