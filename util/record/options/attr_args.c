#include "record/options/attr_args.h"

#include "base/message/msg.h"
#include "base/message/word_list.h"
#include "base/text/number.h"
#include "event/evsel/branch_filter.h"
#include "event/evsel/event_request.h"
#include "event/evsel/reg_names.h"
#include "live/limits.h"
#include "unwind/unwind.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <time.h>

enum { AUTO_STACK_DEFAULT = 16384 }; /* bytes */

/* see man 2 clock_gettime */
static const struct clock_name {
	const char *name;
	s32 id;
} clock_names[] = {
	{ "monotonic", CLOCK_MONOTONIC },
	{ "mono", CLOCK_MONOTONIC },
	{ "monotonic_raw", CLOCK_MONOTONIC_RAW },
	{ "raw", CLOCK_MONOTONIC_RAW },
	{ "realtime", CLOCK_REALTIME },
	{ "real", CLOCK_REALTIME },
	{ "boottime", CLOCK_BOOTTIME },
	{ "boot", CLOCK_BOOTTIME },
	{ "tai", CLOCK_TAI },
};
static const struct word_list clock_list = WORD_LIST("clock", clock_names, WORDS_ANY_CASE);

int attr_args__clock(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct attr_opts *attrs = opt->value;
	const char *name = unset ? "" : arg;
	u64 id;
	int row;

	attrs->use_clockid = !unset;
	attrs->clockid = 0;
	if (unset)
		return 0;
	if (!strncasecmp(name, "CLOCK_", 6))
		name += 6;
	if (number__parse(name, 0, INT32_MAX, &id)) {
		attrs->clockid = (s32)id;
		return 0;
	}
	row = word_list__choose(&clock_list, name, strlen(name), err);
	attrs->clockid = row < 0 ? 0 : clock_names[row].id;
	return MIN(row, 0);
}

int attr_args__branches(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct attr_opts *attrs = opt->value;
	const char *text = unset ? "" : arg ? arg : "any", *bad;
	size_t len;

	attrs->fields.branch_filter = 0;
	if (unset || !branch_filter__parse(text, strlen(text), ",", &attrs->fields.branch_filter, &bad, &len))
		return 0;
	return word_list__choose(&branch_kinds, bad, len, err);
}

/* ---- sampling frequency ---- */

int attr_args__freq(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct rate_opts *rate = &((struct attr_opts *)opt->value)->rate;

	if (unset)
		return 0;
	rate->freq_given = true;
	if (!strcmp(arg, "max")) {
		rate->freq = limits__max_sample_rate();
		return rate->freq ? 0
				  : err__set(err, -ENOENT, "cannot read kernel.perf_event_max_sample_rate");
	}
	if (!number__parse(arg, 1, UINT64_MAX, &rate->freq))
		return err__set(err, -EINVAL,
				"'%s' is not a number of samples a second: a number from 1, or 'max'", arg);
	return 0;
}

/* Does any event take the frequency, not a period of its own? None: the default event, which does. */
static bool is_freq_used(const struct rate_opts *rate, const struct evlist *l)
{
	for (size_t i = 0; i < l->evsels.nr; i++) {
		const struct evsel *e = l->evsels.v[i];

		if (!e->request->own_period && !e->request->own_freq &&
		    (!e->attr.sample_period || rate->freq_given))
			return true;
	}
	return !l->evsels.nr;
}

/*
 * Reduce the frequency to the kernel's limit. The kernel lowers this limit when sampling takes too long, so
 * even the default 4000 Hz may be above it.
 */
static int finalize_freq(struct rate_opts *rate, const struct evlist *l, struct err *err)
{
	unsigned long long freq = rate->freq, max = limits__max_sample_rate();

	if (rate->period || !max || freq <= max)
		return 0;
	if (rate->freq_given && rate->strict_freq)
		return err__set(err, -EINVAL,
				"%llu Hz is more than the %llu that the kernel allows: leave out "
				"--strict-freq, or type sysctl -w kernel.perf_event_max_sample_rate=%llu",
				freq, max, freq);
	if (rate->freq_given)
		warning("%llu Hz is more than the kernel allows: sampling at %llu Hz; sysctl -w "
			"kernel.perf_event_max_sample_rate=%llu",
			freq, max, freq);
	else if (is_freq_used(rate, l))
		info("sampling at %llu Hz: kernel.perf_event_max_sample_rate allows no more", max);
	rate->freq = max;
	return 0;
}

/* ---- call chains ---- */

static int find_user_regs(struct callchain_opts *chains, struct err *err)
{
	const struct unwind_arch *arch = unwind_arch__own();

	if (!arch)
		return err__set(err, -EOPNOTSUPP,
				"stack copies of this machine cannot be unwound: use --call-graph fp");
	chains->user_regs = arch->perf_mask;
	return 0;
}

/* Have the stack copied with each sample. The report unwinds it, or, with chains->unwind, the recorder. */
static int parse_stack_copy(struct callchain_opts *chains, u64 bytes, const char *size, struct err *err)
{
	bool has_unit;

	if (size && (!number__parse_size(size, &bytes, &has_unit) || !bytes || bytes > STACK_COPY_MAX))
		return err__set(err, -EINVAL, "'%s' is not a size of stack copies: 8 to %u bytes", size,
				(unsigned)STACK_COPY_MAX);
	chains->stack_copy = (u32)ROUND_UP(bytes, 8);
	return find_user_regs(chains, err);
}

enum chain_mode { CHAINS_AUTO, CHAINS_FP, CHAINS_DWARF, CHAINS_LBR, CHAINS_NONE };

static const char *const chain_names[] = { "auto", "fp", "dwarf", "lbr", "no" };
static const struct word_list chain_modes = WORD_LIST("call graph mode", chain_names, 0);

bool attr_args__is_chain_mode(const char *word)
{
	return word_list__find(&chain_modes, word, strcspn(word, ",")) >= 0;
}

/* Parse "MODE[,SIZE]"; *size is NULL without a size. Return enum chain_mode or -EINVAL. */
static int parse_chain_mode(const char *text, const char **size, struct err *err)
{
	size_t len = strcspn(text, ",");
	int mode = word_list__choose(&chain_modes, text, len, err);

	*size = text[len] ? text + len + 1 : NULL;
	if (*size && mode >= 0 && mode != CHAINS_AUTO && mode != CHAINS_DWARF)
		return err__set(err, -EINVAL, "'%s': only auto and dwarf take a size of stack copies", text);
	return mode;
}

int attr_args__call_graph(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct callchain_opts *chains = &((struct attr_opts *)opt->value)->chains;
	int mode = unset ? CHAINS_NONE : unwind_arch__own() ? CHAINS_AUTO : CHAINS_FP; /* -g */
	const char *size = NULL;
	u64 dwarf_copy =
		chains->default_copy ? MIN(chains->default_copy, STACK_COPY_MAX) : STACK_COPY_DEFAULT;

	if (!arg)
		arg = chains->default_mode;
	if (arg && !unset)
		mode = parse_chain_mode(arg, &size, err);
	if (mode < 0)
		return mode;
	chains->is_on = mode != CHAINS_NONE;
	chains->is_given = true;
	chains->stack_copy = 0;
	chains->unwind = mode == CHAINS_AUTO;
	chains->lbr = mode == CHAINS_LBR;
	chains->copy_given = size;
	if (mode != CHAINS_AUTO && mode != CHAINS_DWARF)
		return 0;
	return parse_stack_copy(chains, chains->unwind ? AUTO_STACK_DEFAULT : dwarf_copy, size, err);
}

/* ---- registers ---- */

/*
 * Return the registers that every processor of this kind has. On some, vector registers have numbers from 32
 * on.
 */
static u64 all_registers(void)
{
	const struct unwind_arch *arch = unwind_arch__own();
	const struct reg_names *names = reg_names__find(NULL);
	u64 mask = 0;

	if (arch)
		return arch->perf_mask;
	for (unsigned i = 0; i < 32; i++)
		mask |= strcmp(reg_names__name(names, i), "unknown") ? 1ull << i : 0;
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
	*mask = 0;
	if (unset)
		return 0;
	attrs->fields.list_regs |= !strcmp(arg, "?");
	if (!*arg)
		*mask = all_registers();
	if (!*arg || attrs->fields.list_regs)
		return 0;
	return reg_names__parse(reg_names__find(NULL), arg, mask, err);
}

int attr_args__user_regs(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct attr_opts *attrs = opt->value;

	return parse_regs(attrs, &attrs->fields.user_regs, arg, unset, err);
}

int attr_args__intr_regs(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct attr_opts *attrs = opt->value;

	return parse_regs(attrs, &attrs->fields.intr_regs, arg, unset, err);
}

/* ---- all options together ---- */

static void finalize_chains(struct attr_opts *attrs, const struct evlist *l)
{
	const struct unwind_arch *arch = unwind_arch__own();
	struct callchain_opts *chains = &attrs->chains;

	if (chains->no_user) { /* nothing to unwind */
		chains->stack_copy = 0;
		chains->unwind = false;
	}
	if (attrs->fields.user_regs) /* the user asked for them: they must stay in the samples */
		chains->unwind = false;
	chains->leaf_regs = arch ? arch->perf_link : 0;
	for (size_t i = 0; i < l->evsels.nr; i++)
		chains->event_copies |= l->evsels.v[i]->request->terms.call_graph == CALL_GRAPH_DWARF;
}

int attr_args__finalize(struct attr_opts *attrs, const struct evlist *l, struct err *err)
{
	const struct callchain_opts *chains = &attrs->chains;
	int ret;

	if (attrs->rate.period && attrs->rate.freq_given)
		return err__set(err, -EINVAL, "-c and -F exclude each other");
	ret = finalize_freq(&attrs->rate, l, err);
	if (ret)
		return ret;
	finalize_chains(attrs, l);
	/* Stock perf 6.1 needs mappings without code to find the call frame information for stack copies. */
	attrs->side_band.data_maps |=
		attrs->fields.addresses ||
		((chains->event_copies || (chains->is_on && chains->stack_copy)) && !chains->unwind);
	return chains->event_copies ? find_user_regs(&attrs->chains, err) : 0;
}
