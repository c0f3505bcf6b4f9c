#include "push/http.h"

#include "base/message/msg.h"
#include "base/system/library.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void http__add_escaped(struct strbuf *sb, const char *text)
{
	for (const unsigned char *c = (const unsigned char *)text; *c; c++)
		if (isalnum(*c) || strchr("-._~", *c))
			strbuf__addch(sb, (char)*c);
		else
			strbuf__addf(sb, "%%%02X", *c);
}

void http__add_base(struct strbuf *sb, const char *url)
{
	size_t len = strlen(url);

	while (len && url[len - 1] == '/')
		len--;
	strbuf__add(sb, url, len);
}

void http_opts__exit(struct http_opts *o)
{
	for (size_t i = 0; i < o->headers.nr; i++)
		free(o->headers.v[i]);
	array__exit(&o->headers);
}

#ifdef HAVE_CURL
#include <curl/curl.h>

#define CURL_FUNCTIONS(F)    \
	F(curl_easy_init)    \
	F(curl_easy_setopt)  \
	F(curl_easy_perform) \
	F(curl_easy_getinfo) \
	F(curl_easy_strerror) F(curl_easy_cleanup) F(curl_slist_append) F(curl_slist_free_all)
/* as functions, not as the macros that check types */
#undef curl_easy_setopt
#undef curl_easy_getinfo
LIBRARY_TO_LOAD(curl, "libcurl.so.4", "libcurl4", CURL_FUNCTIONS);

enum { ANSWER_MAX = 1 << 20, CONNECT_S = 10, FIRST_WAIT_MS = 500, WAIT_MAX_MS = 30000 };

struct answer {
	char words[HTTP_WORDS_MAX]; /* the first of them */
	size_t nr;                  /* bytes of the whole answer */
};

int http__load(struct err *err)
{
	return library__load(&curl_library, err);
}

/* The answer is not trusted: only its first bytes are kept, and a long one is cut off. */
static size_t take_answer(char *data, size_t size, size_t nr, void *ctx)
{
	struct answer *a = ctx;
	size_t len = MIN(a->nr, sizeof(a->words) - 1), room = sizeof(a->words) - 1 - len;

	nr *= size;
	memcpy(a->words + len, data, MIN(room, nr));
	a->words[len + MIN(room, nr)] = '\0';
	a->nr += nr;
	return a->nr > ANSWER_MAX ? 0 : nr;
}

static struct curl_slist *make_headers(const struct http_opts *o, const char *content_type)
{
	struct curl_slist *list = NULL;
	char *line = xasprintf("Content-Type: %s", content_type);

	list = curl.curl_slist_append(list, line);
	list = curl.curl_slist_append(list, "Expect:"); /* do not wait for leave to send the body */
	free(line);
	for (size_t i = 0; i < o->headers.nr; i++)
		list = curl.curl_slist_append(list, o->headers.v[i]);
	if (o->token) {
		line = xasprintf("%s%s", o->token_header ? o->token_header : "Authorization: Bearer ",
				 o->token);
		list = curl.curl_slist_append(list, line);
		free(line);
	}
	return list;
}

static const char *advice_for(long status)
{
	switch (status) {
	case 401:
	case 403:
		return "check the token (--token-file, PERF_PUSH_TOKEN) and its rights";
	case 404:
	case 405:
		return "check the URL: it is the server's, without the path of its API";
	case 413:
		return "the server takes less at once: push a shorter recording";
	default:
		return status >= 300 && status < 400
			       ? "the server is elsewhere: give that URL; redirections are not followed"
			       : NULL;
	}
}

/* The part of a URL before its path, for messages. */
static int server_length(const char *url)
{
	const char *host = strstr(url, "://");

	return host ? (int)(host + 3 - url + strcspn(host + 3, "/?")) : (int)strlen(url);
}

/* Return -EAGAIN: it may pass; -EBADMSG: the server will not take these bytes; -EPROTO: it takes none. */
static int code_for(long status)
{
	if (status == 429 || status / 100 == 5)
		return -EAGAIN;
	return status == 400 || status == 413 || status == 415 || status == 422 ? -EBADMSG : -EPROTO;
}

/*
 * One attempt. Return 0, -EAGAIN with err if another one may succeed, or another negative errno with err.
 */
static int post_once(CURL *handle, const char *token, const char *url, struct answer *answer, struct err *err)
{
	const char *advice;
	long status = 0;
	CURLcode code;

	curl.curl_easy_setopt(handle, CURLOPT_WRITEDATA, answer);
	*answer = (struct answer){ .nr = 0 };
	code = curl.curl_easy_perform(handle);
	curl.curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
	if (status / 100 == 2) /* an answer that breaks off after that changes nothing */
		return 0;
	if (!status) {
		bool may_pass = code != CURLE_UNSUPPORTED_PROTOCOL && code != CURLE_URL_MALFORMAT &&
				code != CURLE_PEER_FAILED_VERIFICATION && code != CURLE_SSL_CACERT_BADFILE;

		err__set(err, may_pass ? -EAGAIN : -EPROTO, "%.*s: %s", server_length(url), url,
			 curl.curl_easy_strerror(code));
		if (code == CURLE_PEER_FAILED_VERIFICATION)
			err__advise(err, "to trust the certificate of the server: --ca FILE");
		return err->code;
	}
	answer->words[strcspn(answer->words, "\r\n")] = '\0';
	if (token && strstr(answer->words, token))
		strcpy(answer->words, "(words with the token, not shown)");
	err__set(err, code_for(status), "%.*s answers %ld%s%s", server_length(url), url, status,
		 answer->words[0] ? ": " : "", answer->words);
	advice = advice_for(status);
	if (advice)
		err__advise(err, "%s", advice);
	return err->code;
}

void http__wait(unsigned n)
{
	unsigned ms = MIN((unsigned)FIRST_WAIT_MS << MIN(n, 6u), (unsigned)WAIT_MAX_MS);
	struct timespec t, now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ms = ms / 2 + (unsigned)((u64)now.tv_nsec / 1000 % ms); /* so that hosts do not come all at once */
	t = (struct timespec){ .tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000 };
	nanosleep(&t, NULL);
}

void http__tell_retry(unsigned i, unsigned retries, const struct err *err)
{
	if (i || retries < 2)
		debug(1, "push", "%s; once more", err->text.buf);
	else
		info("%s; trying again, at most %u times", err->text.buf, retries);
}

static int post(const struct http_opts *o, unsigned retries, const char *url, const char *content_type,
		const void *body, size_t size, struct answer *answer, struct err *err)
{
	struct curl_slist *headers;
	int ret = http__load(err);
	CURL *handle;

	if (ret)
		return ret;
	handle = curl.curl_easy_init();
	if (!handle)
		return err__set(err, -ENOMEM, "libcurl cannot start");
	headers = make_headers(o, content_type);
	curl.curl_easy_setopt(handle, CURLOPT_URL, url);
	curl.curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
	curl.curl_easy_setopt(handle, CURLOPT_POST, 1L);
	curl.curl_easy_setopt(handle, CURLOPT_POSTFIELDS, body);
	curl.curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)size);
	curl.curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
	curl.curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, take_answer);
	curl.curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT, (long)MIN(o->timeout, (unsigned)CONNECT_S));
	curl.curl_easy_setopt(handle, CURLOPT_TIMEOUT, (long)o->timeout);
	if (o->ca)
		curl.curl_easy_setopt(handle, CURLOPT_CAINFO, o->ca);
	for (unsigned i = 0; (ret = post_once(handle, o->token, url, answer, err)) == -EAGAIN && i < retries;
	     i++) {
		http__tell_retry(i, retries, err);
		http__wait(i);
	}
	if (ret == -EAGAIN)
		err->code = ret = -EIO; /* no limit of this process */
	curl.curl_easy_cleanup(handle);
	curl.curl_slist_free_all(headers);
	return ret;
}

int http__post(const struct http_opts *o, const char *url, const char *content_type, const void *body,
	       size_t size, struct strbuf *bytes, struct err *err)
{
	struct answer answer;
	int ret = post(o, o->retries, url, content_type, body, size, &answer, err);

	if (!ret && bytes)
		strbuf__add(bytes, answer.words, MIN(answer.nr, sizeof(answer.words) - 1));
	return ret;
}

int http__ask(const struct http_opts *o, const char *url, const char *content_type, const void *body,
	      size_t size, char words[HTTP_WORDS_MAX], struct err *err)
{
	struct answer answer;
	int ret = post(o, 0, url, content_type, body, size, &answer, err);

	if (!ret)
		memcpy(words, answer.words, HTTP_WORDS_MAX);
	return ret;
}
#else
LIBRARY_ABSENT(curl, "libcurl", "libcurl4-openssl-dev");

int http__load(struct err *err)
{
	return library__load(&curl_library, err);
}

int http__post(const struct http_opts *o, const char *url, const char *content_type, const void *body,
	       size_t size, struct strbuf *bytes, struct err *err)
{
	(void)bytes;
	(void)o;
	(void)url;
	(void)content_type;
	(void)body;
	(void)size;
	return http__load(err);
}

int http__ask(const struct http_opts *o, const char *url, const char *content_type, const void *body,
	      size_t size, char words[HTTP_WORDS_MAX], struct err *err)
{
	(void)words;
	return http__post(o, url, content_type, body, size, NULL, err);
}

void http__wait(unsigned n)
{
	(void)n;
}
#endif
