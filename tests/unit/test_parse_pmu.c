/* Events of PMUs, in machines of several kinds, and their groups. */
#include "event/evsel/event_request.h"
#include "unit.h"

#include "event/pmu/pmu.h"
#include "other_machine.h"

#include <errno.h>

/* ---- formats ---- */

static void formats(void **state)
{
	static const struct {
		const char *text;
		int ret, word;
		u64 bits, max;
	} rows[] = {
		{ "config:0-7", 0, 0, 0xff, 0xff },
		{ "config1:0-63", 0, 1, UINT64_MAX, UINT64_MAX },
		{ "config2:0-3,8,16-19", 0, 2, 0xf010f, 0x1ff },
		{ "config3:63", 0, 3, 1ull << 63, 1 },
		{ "config:64", -EINVAL, 0, 0, 0 },
		{ "config4:0", -EINVAL, 0, 0, 0 },
		{ "config:", -EINVAL, 0, 0, 0 },
		{ "config", -EINVAL, 0, 0, 0 },
		{ "confix:1", -EINVAL, 0, 0, 0 },
		{ "config:7-0", -EINVAL, 0, 0, 0 },
		{ "config:1,", -EINVAL, 0, 0, 0 },
		{ "config10:1", -EINVAL, 0, 0, 0 },
		{ "", -EINVAL, 0, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		u64 words[PMU_CONFIG_WORDS] = { 0 };
		struct pmu_format f = { 0 };

		assert_int_equal(pmu_format__parse(rows[i].text, &f), rows[i].ret);
		if (rows[i].ret)
			continue;
		assert_int_equal(f.word, rows[i].word);
		assert_int_equal(f.bits, rows[i].bits);
		assert_int_equal(pmu_format__max(&f), rows[i].max);
		assert_int_equal(pmu_format__set(&f, rows[i].max, words), 0);
		assert_int_equal(words[f.word], rows[i].bits);
		assert_int_equal(pmu_format__set(&f, 0, words), 0);
		assert_int_equal(words[f.word], 0);
		if (rows[i].max != UINT64_MAX)
			assert_int_equal(pmu_format__set(&f, rows[i].max + 1, words), -ERANGE);
	}
}

static void names_of_units(void **state)
{
	static const struct {
		const char *pmu, *word;
		bool meant;
	} rows[] = {
		{ "cpu", "cpu", true },
		{ "cpu_atom", "cpu", false },
		{ "cpu_atom", "cpu_*", true },
		{ "uncore_imc_0", "uncore_imc_0", true },
		{ "uncore_imc_0", "uncore_imc", true },
		{ "uncore_imc_0", "imc", true },
		{ "uncore_imc_0", "imc_0", true },
		{ "uncore_imc_0", "imc_1", false },
		{ "uncore_imc_12", "imc", true },
		{ "uncore_imc_free_running_0", "imc", false },
		{ "uncore_imc_free_running_0", "imc_free_running", true },
		{ "hisi_sccl1_ddrc0", "hisi_sccl1_ddrc0", true },
		{ "arm_cmn_0", "arm_cmn", true },
		{ "uncore", "", false },
		{ "uncore_cbox_a1", "cbox", true },
		{ "cstate_core", "cstate", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pmu pmu = { .name = (char *)rows[i].pmu };

		if (pmu__is_meant(&pmu, rows[i].word) != rows[i].meant)
			fail_msg("'%s' for %s", rows[i].word, rows[i].pmu);
	}
}

/* ---- events ---- */

/* "NAME=TYPE:CONFIG[,CONFIG1,CONFIG2,CONFIG3]..." of all evsels, a ';' between groups. */
static void describe(const struct evlist *l, struct strbuf *sb)
{
	for (size_t i = 0; i < l->evsels.nr; i++) {
		const struct evsel *e = l->evsels.v[i];

		if (i)
			strbuf__addch(sb, e->leader == e->idx ? ';' : ' ');
		strbuf__addf(sb, "%s=%u:%llx", e->name, e->attr.type, (unsigned long long)e->attr.config);
		if (e->attr.config1 || e->attr.config2 || e->config3)
			strbuf__addf(sb, ",%llx,%llx,%llx", (unsigned long long)e->attr.config1,
				     (unsigned long long)e->attr.config2, (unsigned long long)e->config3);
	}
}

static void expect(const char *text, const char *expected)
{
	struct strbuf found = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct evlist l;

	evlist__init(&l);
	if (parse_events_with(&l, text, &fake, &err))
		fail_msg("%s: %s", text, err.text.buf);
	describe(&l, &found);
	if (strcmp(found.buf, expected))
		fail_msg("%s: \"%s\", expected \"%s\"", text, found.buf, expected);
	strbuf__exit(&found);
	evlist__exit(&l);
	err__exit(&err);
}

static void events_of_pmus(void **state)
{
	static const struct {
		const char *text, *found;
	} rows[] = {
		{ "cpu/event=0x3c,umask=1/u", "cpu/event=0x3c,umask=1/u=4:13c" },
		{ "cpu/event=0x3c,edge/", "cpu/event=0x3c,edge/=4:4003c" },
		{ "cpu//", "cpu//=4:0" },
		{ "cpu/cpu-cycles/k", "cpu/cpu-cycles/k=4:3c" },
		{ "cpu/CPU-CYCLES/", "cpu/CPU-CYCLES/=4:3c" },
		{ "cpu/mem-loads/", "cpu/mem-loads/=4:1cd,3,0,0" },
		{ "cpu/mem-loads,ldlat=30/pp", "cpu/mem-loads,ldlat=30/pp=4:1cd,1e,0,0" },
		{ "cpu/ldlat=30,mem-loads/", "cpu/ldlat=30,mem-loads/=4:1cd,1e,0,0" },
		{ "cpu/event=1,event=2/", "cpu/event=1,event=2/=4:2" },
		{ "cpu/param,umask=3/", "cpu/param,umask=3/=4:310" },
		{ "cpu/split=0x1ff,third=5/", "cpu/split=0x1ff,third=5/=4:0,0,f010f,50" },
		{ "cpu/offcore_rsp=0xffffffffffffffff/",
		  "cpu/offcore_rsp=0xffffffffffffffff/=4:0,ffffffffffffffff,0,0" },
		{ "cpu/config=0x10,config1=1,config2=2,config3=3/",
		  "cpu/config=0x10,config1=1,config2=2,config3=3/=4:10,1,2,3" },
		{ "cpu/r1a8/", "cpu/r1a8/=4:1a8" },
		{ "cpu/cycles/", "cpu/cycles/=0:0" },
		{ "cpu/L1-dcache-loads/", "cpu/L1-dcache-loads/=3:0" },
		{ "cpu/instructions,name=i/", "i=4:c0" },
		{ "mem-loads:u", "mem-loads:u=4:1cd,3,0,0" },
		{ "instructions", "instructions=0:1" },
		{ "software/faults/", "software/faults/=1:2" },
		{ "software/config=PERF_COUNT_SW_CONTEXT_SWITCHES/",
		  "software/config=PERF_COUNT_SW_CONTEXT_SWITCHES/=1:3" },
		{ "uncore_imc_1/event=2/", "uncore_imc_1/event=2/=21:2" },
		{ "imc/event=2/",
		  "uncore_imc_0/event=2/=20:2;uncore_imc_1/event=2/=21:2;uncore_imc_10/event=2/=22:2" },
		{ "uncore_*_0/event=2/", "uncore_cbox_0/event=2/=30:2;uncore_imc_0/event=2/=20:2" },
		{ "cbox/event=1/", "cbox/event=1/=30:1" },
		{ "imc_1*/event=2,name=x/", "x=21:2;x=22:2" },
		{ "cas_count_read:u", "uncore_imc_0/cas_count_read/u=20:4;uncore_imc_1/cas_count_read/"
				      "u=21:4;uncore_imc_10/cas_count_read/u=22:4" },
		{ "cas_count_read/period=3/k",
		  "uncore_imc_0/cas_count_read,period=3/k=20:4;uncore_imc_1/cas_count_read,period=3/"
		  "k=21:4;uncore_imc_10/cas_count_read,period=3/k=22:4" },
		{ "{cycles,cs},{faults}", "cycles=0:0 cs=1:3;faults=1:2" },
		{ "{imc/event=1/,imc/event=2/,cs}",
		  "uncore_imc_0/event=1/=20:1 uncore_imc_0/event=2/=20:2 cs=1:3;uncore_imc_1/event=1/=21:1 "
		  "uncore_imc_1/event=2/=21:2;uncore_imc_10/event=1/=22:1 uncore_imc_10/event=2/=22:2" },
		{ "sched:sched_wak*", "sched:sched_wakeup=2:13c;sched:sched_waking=2:13d" },
		{ "{s*:*_switch,irq:*}:u", "sched:sched_switch=2:13a irq:irq_handler_entry=2:b" },
		{ "syscalls:sys_enter_read/name=reads/k", "reads=2:2bc" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		expect(rows[i].text, rows[i].found);
}

static void units_and_cpus(void **state)
{
	const struct evsel *e;
	struct err err = ERR_INIT;
	struct evlist l;

	(void)state;
	evlist__init(&l);
	assert_int_equal(parse_events_with(&l, "cpu/slots/,uncore_imc_0/cas_count_read/", &fake, &err), 0);
	e = l.evsels.v[0];
	assert_string_equal(e->request->unit, "slots");
	assert_true(e->request->scale > 0.2499 && e->request->scale < 0.2501);
	assert_string_equal(e->request->pmu, "cpu");
	assert_int_equal(e->request->cpus.nr, 0);
	e = l.evsels.v[1];
	assert_null(e->request->unit);
	assert_true(e->request->scale == 0);
	assert_int_equal(e->request->cpus.nr, 1);
	assert_int_equal(e->request->cpus.v[0], 0);
	evlist__exit(&l);
	err__exit(&err);
}

/* ---- two kinds of cores ---- */

static void two_kinds_of_cores(void **state)
{
	static const struct {
		const char *text, *found;
	} rows[] = {
		{ "cycles", "cpu_atom/cycles/=0:a00000000;cpu_core/cycles/=0:400000000" },
		{ "cycles:u", "cpu_atom/cycles/u=0:a00000000;cpu_core/cycles/u=0:400000000" },
		{ "cycles/period=5/u",
		  "cpu_atom/cycles,period=5/u=0:a00000000;cpu_core/cycles,period=5/u=0:400000000" },
		{ "LLC-loads", "cpu_atom/LLC-loads/=3:a00000002;cpu_core/LLC-loads/=3:400000002" },
		{ "r1a8", "cpu_atom/r1a8/=10:1a8;cpu_core/r1a8/=4:1a8" },
		{ "cpu_core/cycles/k", "cpu_core/cycles/k=0:400000000" },
		{ "cpu_atom/cpu-cycles/", "cpu_atom/cpu-cycles/=10:3c" },
		{ "cpu_*/event=1/", "cpu_atom/event=1/=10:1;cpu_core/event=1/=4:1" },
		{ "mem-loads", "cpu_atom/mem-loads/=10:1cd,3,0,0;cpu_core/mem-loads/=4:1cd,3,0,0" },
		{ "cs", "cs=1:3" },
		{ "{cycles,cs,instructions}", "cpu_atom/cycles/=0:a00000000 cs=1:3 "
					      "cpu_atom/instructions/=0:a00000001;cpu_core/cycles/"
					      "=0:400000000 cpu_core/instructions/=0:400000001" },
	};

	(void)state;
	snprintf(sysfs, sizeof(sysfs), "%s/hybrid", root);
	add_core_pmu("cpu_core", "4");
	add_pmu_file("cpu_core", "cpus", "0-3");
	add_core_pmu("cpu_atom", "10");
	add_pmu_file("cpu_atom", "cpus", "4-7");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		expect(rows[i].text, rows[i].found);
	snprintf(sysfs, sizeof(sysfs), "%s/sys", root);
}

static void no_pmus_at_all(void **state)
{
	const struct parse_opts opts = { .sysfs = "/nowhere", .tracefs = "/nowhere" };
	struct err err = ERR_INIT;
	struct evlist l;

	(void)state;
	evlist__init(&l);
	assert_int_equal(parse_events_with(&l, "cycles,cs/period=1/,r1", &opts, &err), 0);
	assert_int_equal(l.evsels.nr, 3);
	assert_int_not_equal(parse_events_with(&l, "cpu/event=1/", &opts, &err), 0);
	assert_int_not_equal(parse_events_with(&l, "sched:sched_switch", &opts, &err), 0);
	assert_int_equal(l.evsels.nr, 3);
	evlist__exit(&l);
	err__exit(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formats),
		cmocka_unit_test(names_of_units),
		cmocka_unit_test(events_of_pmus),
		cmocka_unit_test(units_and_cpus),
		cmocka_unit_test(two_kinds_of_cores),
		cmocka_unit_test(no_pmus_at_all),
	};

	return cmocka_run_group_tests(tests, make_machine, remove_machine);
}
