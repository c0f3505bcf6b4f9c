/*
 * Growing arrays of any type: struct { ARRAY(struct map) maps; }. v is NULL while empty.
 * A pointer into v is good until the next push.
 */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include "base/memory/mem.h"

#include <string.h>

/* Compare u64, int and char * for qsort and bsearch. */
static inline int u64__compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static inline int int__compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return x < y ? -1 : x > y;
}

static inline int str__compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

#define ARRAY(type)           \
	struct {              \
		type *v;      \
		size_t nr;    \
		size_t alloc; \
	}

typedef ARRAY(u64) u64_array;

/* Makes room for n elements in all. */
#define array__reserve(a, n)                                                         \
	do {                                                                         \
		size_t want_ = (n);                                                  \
		if (want_ > (a)->alloc) {                                            \
			(a)->alloc = MAX(want_, (a)->alloc + (a)->alloc / 2 + 4);    \
			(a)->v = xreallocarray((a)->v, (a)->alloc, sizeof(*(a)->v)); \
		}                                                                    \
	} while (0)

/* Appends one uninitialised element and is a pointer to it. */
#define array__push(a)                          \
	({                                      \
		array__reserve(a, (a)->nr + 1); \
		&(a)->v[(a)->nr++];             \
	})

#define array__add(a, value) (*array__push(a) = (value))

/*
 * The first i in [from, to) for which the condition, which has i in it, is false; to if there is none. The
 * condition is true up to there.
 */
#define bisect(i, from, to, condition)                             \
	({                                                         \
		__typeof__((to) + 0) lo_ = (from), hi_ = (to);     \
		while (lo_ < hi_) {                                \
			__typeof__(lo_) i = lo_ + (hi_ - lo_) / 2; \
			if (condition)                             \
				lo_ = i + 1;                       \
			else                                       \
				hi_ = i;                           \
		}                                                  \
		lo_;                                               \
	})

/* bisect in [0, to), faster if the result is near a place. */
#define bisect_near(i, near, to, condition)                                             \
	({                                                                              \
		size_t nr_ = (to), low_ = MIN((size_t)(near), nr_), high_ = low_;       \
		for (size_t step_ = 1; low_; step_ *= 2) { /* true before low_? */      \
			size_t i = low_ - 1;                                            \
			if (condition)                                                  \
				break;                                                  \
			high_ = i;                                                      \
			low_ = low_ > step_ ? low_ - step_ : 0;                         \
		}                                                                       \
		for (size_t step_ = 1; high_ < nr_; step_ *= 2) { /* false at high_? */ \
			size_t i = high_;                                               \
			if (!(condition))                                               \
				break;                                                  \
			low_ = high_ + 1;                                               \
			high_ = MIN(high_ + step_, nr_);                                \
		}                                                                       \
		bisect(i, low_, high_, condition);                                      \
	})

/*
 * Restore a heap of nr elements, the least on top, after element i has become greater. before(x, y): is *x
 * less than *y?
 */
#define heap__sift(v, nr, i, before)                                                        \
	do {                                                                                \
		__typeof__(*(v)) *heap_ = (v), moved_ = heap_[i];                           \
		size_t nr_ = (nr), at_ = (i);                                               \
		for (size_t child_ = 2 * at_ + 1; child_ < nr_; child_ = 2 * at_ + 1) {     \
			if (child_ + 1 < nr_ && before(&heap_[child_ + 1], &heap_[child_])) \
				child_++;                                                   \
			if (!before(&heap_[child_], &moved_))                               \
				break;                                                      \
			heap_[at_] = heap_[child_];                                         \
			at_ = child_;                                                       \
		}                                                                           \
		heap_[at_] = moved_;                                                        \
	} while (0)

/*
 * Sort nr elements by the u64 key(&element), a byte at a time from the lowest on; equal keys keep their
 * order, and bytes that all share are skipped. Return where the elements are then: v or spare, which has room
 * for as many.
 */
#define radix__sort(v, spare, nr, key)                                                        \
	({                                                                                    \
		__typeof__(*(v)) *from_ = (v), *to_ = (spare), *was_;                         \
		size_t nr_ = (nr);                                                            \
		u64 differs_ = 0;                                                             \
		for (size_t i_ = 1; i_ < nr_; i_++)                                           \
			differs_ |= key(&from_[i_]) ^ key(&from_[0]);                         \
		for (unsigned shift_ = 0; shift_ < 64; shift_ += 8) {                         \
			size_t places_[256] = { 0 }, sum_ = 0;                                \
			if (!(differs_ >> shift_ & 0xff))                                     \
				continue;                                                     \
			for (size_t i_ = 0; i_ < nr_; i_++)                                   \
				places_[key(&from_[i_]) >> shift_ & 0xff]++;                  \
			for (size_t i_ = 0; i_ < 256; i_++) {                                 \
				sum_ += places_[i_];                                          \
				places_[i_] = sum_ - places_[i_];                             \
			}                                                                     \
			for (size_t i_ = 0; i_ < nr_; i_++)                                   \
				to_[places_[key(&from_[i_]) >> shift_ & 0xff]++] = from_[i_]; \
			was_ = from_;                                                         \
			from_ = to_;                                                          \
			to_ = was_;                                                           \
		}                                                                             \
		from_;                                                                        \
	})

#define array__exit(a)          \
	do {                    \
		free((a)->v);   \
		(a)->v = NULL;  \
		(a)->nr = 0;    \
		(a)->alloc = 0; \
	} while (0)

#endif
