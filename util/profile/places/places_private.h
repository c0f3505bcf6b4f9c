/* Internals shared by places.c and place_lines.c. */
#ifndef PROFILE_PLACES_PRIVATE_H
#define PROFILE_PLACES_PRIVATE_H

#include "profile/places/places.h"

/* ---- places.c ---- */

/* Return the id of an equal place; add it if it is new. */
u32 places__intern(struct places *p, const struct place *place);
/* Return the place of an address, and its address in the dso. The place's ip is the address itself. */
struct place places__look_up(struct places *p, const struct row_space *space, u64 ip, struct dso_addr *addr,
			     struct maps_span *span);
/* Return a symbol's name as shown; the caller frees it. */
char *places__demangle(const struct places *p, const struct dso *dso, const char *raw);

/* ---- place_lines.c ---- */

/* Set line and file of a place at the dso address addr. */
void places__add_line(struct places *p, struct place *place, u64 addr);
/* Make the list of places__frames. Return its index in p->frames. */
u32 places__list_frames(struct places *p, const struct row_space *space, u64 ip, bool is_call);

#endif
