/*
 * Lists of names as --comms, --dsos and --symbols take them: "a,b,file:///path", where the file has one
 * name a line. And of numbers, as --pid and --tid take them.
 */
#ifndef PROFILE_NAME_LIST_H
#define PROFILE_NAME_LIST_H

#include "base/memory/array.h"
#include "base/message/err.h"

struct name_list {
	bool given;      /* an empty list that was given matches nothing */
	ARRAY(char *) v; /* sorted and unique after __finish */
};

void name_list__exit(struct name_list *l);
/* Adds the names of text. 0, or a negative errno with err when a file cannot be read. */
int name_list__parse(struct name_list *l, const char *text, struct err *err);
bool name_list__has(const struct name_list *l, const char *name);

typedef ARRAY(u32) number_list;
/* "123,456". -EINVAL with err for anything else. */
int number_list__parse(number_list *l, const char *text, struct err *err);
bool number_list__has(const number_list *l, u32 number);

#endif
