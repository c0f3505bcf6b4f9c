/* The modifier letters after an event or a group. */
#include "event/parse/parse_private.h"

#include <errno.h>
#include <string.h>

enum modifier {
	MOD_USER,
	MOD_KERNEL,
	MOD_HV,
	MOD_IDLE,
	MOD_GUEST,
	MOD_HOST,
	MOD_PRECISE,
	MOD_PRECISE_MAX,
	MOD_PINNED,
	MOD_EXCLUSIVE,
	MOD_SAMPLE_READ,
	MOD_WEAK,
	MOD_BPF,
	MOD_NR,
};
_Static_assert((int)MOD_NR == (int)MODIFIERS_MAX, "as many letters as rows");

/* b changes how perf stat counts; it has no effect on a recording. */
static const struct modifier_row {
	char letter;
	u8 max; /* times it may appear in one word */
} modifier_rows[MOD_NR] = {
	[MOD_USER] = { 'u', 1 },      [MOD_KERNEL] = { 'k', 1 },      [MOD_HV] = { 'h', 1 },
	[MOD_IDLE] = { 'I', 1 },      [MOD_GUEST] = { 'G', 1 },       [MOD_HOST] = { 'H', 1 },
	[MOD_PRECISE] = { 'p', 3 },   [MOD_PRECISE_MAX] = { 'P', 1 }, [MOD_PINNED] = { 'D', 1 },
	[MOD_EXCLUSIVE] = { 'e', 1 }, [MOD_SAMPLE_READ] = { 'S', 1 }, [MOD_WEAK] = { 'W', 1 },
	[MOD_BPF] = { 'b', 1 },
};

static int modifier__find(char letter)
{
	for (int i = 0; i < MOD_NR; i++)
		if (modifier_rows[i].letter == letter)
			return i;
	return -1;
}

bool is_modifiers(struct word w)
{
	for (size_t i = 0; i < w.len; i++)
		if (modifier__find(w.p[i]) < 0)
			return false;
	return true;
}

/*
 * As in stock perf: u, k and h exclude the levels that are not named. The guest is excluded without
 * modifiers and with u or p, but not with k alone, and not if G or H is given.
 */
static void apply_to_event(const u8 count[MOD_NR], struct evsel *e)
{
	struct perf_event_attr *attr = &e->attr;
	bool any = false;

	for (int i = 0; i < MOD_NR; i++)
		any |= count[i] > 0;
	if (count[MOD_USER] || count[MOD_KERNEL] || count[MOD_HV]) {
		attr->exclude_user = !count[MOD_USER];
		attr->exclude_kernel = !count[MOD_KERNEL];
		attr->exclude_hv = !count[MOD_HV];
	}
	if (count[MOD_GUEST] || count[MOD_HOST]) {
		attr->exclude_host = !count[MOD_HOST];
		attr->exclude_guest = !count[MOD_GUEST];
	} else {
		attr->exclude_guest = !any || count[MOD_USER] || count[MOD_PRECISE];
	}
	attr->exclude_idle = count[MOD_IDLE];
	attr->precise_ip = count[MOD_PRECISE_MAX] ? 3 : count[MOD_PRECISE] & 3;
	attr->pinned = count[MOD_PINNED];
	attr->exclusive = count[MOD_EXCLUSIVE];
	e->request->sample_read = count[MOD_SAMPLE_READ];
	e->request->is_weak = count[MOD_WEAK];
	e->request->chose_host = count[MOD_GUEST] || count[MOD_HOST];
}

/*
 * Add the group's modifiers to the member's own. Pinned and exclusive apply to the group, so they are set in
 * the leader.
 */
static void apply_to_member(const u8 count[MOD_NR], struct evsel *e)
{
	struct perf_event_attr *attr = &e->attr;
	bool chose_levels = attr->exclude_user || attr->exclude_kernel || attr->exclude_hv;
	bool is_leader = e->leader == e->idx;

	if (count[MOD_USER] || count[MOD_KERNEL] || count[MOD_HV]) {
		attr->exclude_user = !count[MOD_USER] && (!chose_levels || attr->exclude_user);
		attr->exclude_kernel = !count[MOD_KERNEL] && (!chose_levels || attr->exclude_kernel);
		attr->exclude_hv = !count[MOD_HV] && (!chose_levels || attr->exclude_hv);
	}
	if (count[MOD_GUEST] || count[MOD_HOST]) {
		attr->exclude_host = !count[MOD_HOST] && (!e->request->chose_host || attr->exclude_host);
		attr->exclude_guest = !count[MOD_GUEST] && (!e->request->chose_host || attr->exclude_guest);
	} else if (count[MOD_USER] && !e->request->chose_host) {
		attr->exclude_guest = 1;
	}
	attr->exclude_idle |= count[MOD_IDLE];
	if (count[MOD_PRECISE_MAX] || count[MOD_PRECISE])
		attr->precise_ip = count[MOD_PRECISE_MAX] ? 3 : count[MOD_PRECISE] & 3;
	attr->pinned |= is_leader && count[MOD_PINNED];
	attr->exclusive |= is_leader && count[MOD_EXCLUSIVE];
	e->request->sample_read |= count[MOD_SAMPLE_READ];
	e->request->is_weak |= is_leader && count[MOD_WEAK];
}

int parser__modifiers(struct parser *ps, struct word w, bool of_group)
{
	u8 count[MOD_NR] = { 0 };

	for (size_t i = 0; i < w.len; i++) {
		struct word letter = { w.p + i, 1 };
		int m = modifier__find(w.p[i]);

		if (m < 0) {
			parser__fail(ps, letter, "unknown modifier");
			err__advise(ps->err,
				    "modifiers are u k h (levels), G H (guest, host), I (not idle),");
			err__advise(ps->err, "p pp ppp P (precise), D e (pinned, exclusive), S W (groups)");
			return -EINVAL;
		}
		if (++count[m] > modifier_rows[m].max)
			return parser__fail(ps, letter, "one too many modifier");
	}
	for (size_t i = ps->first; i < ps->out.evsels.nr; i++) {
		if (of_group)
			apply_to_member(count, ps->out.evsels.v[i]);
		else
			apply_to_event(count, ps->out.evsels.v[i]);
	}
	ps->p = w.p + w.len;
	return 0;
}

void evsel__name_less_precise(struct evsel *e, unsigned nr)
{
	char *mods = strrchr(e->name, strchr(e->name, '/') ? '/' : ':'), *to;

	if (!mods || !is_modifiers((struct word){ mods + 1, strlen(mods + 1) }))
		return;
	to = mods + 1;
	for (const char *from = to; *from; from++)
		if (*from != 'p' || !nr || !nr--)
			*to++ = *from;
	if (to == mods + 1 && *mods == ':') /* no modifiers are left */
		to = mods;
	*to = '\0';
}

/*
 * Return whether one more modifier can be appended to the name without a colon, as for "cycles:u",
 * "cpu/event=1/", "mem:0x1000/4:w:u" or "syscalls:sys_enter_read:u".
 */
static bool takes_modifier(const struct evsel *e)
{
	const char *first = strchr(e->name, ':'), *last = strrchr(e->name, ':');

	if (e->attr.type == PERF_TYPE_TRACEPOINT)
		return last != first;
	if (e->attr.type == PERF_TYPE_BREAKPOINT) /* not "mem:0x1000", "mem:ns::counter", "mem:0x1000:rw" */
		return last != first && last[-1] != ':' && strspn(last + 1, "rwx") < strlen(last + 1);
	return strpbrk(e->name, ":/");
}

void evsel__name_user_only(struct evsel *e)
{
	char *name = xasprintf("%s%su", e->name, takes_modifier(e) ? "" : ":");

	free(e->name);
	e->name = name;
}
