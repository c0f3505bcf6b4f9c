#include "base/memory/reserve.h"

#include <string.h>

static u64 reserve = RESERVE_SIZE;

bool reserve__take(u64 bytes)
{
	u64 left = __atomic_load_n(&reserve, __ATOMIC_RELAXED);

	do {
		if (bytes > left)
			return false;
	} while (!__atomic_compare_exchange_n(&reserve, &left, left - bytes, true, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	return true;
}

u64 reserve__left(void)
{
	return __atomic_load_n(&reserve, __ATOMIC_RELAXED);
}

void reserve__take_at_most(u64 bytes)
{
	while (bytes && !reserve__take(bytes))
		bytes = MIN(bytes, reserve__left());
}

void reserve__give(u64 bytes)
{
	__atomic_fetch_add(&reserve, bytes, __ATOMIC_RELAXED);
}

const char *name__within(const char *name, u64 *left)
{
	size_t len = strnlen(name, NAME_SHORT + 1);

	if (len <= NAME_SHORT)
		return name;
	len += strnlen(name + len, *left);
	if (len <= *left) {
		*left -= len;
		return name;
	}
	return name + len + strlen(name + len) - NAME_SHORT;
}
