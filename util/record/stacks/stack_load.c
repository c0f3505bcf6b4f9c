#include "record/stacks/stack_load.h"

enum {
	HIGH_FILL = 48, /* 64ths */
	VERY_HIGH_FILL = 60,
	PATIENCE_MS = 2000, /* time before the level goes down, doubled each time that it was too short */
	PATIENCE_MAX_MS = 60000,
};

unsigned stack_load__see(struct stack_load *l, unsigned fill, unsigned most, u64 now_ms)
{
	if (!l->patience_ms)
		l->patience_ms = PATIENCE_MS;
	if (fill >= HIGH_FILL && l->level < most) {
		if (!l->level && l->changed_ms)
			l->patience_ms = MIN(2 * l->patience_ms, (u32)PATIENCE_MAX_MS);
		l->level = fill >= VERY_HIGH_FILL ? most : l->level + 1;
		l->changed_ms = now_ms;
	} else if (fill >= HIGH_FILL) {
		l->changed_ms = now_ms;
	} else if (l->level && now_ms - l->changed_ms >= l->patience_ms) {
		l->level--;
		l->changed_ms = now_ms;
	}
	return l->level;
}
