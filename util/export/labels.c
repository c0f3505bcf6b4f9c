#include "export/labels.h"

#include "base/message/word_list.h"

#include <string.h>

static const char *const names[LABELS] = {
	[LABEL_COMM] = "comm",
	[LABEL_PID] = "pid",
	[LABEL_TID] = "tid",
	[LABEL_CPU] = "cpu",
	[LABEL_CGROUP] = "cgroup",
	[LABEL_SERVICE] = "service",
	[LABEL_CONTAINER] = "container",
	[LABEL_VERSION] = "version",
	[LABEL_LOCK] = "lock",
	[LABEL_HOLDER] = "holder",
	[LABEL_TIMESTAMP] = "timestamp",
};

const char *export_label__name(enum export_label label)
{
	return names[label];
}

int export_labels__parse(u32 *labels, const char *text, struct err *err)
{
	const struct word_list list = WORD_LIST("label", names, 0);
	size_t len;

	for (*labels = 0; *text; text += len + (text[len] != '\0')) {
		int label;

		len = strcspn(text, ",");
		label = len ? word_list__choose(&list, text, len, err) : LABELS;
		if (label < 0)
			return label;
		*labels |= label < LABELS ? 1u << label : 0;
	}
	return 0;
}

const char *export_label__text(enum export_label label, const struct export *x, const struct export_sample *s)
{
	const struct export_origin *origin = export__origin(x, s);

	return label == LABEL_COMM        ? s->comm
	       : label == LABEL_CGROUP    ? origin->cgroup
	       : label == LABEL_SERVICE   ? origin->service
	       : label == LABEL_CONTAINER ? origin->container
	       : label == LABEL_LOCK      ? origin->lock
	       : label == LABEL_HOLDER    ? origin->holder
					  : origin->version;
}

bool export_label__number(enum export_label label, const struct export *x, const struct export_sample *s,
			  u64 *value)
{
	const struct export_thread *t = &x->threads.v[s->thread];

	*value = label == LABEL_PID   ? t->pid
		 : label == LABEL_TID ? t->tid
		 : label == LABEL_CPU ? s->cpu
				      : s->time;
	return label != LABEL_CPU || s->cpu != STREAM_NO_CPU;
}
