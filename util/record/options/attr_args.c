#include "record/options/attr_args.h"

#include "event/evsel/branch_filter.h"
#include "event/evsel/reg_names.h"
#include "unwind/unwind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/utsname.h>
#include <time.h>

/* man 2 clock_gettime */
static const struct clock_name {
	const char *name, *shrt;
	s32 id;
} clock_names[] = {
	{ "monotonic", "mono", CLOCK_MONOTONIC },
	{ "monotonic_raw", "raw", CLOCK_MONOTONIC_RAW },
	{ "realtime", "real", CLOCK_REALTIME },
	{ "boottime", "boot", CLOCK_BOOTTIME },
	{ "tai", "tai", CLOCK_TAI },
};

int attr_args__clock(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct attr_opts *attrs = opt->value;
	const char *name = unset ? "" : arg;
	char *end;
	long id;

	attrs->use_clockid = !unset;
	attrs->clockid = 0;
	if (unset)
		return 0;
	if (!strncasecmp(name, "CLOCK_", 6))
		name += 6;
	for (size_t i = 0; i < ARRAY_SIZE(clock_names); i++)
		if (!strcasecmp(name, clock_names[i].name) || !strcasecmp(name, clock_names[i].shrt)) {
			attrs->clockid = clock_names[i].id;
			return 0;
		}
	errno = 0;
	id = strtol(name, &end, 10);
	if (errno || *end || *name < '0' || *name > '9' || id > INT32_MAX)
		return err__set(err, -EINVAL,
				"'%s' is no clock: monotonic, monotonic_raw, realtime, boottime or tai", arg);
	attrs->clockid = (s32)id;
	return 0;
}

int attr_args__branches(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct attr_opts *attrs = opt->value;
	const char *text = unset ? "" : arg ? arg : "any", *bad;
	size_t len;

	attrs->branch_filter = 0;
	if (unset || !branch_filter__parse(text, strlen(text), ",", &attrs->branch_filter, &bad, &len))
		return 0;
	return err__set(err, -EINVAL,
			"'%.*s' is no kind of branch: any, any_call, any_ret, ind_call, ind_jmp, call, cond, "
			"stack, in_tx, no_tx, abort_tx, no_flags, no_cycles, save_type, hw_index, priv, "
			"counter, and u, k, hv",
			(int)len, bad);
}

/* ---- registers ---- */

const struct unwind_arch *attr_args__own_arch(void)
{
	struct utsname host;

	return uname(&host) ? NULL : unwind_arch__find(host.machine);
}

static bool has_name(const struct reg_names *names, unsigned bit)
{
	return strcmp(reg_names__name(names, bit), "unknown") != 0;
}

/* Those that every processor of this kind has: vector registers have numbers from 32 on with some. */
static u64 all_registers(void)
{
	const struct unwind_arch *arch = attr_args__own_arch();
	const struct reg_names *names = reg_names__find(NULL);
	u64 mask = 0;

	if (arch)
		return arch->perf_mask;
	for (unsigned i = 0; i < 32; i++)
		mask |= has_name(names, i) ? 1ull << i : 0;
	return mask;
}

void attr_args__add_reg_names(struct strbuf *out)
{
	const struct reg_names *names = reg_names__find(NULL);
	u64 mask = all_registers();

	for (unsigned i = 0; i < 64; i++)
		if (mask >> i & 1)
			strbuf__addf(out, "%s%s", out->len ? " " : "", reg_names__name(names, i));
}

static int parse_regs(struct attr_opts *attrs, u64 *mask, const char *arg, bool unset, struct err *err)
{
	const char *bad;
	size_t len;

	*mask = 0;
	if (unset)
		return 0;
	attrs->list_regs |= !strcmp(arg, "?");
	if (!*arg)
		*mask = all_registers();
	if (!*arg || attrs->list_regs || !reg_names__parse(reg_names__find(NULL), arg, mask, &bad, &len))
		return 0;
	return err__set(err, -EINVAL, "'%.*s' is no register of this machine: --user-regs=? lists them",
			(int)len, bad);
}

int attr_args__user_regs(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct attr_opts *attrs = opt->value;

	return parse_regs(attrs, &attrs->sampled_user_regs, arg, unset, err);
}

int attr_args__intr_regs(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct attr_opts *attrs = opt->value;

	return parse_regs(attrs, &attrs->intr_regs, arg, unset, err);
}
