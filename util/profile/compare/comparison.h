/*
 * The comparison of old and new recordings: which functions changed, as far as the samples tell. All views of
 * a comparison are drawn from it.
 *
 * 	comparison__init(&c, &opts);
 * 	for each recording:
 * 		comparison__choose_event(&c, session, &err);
 * 		compared_recording__read(&r, &c, session, times, &err);   by any thread
 * 		comparison__add(&c, &r, COMPARE_OLD or COMPARE_NEW);      the session may be closed
 * 	comparison__finish(&c);
 * 	... c.rows ...
 */
#ifndef PROFILE_COMPARISON_H
#define PROFILE_COMPARISON_H

#include "profile/compare/compared.h"

void comparison__init(struct comparison *c, const struct comparison_opts *opts);
/*
 * Choose the event that counts, if s is the first recording, and check that s has it. Return 0; -EINVAL or
 * -ENODATA with err.
 */
int comparison__choose_event(struct comparison *c, const struct session *s, struct err *err);
/*
 * Read a recording, whose event was chosen; other threads may read other ones. times: as --time has them;
 * NULL: all. Return 0 or a negative errno with err: -ENODATA if it has no samples, -EINVAL if it cannot be
 * compared. Add r afterwards, or exit it after an error.
 */
int compared_recording__read(struct compared_recording *r, const struct comparison *c, struct session *s,
			     const char *times, struct err *err);
void compared_recording__exit(struct compared_recording *r);
/*
 * Return the recording of a side that has the same samples, or NULL. One recording, or a copy of it, is not
 * two runs: they do not vary.
 */
const struct compared_recording *comparison__find_copy(const struct comparison *c,
						       const struct compared_recording *r, u32 side);
/* Add a recording to a side, and take its memory over. */
void comparison__add(struct comparison *c, struct compared_recording *r, u32 side);
/*
 * Do some recordings lack debug information of a binary, while others have its inlined functions? Then these
 * would look new or gone. Return a sentence, which the caller frees, or NULL.
 */
char *comparison__find_lacking_lines(const struct comparison *c);
/* Return the mode of a file made of all recordings: the least that they allow. */
mode_t comparison__output_mode(const struct comparison *c);
/* Weigh the evidence, when all recordings are added. */
void comparison__finish(struct comparison *c);
/*
 * Return the verdict on the total of a finished comparison: slower, faster, same, or cannot tell. A change
 * that the cost of samples may explain is none (profile/compare/sampling.h).
 */
enum verdict comparison__judge_total(const struct comparison *c);
/* Is there no verdict on the total only because the sides were sampled in different ways? */
bool comparison__hides_total(const struct comparison *c);
void comparison__exit(struct comparison *c);

#endif
