/*
 * Lists of names for --comms, --dsos and --symbols: "a,b,file:///path", where the file has one name on each
 * line. Lists of numbers for --pid and --tid.
 */
#ifndef PROFILE_NAME_LIST_H
#define PROFILE_NAME_LIST_H

#include "base/memory/array.h"
#include "base/message/err.h"

struct name_list {
	bool given;      /* given as an option; then an empty list matches nothing */
	ARRAY(char *) v; /* sorted and unique after name_list__finish */
};

void name_list__exit(struct name_list *l);
/* Add the names of text. Return 0, or a negative errno with err if a file cannot be read. */
int name_list__parse(struct name_list *l, const char *text, struct err *err);
/* Return the name if there is one only, else NULL. */
const char *name_list__only(const struct name_list *l);
bool name_list__has(const struct name_list *l, const char *name);

typedef ARRAY(u32) number_list;
/* Parse "123,456". Return 0, or -EINVAL with err. */
int number_list__parse(number_list *l, const char *text, struct err *err);
bool number_list__has(const number_list *l, u32 number);

#endif
