#include "push/push_args.h"

#include "base/system/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TOKEN_VARIABLE "PERF_PUSH_TOKEN"

enum { TOKEN_MAX = 1 << 16 };

static int check_label(const char *label, struct err *err)
{
	size_t len = strcspn(label, "=");

	if (!label[len] || !len ||
	    strspn(label, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") != len)
		return err__set(err, -EINVAL,
				"--label '%s' is not KEY=VALUE, with a key of letters, digits, _ and .",
				label);
	return 0;
}

/* The parts of a URL may be seen by other users of this machine, and in logs. */
static int check_url(const char *option, const char *url, struct err *err)
{
	const char *host = url ? strstr(url, "://") : NULL;

	if (!url)
		return 0;
	if (strchr(url, '?') || strchr(url, '#')) /* the query may be a secret: do not print it */
		return err__set(err, -EINVAL,
				"%s: a URL with '?' or '#' cannot be a server's; such as https://host:4040",
				option);
	if (!host || (strncmp(url, "http://", 7) && strncmp(url, "https://", 8)) || strchr("/:", host[3]) ||
	    strpbrk(url, " \t\r\n"))
		return err__set(err, -EINVAL, "%s: '%s' is not a URL such as https://host:4040", option, url);
	if (memchr(host + 3, '@', strcspn(host + 3, "/")))
		return err__set(err, -EINVAL,
				"%s: a URL with a password is seen by others: use --token-file or %s", option,
				TOKEN_VARIABLE);
	return 0;
}

static int read_token(struct push_args *a, struct err *err)
{
	const char *from_environment = getenv(TOKEN_VARIABLE);
	struct strbuf text = STRBUF_INIT;
	size_t len;
	int ret;

	if (!a->token_file) {
		len = from_environment ? strcspn(from_environment, "\r\n") : 0;
		a->http.token = len ? xasprintf("%.*s", (int)len, from_environment) : NULL;
		return 0;
	}
	ret = file__read(a->token_file, &text, TOKEN_MAX);
	if (ret) {
		strbuf__exit(&text);
		return err__set(err, ret, "cannot read the token in '%s': %s", a->token_file, err__str(ret));
	}
	len = strcspn(text.buf, "\r\n");
	if (!len) {
		strbuf__exit(&text);
		return err__set(err, -EINVAL, "the first line of the token file '%s' is empty",
				a->token_file);
	}
	text.buf[len] = '\0';
	a->http.token = strbuf__detach(&text);
	return 0;
}

int push_args__finalize(struct push_args *a, struct err *err)
{
	int ret = check_url("--pyroscope", a->pyroscope, err);

	if (!ret)
		ret = check_url("--otlp", a->otlp, err);
	if (!ret)
		ret = check_url("--clickhouse", a->clickhouse, err);
	if (!ret && !a->pyroscope && !a->otlp && !a->clickhouse)
		ret = err__set(err, -EINVAL,
			       "no server is named: --clickhouse URL, --pyroscope URL or --otlp URL");
	for (size_t i = 0; !ret && i < a->labels.nr; i++)
		ret = check_label(a->labels.v[i], err);
	for (size_t i = 0; !ret && i < a->http.headers.nr; i++)
		if (!strchr(a->http.headers.v[i], ':') || strpbrk(a->http.headers.v[i], "\r\n"))
			ret = err__set(err, -EINVAL, "--header '%s' is not 'Name: value'",
				       a->http.headers.v[i]);
	if (!ret && !a->dry_run)
		ret = http__load(err);
	return ret ? ret : read_token(a, err);
}

u32 push_args__more_labels(const struct push_args *a)
{
	static const enum export_label labels[] = { LABEL_SERVICE, LABEL_CONTAINER, LABEL_VERSION };
	u32 bits = 0;

	for (size_t i = 0; i < ARRAY_SIZE(labels); i++)
		if (!push_args__label(a, export_label__name(labels[i])))
			bits |= 1u << labels[i];
	return a->service ? bits & ~(1u << LABEL_SERVICE) : bits;
}

void push_args__exit(struct push_args *a)
{
	for (size_t i = 0; i < a->labels.nr; i++)
		free(a->labels.v[i]);
	array__exit(&a->labels);
	free((char *)a->http.token);
	http_opts__exit(&a->http);
}
