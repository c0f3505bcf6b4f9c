#include "browser/list.h"

#include "browser/terminal.h"

void list__fit(struct list *l, size_t nr, unsigned rows)
{
	l->nr = nr;
	l->rows = rows;
	if (l->at >= nr)
		l->at = nr ? nr - 1 : 0;
	if (l->top > l->at)
		l->top = l->at;
	if (rows && l->at - l->top >= rows)
		l->top = l->at - rows + 1;
	if (l->top + rows > nr)
		l->top = nr > rows ? nr - rows : 0;
}

bool list__key(struct list *l, u32 key)
{
	size_t page = MAX(l->rows, 2u) - 1, last = l->nr ? l->nr - 1 : 0;

	switch (key) {
	case TERM_UP:
		l->at -= l->at > 0;
		break;
	case TERM_DOWN:
		l->at += l->at < last;
		break;
	case TERM_PAGE_UP:
		l->at -= MIN(l->at, page);
		break;
	case TERM_PAGE_DOWN:
	case ' ':
		l->at = MIN(l->at + page, last);
		break;
	case TERM_HOME:
		l->at = 0;
		break;
	case TERM_END:
		l->at = last;
		break;
	default:
		return false;
	}
	list__fit(l, l->nr, l->rows);
	return true;
}
