/* A list that is partly visible: the selected line, and the first one on the screen. */
#ifndef BROWSER_LIST_H
#define BROWSER_LIST_H

#include "base/memory/types.h"

#include <stdbool.h>
#include <stddef.h>

struct list {
	size_t nr, at, top; /* lines; the selected one; the first visible one */
	unsigned rows;      /* visible ones */
};

/* Keep the selected line in view: the list has nr lines, and the screen room for rows of them. */
void list__fit(struct list *l, size_t nr, unsigned rows);
/* Move as a key says (terminal.h). Return false if it is not for moving. */
bool list__key(struct list *l, u32 key);

#endif
