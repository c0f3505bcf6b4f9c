#include "stat/stat_line.h"

#include <math.h>

double stat_value__percent(const struct stat_value *v)
{
	return v->enabled > 0 ? 100 * v->running / v->enabled : 100;
}

void stat_line__add_value(struct strbuf *out, const struct stat_line *line)
{
	double factor, value;

	evsel__unit(line->e, &factor);
	value = line->value->value.mean * factor;
	if (line->state != STAT_COUNTED)
		strbuf__addstr(out, line->state == STAT_NOT_SUPPORTED ? "<not supported>" : "<not counted>");
	else if (factor != 1 && floor(value) != value)
		strbuf__addf(out, line->opts->big_num ? "%'.2f" : "%.2f", value);
	else if (evsel__is_clock(line->e))
		strbuf__addf(out, line->opts->big_num ? "%'.2f" : "%.2f", value);
	else
		strbuf__addf(out, line->opts->big_num ? "%'.0f" : "%.0f", value);
}
