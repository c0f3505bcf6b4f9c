/* Why slow spans are slow, in words: for all that shows it. Names are masked. */
#ifndef PROFILE_WHY_TEXT_H
#define PROFILE_WHY_TEXT_H

#include "profile/causes/span_why.h"

/* Return the name of a verdict, such as "explained". */
const char *span_verdict__name(enum span_verdict v);
/* Append the answer: a sentence without a full stop. */
void why_text__add_answer(struct span_why *w, struct strbuf *sb);
/* Append what to do if the answer is that it cannot be told; nothing otherwise. */
void why_text__add_advice(const struct span_why *w, struct strbuf *sb);
/* Append what slow spans do: "wait 28.4 ms longer for mutex db_lock, held by flush_log". */
void why_text__add_row(struct span_why *w, const struct why_row *r, struct strbuf *sb);
/*
 * Append "called by f, g" of the functions around that of a row; of a wait for a lock, "in e, called by f,
 * g". Nothing if they are not known.
 */
void why_text__add_callers(struct span_why *w, const struct why_row *r, struct strbuf *sb);
/* Append what the holder did meanwhile, "it waited for the disk in write_log"; nothing if it is not known. */
void why_text__add_meanwhile(struct span_why *w, const struct why_row *r, struct strbuf *sb);

/* Append the name of a function; nothing if the place is none. */
void why_text__add_function(struct span_why *w, u32 place, struct strbuf *sb);

#endif
