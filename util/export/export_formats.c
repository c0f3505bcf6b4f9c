/* The formats. A new one is one file and one row here. */
#include "export/export_formats.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

const struct export_format *const export_formats[] = {
	&export_folded, &export_pprof,           &export_firefox, &export_speedscope, &export_otlp,
	&export_jsonl,  &export_linux_perf_json, &export_html,    &export_sqlite,     NULL,
};

static bool ends_with(const char *text, size_t len, const char *suffix)
{
	size_t n = strlen(suffix);

	return len > n && !memcmp(text + len - n, suffix, n);
}

bool export__is_packed(const char *output)
{
	return output && ends_with(output, strlen(output), ".gz");
}

static const struct export_format *format_of_name(const char *path)
{
	size_t len = strlen(path), plain = export__is_packed(path) ? len - 3 : len;

	for (size_t i = 0; export_formats[i]; i++)
		if (ends_with(path, len, export_formats[i]->suffix) ||
		    ends_with(path, plain, export_formats[i]->suffix))
			return export_formats[i];
	return NULL;
}

void export_formats__list(struct strbuf *out)
{
	for (size_t i = 0; export_formats[i]; i++)
		strbuf__addf(out, "%-15s %-17s %s\n", export_formats[i]->name, export_formats[i]->suffix,
			     export_formats[i]->help);
}

int export_format__choose(const struct export_args *a, const struct export_format **format, struct err *err)
{
	const struct export_format *f = NULL;

	if (a->own_format) {
		f = a->own_format;
	} else if (a->format) {
		for (size_t i = 0; export_formats[i]; i++)
			if (!strcmp(export_formats[i]->name, a->format))
				f = export_formats[i];
		if (!f)
			return err__set(err, -EINVAL, "unknown format '%s'; --format list lists them",
					a->format);
	} else if (a->output) {
		f = format_of_name(a->output);
	}
	if (!f && a->output)
		return err__set(err, -EINVAL,
				"no format has the suffix of '%s'; name one: --format list lists them",
				a->output);
	if (!f)
		return err__set(err, -EINVAL, "no format is named; --format list lists them");
	if (!a->output && !f->is_text && isatty(STDOUT_FILENO))
		return err__set(err, -EINVAL, "%s is not for a terminal; name a file: -o prof%s", f->name,
				f->suffix);
	if (f->adds_to_file && (!a->output || export__is_packed(a->output)))
		return err__set(err, -EINVAL, "%s needs a file that is not packed: name one: -o prof%s",
				f->name, f->suffix);
	*format = f;
	return 0;
}
