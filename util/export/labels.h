/*
 * Labels of samples, for formats whose samples have them: what the user names with --labels, or what the
 * format has without it. Samples with different labels are not added up.
 */
#ifndef EXPORT_LABELS_H
#define EXPORT_LABELS_H

#include "export/export_format.h"

enum export_label {
	LABEL_COMM,
	LABEL_PID,
	LABEL_TID,
	LABEL_CPU,
	LABEL_CGROUP,
	LABEL_SERVICE, /* origins.h */
	LABEL_CONTAINER,
	LABEL_VERSION,
	LABEL_LOCK, /* profile/waits/locks.h */
	LABEL_HOLDER,
	LABEL_TIMESTAMP, /* in formats whose samples have no time otherwise */
	LABELS
};

/* Bits 1 << LABEL_. */
enum {
	LABELS_OF_CGROUP = 1 << LABEL_CGROUP | 1 << LABEL_SERVICE | 1 << LABEL_CONTAINER, /* need its id */
	LABELS_OF_LOCKS = 1 << LABEL_LOCK | 1 << LABEL_HOLDER,
	LABELS_OF_ORIGIN = LABELS_OF_CGROUP | 1 << LABEL_VERSION | LABELS_OF_LOCKS,
};

/* Return the name of a label, as on the command line. */
const char *export_label__name(enum export_label label);
/* Set *labels to the bits 1 << LABEL_ of a text such as "comm,pid". Return 0, or -EINVAL with err. */
int export_labels__parse(u32 *labels, const char *text, struct err *err);
/* Is the value of a label a text? */
static inline bool export_label__is_text(enum export_label label)
{
	return label == LABEL_COMM || (1u << label & LABELS_OF_ORIGIN);
}
/* Return the value of a text label, or NULL if it is unknown. It lives as long as the machine. */
const char *export_label__text(enum export_label label, const struct export *x,
			       const struct export_sample *s);
/* Set *value to that of a number label. Return false if it is unknown. */
bool export_label__number(enum export_label label, const struct export *x, const struct export_sample *s,
			  u64 *value);

#endif
