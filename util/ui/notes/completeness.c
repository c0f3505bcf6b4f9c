#include "ui/notes/completeness.h"

/* Return the number of lost records: side-band, or records of unknown kind. */
static u64 nr_lost_records(const struct session *s)
{
	const struct lost_records *lost = &s->stats.lost;

	if (!s->losses.events.nr)
		return lost->at_end ? 0 : lost->in_rings;
	return MIN(losses__of_side_band(&s->losses), lost_records__total(lost));
}

struct completeness completeness__of(const struct profile *p)
{
	const struct session *s = p->session;
	struct completeness c = { .lost_records = nr_lost_records(s),
				  .malformed = p->nr_misread + s->stats.nr_misread,
				  .unknown_event = p->nr_unknown_event };

	c.lost_samples = lost_records__total(&s->stats.lost) - c.lost_records;
	c.end = s->reader->stopped        ? "stopped by the user"
		: s->reader->damage.code  ? "truncated by damage"
		: s->reader->unterminated ? "cut off: the recorder was killed"
					  : "not truncated";
	c.is_whole = !s->reader->stopped && !s->reader->damage.code && !s->reader->unterminated;
	return c;
}
