/* perf doctor: explain what prevents recording on this machine, and what to type. */
#include "builtin.h"

#include "base/message/msg.h"
#include "event/parse/parse.h"
#include "live/abilities.h"
#include "live/limits.h"
#include "pgo/pgo.h"
#include "record/options/flight_span.h"
#include "record/recorder.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

struct doctor {
	struct evlist events;
	struct recorder_opts opts;
	struct facts facts;
	/* asked: about a recording other than that of a program with the default event */
	bool json, asked;
	int verbose;
	struct err event_error; /* of -e; a result here, not a usage error */
	struct recorder_trial trial;
	struct err error; /* why the recording fails; code 0: it works */
};

static const char *const verdict_names[] = { "ok", "limits", "blocks" };

static int parse_event_option(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct doctor *d = opt->value;

	(void)err;
	if (unset || d->event_error.code)
		return 0;
	checks__explain_lookup(arg, parse_events(&d->events, arg, &d->event_error), &d->event_error);
	return 0;
}

/* ---- trying the recording ---- */

static int doctor__try(struct doctor *d)
{
	struct target_opts *t = &d->opts.target;
	bool has_target = t->pids || t->tids || t->user || t->cpus || t->system_wide;

	d->asked = d->events.evsels.nr || d->event_error.code || has_target;
	if (d->event_error.code)
		return err__set(&d->error, d->event_error.code, "%s", d->event_error.text.buf);
	if (!d->events.evsels.nr)
		parse_default_event(&d->events);
	if (d->facts.calls.wrong_flags == CALL_KILLED)
		return checks__explain_open(d->events.evsels.v[0], -EPERM, 0, &d->error);
	t->has_workload = !has_target;
	d->opts.attrs.rate.freq = USUAL_SAMPLE_RATE;
	if (d->facts.sysctl.max_sample_rate > 0 && d->facts.sysctl.max_sample_rate < USUAL_SAMPLE_RATE)
		/* record lowers the rate in the same way */
		d->opts.attrs.rate.freq = (u64)d->facts.sysctl.max_sample_rate;
	d->opts.pages = (u32)(USUAL_RING_BYTES / sysconf(_SC_PAGESIZE));
	return recorder__try(&d->events, &d->opts, &d->trial, &d->error);
}

static const char *doctor__subject(const struct doctor *d)
{
	return d->asked ? "the recording asked for" : "perf record PROGRAM";
}

/* Append the fallbacks of the trial: " with cpu-clock instead of cycles, of user space only, ..." */
static void doctor__add_fallbacks(const struct doctor *d, struct strbuf *sb)
{
	const struct recorder_trial *t = &d->trial;
	const char *comma = "";

	if (t->fell_back) {
		strbuf__addstr(sb, " with cpu-clock instead of cycles");
		comma = ",";
	}
	if (t->user_only) {
		strbuf__addf(sb, "%s of user space only", comma);
		comma = ",";
	}
	if (t->pages < d->opts.pages)
		strbuf__addf(sb, "%s with ring buffers of %u pages instead of %u", comma, t->pages,
			     d->opts.pages);
}

/* ---- for people ---- */

/* Print each line of text after prefix, masked: event names in it may contain anything. */
static void print_lines(const char *prefix, const char *text)
{
	struct strbuf line = STRBUF_INIT;

	while (*text) {
		size_t len = strcspn(text, "\n");
		char *copy = xasprintf("%.*s", (int)len, text);

		strbuf__reset(&line);
		strbuf__add_masked(&line, copy);
		printf("%s%s\n", prefix, line.buf);
		free(copy);
		text += len + (text[len] == '\n');
	}
	strbuf__exit(&line);
}

static void print_checks(const struct doctor *d)
{
	for (size_t i = 0; i < checks__nr(); i++) {
		struct finding out = FINDING_INIT;

		if (check__assess(i, &d->facts, &out)) {
			printf("%-7s %-17s %s\n", verdict_names[out.verdict], check__name(i), out.text.buf);
			if (out.verdict != VERDICT_OK)
				print_lines("                          -> ", out.advice.buf);
		}
		finding__exit(&out);
	}
}

static void print_abilities(const struct doctor *d)
{
	printf("\nWhat can be recorded here now:\n");
	for (size_t i = 0; i < abilities__nr(); i++) {
		const struct ability *a = abilities__get(i);
		struct finding out = FINDING_INIT;
		const char *blocker;
		int error = ability__try(a, &d->facts, &blocker, &out);

		if (error)
			printf("  no   %-52s (%s)\n", a->what, blocker);
		else
			printf("  yes  %s\n", a->what);
		if (error && d->verbose)
			printf("       %s\n", out.text.buf);
		finding__exit(&out);
	}
}

static void print_fact(const char *name, const char *value, void *ctx)
{
	(void)ctx;
	printf("  %-36s %s\n", name, value);
}

/* Say what the ring buffers would keep if they were overwritten. */
static void print_flight_span(const struct doctor *d)
{
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < d->events.evsels.nr; i++) {
		struct perf_event_attr *attr = &d->events.evsels.v[i]->attr;

		attr->write_backward =
			attr->type != PERF_TYPE_SOFTWARE || attr->config != PERF_COUNT_SW_DUMMY;
	}
	flight_span__describe(&d->events, d->trial.pages, &text);
	if (text.len)
		printf("\nA flight recorder (perf record --overwrite) keeps of each CPU the newest %s\n",
		       text.buf);
	strbuf__exit(&text);
}

static void print_conclusion(const struct doctor *d)
{
	struct strbuf sb = STRBUF_INIT;

	if (d->error.code) {
		printf("\n%s does not work:\n", doctor__subject(d));
		print_lines("  ", d->error.text.buf);
	} else {
		doctor__add_fallbacks(d, &sb);
		printf("\n%s works%s\n", doctor__subject(d), sb.buf);
		printf("It needs %llu descriptors of %llu (ulimit -n), and %llu KiB of locked memory\n",
		       (unsigned long long)d->trial.descriptors, (unsigned long long)limits__raise_nofile(),
		       (unsigned long long)d->trial.ring_bytes >> 10);
	}
	strbuf__exit(&sb);
}

static void print_all(const struct doctor *d)
{
	const struct passwd *pw = getpwuid(d->facts.self.uid);
	struct utsname uts = { 0 };

	uname(&uts);
	printf("Linux %s, user %s (%u)\n\n", uts.release, pw ? pw->pw_name : "?", d->facts.self.uid);
	print_checks(d);
	print_abilities(d);
	if (d->verbose) {
		printf("\nFacts:\n");
		facts__for_each(&d->facts, print_fact, NULL);
	}
	if (!d->error.code)
		print_flight_span(d);
	print_conclusion(d);
}

/* ---- for programs ---- */

/* Append ,"name":"value" */
static void add_json_field(struct strbuf *sb, const char *name, const char *value)
{
	strbuf__addf(sb, ",\"%s\":", name);
	strbuf__add_json(sb, value);
}

static void add_json_finding(struct strbuf *sb, const struct finding *f)
{
	add_json_field(sb, "text", f->text.buf);
	add_json_field(sb, "advice", f->advice.buf);
}

static void add_json_checks(const struct doctor *d, struct strbuf *sb)
{
	const char *comma = "";

	for (size_t i = 0; i < checks__nr(); i++) {
		struct finding out = FINDING_INIT;

		if (check__assess(i, &d->facts, &out)) {
			strbuf__addf(sb, "%s\n{\"name\":\"%s\"", comma, check__name(i));
			add_json_field(sb, "verdict", verdict_names[out.verdict]);
			add_json_finding(sb, &out);
			strbuf__addch(sb, '}');
			comma = ",";
		}
		finding__exit(&out);
	}
}

static void add_json_abilities(const struct doctor *d, struct strbuf *sb)
{
	for (size_t i = 0; i < abilities__nr(); i++) {
		const struct ability *a = abilities__get(i);
		struct finding out = FINDING_INIT;
		const char *blocker;
		int error = ability__try(a, &d->facts, &blocker, &out);

		strbuf__addf(sb, "%s\n{\"name\":\"%s\",\"can\":%s", i ? "," : "", a->name,
			     error ? "false" : "true");
		add_json_field(sb, "what", a->what);
		if (error) {
			add_json_field(sb, "check", blocker);
			add_json_finding(sb, &out);
		}
		strbuf__addch(sb, '}');
		finding__exit(&out);
	}
}

static void add_json_fact(const char *name, const char *value, void *ctx)
{
	struct strbuf *sb = ctx;

	strbuf__addstr(sb, sb->buf[sb->len - 1] == '{' ? "\n" : ",\n");
	strbuf__add_json(sb, name);
	strbuf__addch(sb, ':');
	strbuf__add_json(sb, value);
}

static void print_json(const struct doctor *d)
{
	const struct recorder_trial *t = &d->trial;
	struct strbuf sb = STRBUF_INIT;

	strbuf__addstr(&sb, "{\"checks\":[");
	add_json_checks(d, &sb);
	strbuf__addstr(&sb, "],\n\"abilities\":[");
	add_json_abilities(d, &sb);
	strbuf__addstr(&sb, "],\n\"facts\":{");
	facts__for_each(&d->facts, add_json_fact, &sb);
	strbuf__addf(&sb, "},\n\"recording\":{\"works\":%s", d->error.code ? "false" : "true");
	if (d->error.code)
		add_json_field(&sb, "error", d->error.text.buf);
	else
		strbuf__addf(&sb,
			     ",\"user_only\":%s,\"cpu_clock_for_cycles\":%s,\"ring_pages\":%u,"
			     "\"descriptors\":%llu,\"ring_bytes\":%llu",
			     t->user_only ? "true" : "false", t->fell_back ? "true" : "false", t->pages,
			     (unsigned long long)t->descriptors, (unsigned long long)t->ring_bytes);
	strbuf__addstr(&sb, "}}\n");
	fputs(sb.buf, stdout);
	strbuf__exit(&sb);
}

/* Explain what a recording lacks. */
static int explain_recording(const char *path)
{
	char *buildid_dir = perf__buildid_dir();
	const struct export_args a = { .input = path,
				       .max_stack = 1024,
				       .symbols_of = { .buildid_dir = buildid_dir } };
	int ret = perf__explain_names(path);

	if (!ret)
		ret = pgo__explain(&a) ? 1 : 0;
	free(buildid_dir);
	return ret;
}

int cmd_doctor(int argc, const char **argv)
{
	static const char *const usage[] = { "perf doctor [<options>]", "perf doctor <recording>", NULL };
	struct doctor d = { .event_error = ERR_INIT, .error = ERR_INIT };
	struct target_opts *target = &d.opts.target;
	const struct option options[] = {
		OPT_BOOL('a', "all-cpus", &target->system_wide, "ask about recording everything on all CPUs"),
		OPT_STRING('C', "cpu", &target->cpus, "list", "ask about recording on these CPUs"),
		OPT_CALLBACK('e', "event", &d, "event", "ask about recording this event", parse_event_option),
		OPT_BOOL(0, "json", &d.json, "print JSON"),
		OPT_STRING('p', "pid", &target->pids, "pid", "ask about recording these processes"),
		OPT_STRING('t', "tid", &target->tids, "tid", "ask about recording these threads"),
		OPT_STRING('u', "uid", &target->user, "user",
			   "ask about recording the processes of this user"),
		OPT_INCR('v', "verbose", &d.verbose,
			 "also print all facts, and why something cannot be recorded"),
		OPT_END(),
	};
	int nr, ret;

	evlist__init(&d.events);
	nr = perf__parse_options(options, usage, 0, argc, argv);
	if (nr < 0) {
		ret = -nr;
	} else if (nr > 1 || (nr && argc > 2)) {
		error__say("perf doctor takes options, or one recording: not '%s', too", argv[nr - 1]);
		ret = EXIT_USAGE;
	} else if (nr) {
		ret = explain_recording(argv[0]);
	} else {
		facts__init(&d.facts);
		ret = doctor__try(&d) ? 1 : 0;
		if (d.json)
			print_json(&d);
		else
			print_all(&d);
	}
	evlist__exit(&d.events);
	err__exit(&d.event_error);
	err__exit(&d.error);
	return ret;
}
