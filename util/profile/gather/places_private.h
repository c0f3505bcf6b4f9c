/* The parts of places.h's work. */
#ifndef PROFILE_PLACES_PRIVATE_H
#define PROFILE_PLACES_PRIVATE_H

#include "profile/gather/places.h"

/* ---- places.c ---- */

/* The id of an equal place, made if it is new. */
u32 places__intern(struct places *p, const struct place *place);
/* Of an address: what it is in, and its address there. The place's ip is the address itself. */
struct place places__look_up(struct places *p, const struct row_space *space, u64 ip, struct dso_addr *addr,
			     struct maps_span *span);
bool dso__is_kernel(const struct dso *dso);
/* A symbol's name as shown; the caller frees it. */
char *places__demangle(const struct places *p, const struct dso *dso, const char *raw);

/* ---- place_lines.c ---- */

/* Gives a place of the dso address its line and file. */
void places__add_line(struct places *p, struct place *place, u64 addr);
/* Makes the list of places__frames: where it is in p->frames. */
u32 places__list_frames(struct places *p, const struct row_space *space, u64 ip, bool is_call);

#endif
