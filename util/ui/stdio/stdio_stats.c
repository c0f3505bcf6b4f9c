/* report --stats: number of records of each type. */
#include "ui/stdio/stdio.h"

void stdio__print_stats(const struct session *s, bool skip_empty, FILE *out)
{
	const struct record_counts *st = &s->stats.records;
	const struct evlist *l = &s->reader->evlist;
	struct strbuf name = STRBUF_INIT;

	fprintf(out, "\nAggregated stats:\n%16s events: %10llu\n", "TOTAL",
		(unsigned long long)st->nr_records);
	for (u32 i = 0; i < RECORD_TYPE_MAX; i++) {
		const char *type = record_type__name(i);

		if (!type || (!st->by_type[i] && skip_empty))
			continue;
		fprintf(out, "%16s events: %10llu", type, (unsigned long long)st->by_type[i]);
		fprintf(out, "  (%4.1f%%)\n", 100.0 * (double)st->by_type[i] / (double)st->nr_records);
	}
	for (size_t i = 0; i < l->evsels.nr; i++) {
		u64 nr = st->by_event ? st->by_event[i] : 0,
		    lost = lost_records__of_event(&s->stats.lost, l->evsels.v[i]);

		if (!nr && !lost && skip_empty)
			continue;
		strbuf__reset(&name);
		strbuf__add_masked(&name, l->evsels.v[i]->name);
		fprintf(out, "%s stats:\n", name.buf);
		if (nr || !skip_empty)
			fprintf(out, "%16s events: %10llu\n", "SAMPLE", (unsigned long long)nr);
		if (lost)
			fprintf(out, "%16s events: %10llu\n", "LOST_SAMPLES", (unsigned long long)lost);
	}
	strbuf__exit(&name);
}
