/* Options that perf push and perf agent share. */
#ifndef BUILTIN_PUSH_H
#define BUILTIN_PUSH_H

#include "base/command/options.h"
#include "push/push.h"

/* Append the argument to an ARRAY(char *), the option's value; --no-...: empty it. */
option_callback push__add_text;

/* Groups of an option table; a: a struct push_args. Options after them are of the group "What to send". */
#define PUSH_SERVER_OPTIONS(a)                                                                            \
	OPT_GROUP("Which server"),                                                                        \
		OPT_STRING(0, "pyroscope", &(a).pyroscope, "url",                                         \
			   "send to this Pyroscope, such as http://host:4040"),                           \
		OPT_STRING(0, "otlp", &(a).otlp, "url",                                                   \
			   "send to this OpenTelemetry receiver, such as http://host:4318"),              \
		OPT_STRING(0, "clickhouse", &(a).clickhouse, "url",                                       \
			   "add to the tables of this ClickHouse, such as http://host:8123"),             \
		OPT_STRING(0, "token-file", &(a).token_file, "file",                                      \
			   "send the token in this file (else of the variable PERF_PUSH_TOKEN)"),         \
		OPT_CALLBACK(0, "header", &(a).http.headers, "header",                                    \
			     "send this, too, such as 'X-Scope-OrgID: team'; may be repeated",            \
			     push__add_text),                                                             \
		OPT_STRING(0, "ca", &(a).http.ca, "file", "trust the certificates in this file"),         \
		OPT_UINT(0, "timeout", &(a).http.timeout, "seconds", "longest time of one attempt (60)"), \
		OPT_GROUP("What to send"),                                                                \
		OPT_STRING(0, "service", &(a).service, "name",                                            \
			   "what the profiles are of (perf; for --otlp: each process's name)"),           \
		OPT_CALLBACK(0, "label", &(a).labels, "key=value", "add a label; may be repeated",        \
			     push__add_text),                                                             \
		OPT_STRING(0, "redact", &(a).export.redact, "regex",                                      \
			   "leave out names that match: of functions, files, binaries, threads and cgroups")

#endif
