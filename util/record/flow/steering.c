#include "record/flow/steering.h"

#include "base/message/msg.h"
#include "format/records/attr_text.h"

#include <errno.h>
#include <string.h>

void steering__init(struct steering *s, struct counters *counters, const struct evlist *l,
		    const struct delay *delay)
{
	*s = (struct steering){ .counters = counters, .l = l, .delay = delay };
}

void steering__exit(struct steering *s)
{
	control__delete(s->control);
	s->control = NULL;
}

int steering__open(struct steering *s, const char *control, struct err *err)
{
	return control ? control__open(&s->control, control, err) : 0;
}

/* ---- by time ---- */

static void steering__arm(struct steering *s, bool on)
{
	counters__enable(s->counters, s->l, on);
	info("Events %s", on ? "enabled" : "disabled");
}

void steering__start(struct steering *s, u64 now)
{
	s->start = now;
	s->next_dump = now + s->dump_every;
	if (s->delay->is_given)
		info("Events disabled");
}

int steering__timeout(const struct steering *s, u64 now, u64 most)
{
	u64 due = now + most;

	if (s->wishes)
		return 0;
	if (s->start && s->next_edge < s->delay->edges.nr)
		due = MIN(due, s->start + s->delay->edges.v[s->next_edge]);
	if (s->start && s->dump_every)
		due = MIN(due, s->next_dump);
	return due > now ? (int)(due - now) : 0;
}

void steering__step(struct steering *s, u64 now)
{
	while (s->start && s->next_edge < s->delay->edges.nr &&
	       now >= s->start + s->delay->edges.v[s->next_edge]) {
		steering__arm(s, s->next_edge % 2 == 0);
		s->next_edge++;
	}
	if (s->start && s->dump_every && now >= s->next_dump) {
		s->wishes |= STEERING_DUMP;
		s->next_dump = now + s->dump_every;
	}
}

/* ---- by commands ---- */

static void steering__enable_named(struct steering *s, const char *name, bool on)
{
	bool found = false;

	for (size_t i = 0; i < s->l->evsels.nr; i++) {
		if (strcmp(s->l->evsels.v[i]->name, name))
			continue;
		found = true;
		counters__enable_event(s->counters, s->l->evsels.v[i], on);
	}
	if (found)
		info("Event %s %s", name, on ? "enabled" : "disabled");
	else
		warning("control: there is no event '%s' to be %s", name, on ? "enabled" : "disabled");
}

static void obey_enable(struct steering *s, const struct control_command *cmd)
{
	bool on = cmd->kind == CONTROL_ENABLE;

	if (*cmd->text)
		steering__enable_named(s, cmd->text, on);
	else
		steering__arm(s, on);
}

static void obey_evlist(struct steering *s, const struct control_command *cmd)
{
	const struct evlist_text_opts opts = { .attrs = strstr(cmd->text, "-v"),
					       .groups = strstr(cmd->text, "-g"),
					       .rates = strstr(cmd->text, "-F") };
	struct strbuf out = STRBUF_INIT;

	evlist_text__add(s->l, &opts, &out);
	if (out.len)
		strbuf__setlen(&out, out.len - 1);
	info("%s", out.buf);
	strbuf__exit(&out);
}

static void obey_snapshot(struct steering *s, const struct control_command *cmd)
{
	(void)cmd;
	s->wishes |= STEERING_SNAPSHOT;
}

static void obey_stop(struct steering *s, const struct control_command *cmd)
{
	(void)cmd;
	s->wishes |= STEERING_STOP;
}

static void obey_ping(struct steering *s, const struct control_command *cmd)
{
	(void)s;
	(void)cmd;
}

static void (*const obey[])(struct steering *, const struct control_command *) = {
	[CONTROL_ENABLE] = obey_enable,     [CONTROL_DISABLE] = obey_enable, [CONTROL_EVLIST] = obey_evlist,
	[CONTROL_SNAPSHOT] = obey_snapshot, [CONTROL_STOP] = obey_stop,      [CONTROL_PING] = obey_ping,
};

static void refuse_command(const char *line)
{
	struct err err = ERR_INIT;

	if (word_list__choose(&control_commands, line, strcspn(line, " "), &err) >= 0)
		err__set(&err, -EINVAL, "'%s': only enable, disable and evlist take a word", line);
	err__prefix(&err, "control");
	warning("%s", err.text.buf);
	err__exit(&err);
}

/* Execute received commands up to the next snapshot, which must finish first. */
static void steering__obey_received(struct steering *s)
{
	struct control_command cmd;

	while (!(s->wishes & STEERING_SNAPSHOT) && control__next(s->control, &cmd)) {
		if (cmd.kind == CONTROL_UNKNOWN) {
			refuse_command(cmd.text);
			continue;
		}
		obey[cmd.kind](s, &cmd);
		if (cmd.kind != CONTROL_SNAPSHOT)
			control__ack(s->control);
	}
}

bool steering__obey(struct steering *s)
{
	bool more = control__receive(s->control);

	steering__obey_received(s);
	return more;
}

void steering__snapshot_done(struct steering *s)
{
	bool waits = s->wishes & STEERING_SNAPSHOT;

	s->wishes &= ~(unsigned)(STEERING_SNAPSHOT | STEERING_DUMP);
	if (!waits)
		return;
	control__ack(s->control);
	steering__obey_received(s);
}
