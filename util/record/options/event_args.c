#include "record/options/event_args.h"

#include "event/parse/parse.h"
#include "live/checks.h"
#include "record/events/event_cgroups.h"
#include "record/events/event_filters.h"

void event_args__init(struct event_args *args)
{
	*args = (struct event_args){ 0 };
	evlist__init(&args->list);
}

void event_args__exit(struct event_args *args)
{
	evlist__exit(&args->list);
}

int event_args__add(struct event_args *args, const char *text, struct err *err)
{
	args->last = args->list.evsels.nr;
	if (!text)
		return 0;
	return checks__explain_lookup(text, parse_events(&args->list, text, err), err);
}

int event_args__pfm_event(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct event_args *args = opt->value;

	args->last = args->list.evsels.nr;
	return unset ? 0 : parse_pfm_events(&args->list, arg, err);
}

int event_args__filter(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct event_args *args = opt->value;

	return unset ? 0 : event_filters__add(&args->list, args->last, arg, err);
}

int event_args__cgroup(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct event_args *args = opt->value;

	return unset ? 0 : event_cgroups__add(&args->list, &args->next_cgroup, arg, err);
}
