/*
 * The -e language. This version: hardware, software and cache names, rNNN, mem:ADDR[/len][:rwx],
 * each with :modifiers (u k h I G H p P S D W e), comma-separated.
 */
#ifndef EVENT_PARSE_H
#define EVENT_PARSE_H

#include "base/err.h"
#include "event/evsel.h"

/*
 * Appends the events of text to l, with attr.type, config, bp_*, exclude_*, precise_ip and the like set and
 * the evsel named as written. 0, or -EINVAL with err naming the word and its position, and the nearest known
 * names.
 */
int parse_events(struct evlist *l, const char *text, struct err *err);

#endif
