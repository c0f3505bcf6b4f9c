/* --control and -D: what their texts mean. */
#include "unit.h"

#include "record/flow/control.h"
#include "record/flow/delay.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct link {
	int in[2], ack[2];
	struct control *control;
};

static void link__open(struct link *l)
{
	char spec[64];

	assert_int_equal(pipe(l->in), 0);
	assert_int_equal(pipe(l->ack), 0);
	snprintf(spec, sizeof(spec), "fd:%d,%d", l->in[0], l->ack[1]);
	assert_int_equal(control__open(&l->control, spec, NULL), 0);
	assert_int_equal(control__fd(l->control), l->in[0]);
}

static void link__close(struct link *l)
{
	control__delete(l->control);
	/* Inherited descriptors stay open. */
	for (int i = 0; i < 2; i++) {
		assert_int_equal(close(l->in[i]), 0);
		assert_int_equal(close(l->ack[i]), 0);
	}
}

static void link__say(struct link *l, const void *bytes, size_t size)
{
	assert_int_equal(write(l->in[1], bytes, size), size);
	assert_true(control__receive(l->control));
}

static void expect(struct link *l, enum control_kind kind, const char *text)
{
	struct control_command cmd;

	assert_true(control__next(l->control, &cmd));
	assert_int_equal(cmd.kind, kind);
	assert_string_equal(cmd.text, text);
}

static void expect_none(struct link *l)
{
	struct control_command cmd;

	assert_false(control__next(l->control, &cmd));
}

static void commands_are_lines(void **state)
{
	static const char all[] = "enable\ndisable a b/c=1/\r\n\n  \nevlist  -v -g\nsnapshot\nstop \nping";
	struct link l;

	(void)state;
	link__open(&l);
	expect_none(&l);
	link__say(&l, all, strlen(all));
	expect(&l, CONTROL_ENABLE, "");
	expect(&l, CONTROL_DISABLE, "a b/c=1/");
	expect(&l, CONTROL_EVLIST, "-v -g");
	expect(&l, CONTROL_SNAPSHOT, "");
	expect(&l, CONTROL_STOP, "");
	expect_none(&l);
	link__say(&l, "", 1); /* the 0 of a string */
	expect(&l, CONTROL_PING, "");
	expect_none(&l);
	link__close(&l);
}

static void other_words_are_unknown(void **state)
{
	static const char all[] = "enabled\nen\nENABLE\nping now\nstop\033[2J\n";
	struct link l;

	(void)state;
	link__open(&l);
	link__say(&l, all, strlen(all));
	expect(&l, CONTROL_UNKNOWN, "enabled");
	expect(&l, CONTROL_UNKNOWN, "en");
	expect(&l, CONTROL_UNKNOWN, "ENABLE");
	expect(&l, CONTROL_UNKNOWN, "ping now");
	expect(&l, CONTROL_UNKNOWN, "stop\033[2J");
	link__close(&l);
}

static void long_lines_are_dropped(void **state)
{
	char much[3000];
	struct link l;

	(void)state;
	memset(much, 'x', sizeof(much));
	link__open(&l);
	for (int i = 0; i < 10; i++) {
		link__say(&l, much, sizeof(much));
		expect_none(&l);
	}
	link__say(&l, "\nping\n", 6);
	expect(&l, CONTROL_PING, "");
	expect_none(&l);
	link__close(&l);
}

static void answers_never_wait(void **state)
{
	char ack[8];
	struct link l;

	(void)state;
	link__open(&l);
	for (int i = 0; i < 20000; i++) /* more than a pipe holds */
		control__ack(l.control);
	assert_int_equal(read(l.ack[0], ack, 5), 5);
	assert_memory_equal(ack, "ack\n", 5);
	close(l.in[1]);
	assert_false(control__receive(l.control));
	l.in[1] = dup(l.in[0]);
	link__close(&l);
}

static void wrong_places_are_refused(void **state)
{
	static const char *const wrong[] = {
		"",
		"fd",
		"fd:",
		"fd:-1",
		"fd: 0",
		"fd:0x",
		"fd:9999999999",
		"fd:0,",
		"fd:,0",
		"fd:98",
		"fifo:",
		"fifo:/dev/null",
		"fifo:/no/such/place",
		"f:0",
		"0",
		"fd0",
		"fifo:,",
		"FD:0",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct err err = ERR_INIT;
		struct control *c = NULL;

		assert_true(control__open(&c, wrong[i], &err) < 0);
		assert_null(c);
		assert_int_not_equal(err.code, 0);
		err__exit(&err);
	}
}

static void delays_are_edges(void **state)
{
	struct delay d = { 0 };

	(void)state;
	assert_int_equal(delay__parse(&d, "100", NULL), 0);
	assert_true(d.is_given && d.edges.nr == 1 && d.edges.v[0] == 100);
	assert_int_equal(delay__parse(&d, "-1", NULL), 0);
	assert_true(d.is_given && !d.edges.nr);
	assert_int_equal(delay__parse(&d, "0-10,30-40", NULL), 0);
	assert_true(d.edges.nr == 4 && d.edges.v[0] == 0 && d.edges.v[3] == 40);
	assert_int_equal(delay__parse(&d, "0", NULL), 0);
	assert_false(d.is_given);
	delay__exit(&d);
}

static void wrong_delays_are_refused(void **state)
{
	static const char *const wrong[] = {
		"",
		"-2",
		"-",
		"x",
		"1x",
		"10-",
		"-10",
		"10-10",
		"20-10",
		"10-20,",
		"10-20,20-30",
		"10-20,5-8",
		",",
		"10 ",
		"+1",
		"99999999999999999999",
		"1-99999999999",
		"10,20",
		"1-2,3",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct err err = ERR_INIT;
		struct delay d = { 0 };

		assert_int_equal(delay__parse(&d, wrong[i], &err), -EINVAL);
		err__exit(&err);
		delay__exit(&d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commands_are_lines),       cmocka_unit_test(other_words_are_unknown),
		cmocka_unit_test(long_lines_are_dropped),   cmocka_unit_test(answers_never_wait),
		cmocka_unit_test(wrong_places_are_refused), cmocka_unit_test(delays_are_edges),
		cmocka_unit_test(wrong_delays_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
