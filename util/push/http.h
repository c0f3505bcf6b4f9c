/*
 * Sending data to an HTTP server, by libcurl, which is loaded when it is used. Certificates of servers are
 * checked; proxies come from the environment (https_proxy, no_proxy ...) as of curl.
 */
#ifndef PUSH_HTTP_H
#define PUSH_HTTP_H

#include "base/memory/array.h"
#include "base/message/err.h"
#include "base/text/strbuf.h"

enum { HTTP_WORDS_MAX = 256 };

struct http_opts {
	ARRAY(char *) headers;    /* "Name: value", sent as they are; owned */
	const char *token;        /* sent after token_header, and never shown; NULL: none */
	const char *token_header; /* such as "X-Key: "; NULL: "Authorization: Bearer " */
	const char *ca;           /* file with the certificates to trust; NULL: those of this machine */
	unsigned timeout;         /* s, of one attempt */
	unsigned retries;         /* further attempts after a failure that may pass */
};

/* Load libcurl. Return 0, or -ENOTSUP with err. */
int http__load(struct err *err);
/*
 * POST size bytes. Attempts are repeated, after longer and longer waits of random length, where the server
 * was not reached, was busy (429) or failed (5xx), or the connection broke. Return 0 if it answered 2xx, or
 * a negative errno with err: the status, the first of the server's words, and what to check. -EBADMSG: it
 * does not want these bytes.
 * On success, the first bytes of the answer are appended to answer, unless that is NULL: at most
 * HTTP_WORDS_MAX, as they came.
 */
int http__post(const struct http_opts *o, const char *url, const char *content_type, const void *body,
	       size_t size, struct strbuf *answer, struct err *err);
/*
 * The same with one attempt, and on success the first bytes of the answer in words, with a NUL, as they came.
 * -EIO: another attempt may succeed.
 */
int http__ask(const struct http_opts *o, const char *url, const char *content_type, const void *body,
	      size_t size, char words[HTTP_WORDS_MAX], struct err *err);
/* Say why attempt i + 1 failed, and that more follow; without -v only of the first, before several. */
void http__tell_retry(unsigned i, unsigned retries, const struct err *err);
/* Sleep before attempt n + 2: longer each time, up to half a minute, and of random length. */
void http__wait(unsigned n);
/* Append a server's URL without the slashes at its end. */
void http__add_base(struct strbuf *sb, const char *url);
/* Append text as part of a URL: all but letters, digits and -._~ as %XX. */
void http__add_escaped(struct strbuf *sb, const char *text);
void http_opts__exit(struct http_opts *o);

#endif
