/* Columns of threads, processes and CPUs. */
#include "profile/hists/columns_private.h"

#include "base/memory/hash.h"
#include "profile/hists/hists_private.h"

#include <ctype.h>
#include <string.h>

/* ---- threads ---- */

u64 entry_tid(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	(void)c;
	(void)v;
	return (u64)(int)e->tid;
}

u64 entry_comm(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	(void)c;
	(void)v;
	return e->comm;
}

int comm_compare(const struct column *c, struct view *v, const struct hist_entry *a,
		 const struct hist_entry *b)
{
	char x[16], y[16];

	(void)c;
	return a->comm == b->comm ? 0 : strcmp(view__comm(v, a->comm, x), view__comm(v, b->comm, y));
}

unsigned comm_room(const struct column *c, struct view *v, const struct hist_entry *e)
{
	char buf[16];

	(void)c;
	return (unsigned)strlen(view__last_comm(v, e, buf));
}

unsigned tid_room(const struct column *c, struct view *v, const struct hist_entry *e)
{
	return comm_room(c, v, e) + 8;
}

void print_tid(const struct cell *c)
{
	char buf[16];

	strbuf__addf(c->sb, "%7d:", (int)c->e->tid);
	add_text(c, view__last_comm(c->v, c->e, buf), MAX(c->width - 8, 0), MAX(c->width - 8, 0));
}

void print_comm(const struct cell *c)
{
	char buf[16];

	add_text(c, view__comm(c->v, c->e->comm, buf), c->width, c->width);
}

/* ---- names of threads whose numbers do not count ---- */

const char *view__comm_nodigit(const struct view *v, const struct hist_entry *e, char text[NODIGIT_MAX])
{
	char buf[16];
	const char *p = view__comm(v, e->comm, buf);
	size_t len = 0;

	while (*p && len + 4 < NODIGIT_MAX) {
		if (!isdigit((unsigned char)*p)) {
			text[len++] = *p++;
			continue;
		}
		memcpy(text + len, "<N>", 3);
		len += 3;
		p += strspn(p, "0123456789");
	}
	text[len] = '\0';
	return text;
}

unsigned nodigit_identity(const struct column *c, const struct view *v, const struct hist_entry *e,
			  u64 *words)
{
	char text[NODIGIT_MAX];
	size_t len = strlen(view__comm_nodigit(v, e, text));

	(void)c;
	words[0] = hash__bytes(text, len, 0);
	words[1] = hash__bytes(text, len, 1);
	return 2;
}

int nodigit_compare(const struct column *c, struct view *v, const struct hist_entry *a,
		    const struct hist_entry *b)
{
	char x[NODIGIT_MAX], y[NODIGIT_MAX];

	(void)c;
	return strcmp(view__comm_nodigit(v, a, x), view__comm_nodigit(v, b, y));
}

unsigned nodigit_room(const struct column *c, struct view *v, const struct hist_entry *e)
{
	char text[NODIGIT_MAX];

	(void)c;
	return (unsigned)strlen(view__comm_nodigit(v, e, text));
}

void print_nodigit(const struct cell *c)
{
	char text[NODIGIT_MAX];

	add_text(c, view__comm_nodigit(c->v, c->e, text), c->width, c->width);
}

/* ---- processes ---- */

u64 entry_tgid(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	(void)c;
	(void)v;
	return (u64)(int)e->pid;
}

const char *view__leader_comm(const struct view *v, const struct hist_entry *e, char buf[16])
{
	for (size_t i = 0; i < v->threads.nr; i++)
		if (v->threads.v[i].tid == e->pid && v->threads.v[i].pid == e->pid)
			return view__comm(v, v->threads.v[i].comm, buf);
	return view__comm(v, ROW_COMM_OF_TID | e->pid, buf);
}

unsigned tgid_room(const struct column *c, struct view *v, const struct hist_entry *e)
{
	char buf[16];

	(void)c;
	return (unsigned)strlen(view__leader_comm(v, e, buf)) + 8;
}

void print_tgid(const struct cell *c)
{
	char buf[16];

	strbuf__addf(c->sb, "%7d:", (int)c->e->pid);
	add_text(c, view__leader_comm(c->v, c->e, buf), MAX(c->width - 8, 0), MAX(c->width - 8, 0));
}

/* ---- CPUs ---- */

u64 entry_cpu(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	(void)c;
	(void)v;
	return (u64)(int)e->cpu;
}

void print_cpu(const struct cell *c)
{
	strbuf__addf(c->sb, "%*.*d", c->width, c->width, (int)c->e->cpu);
}

u64 entry_socket(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	(void)c;
	return (u64)view__socket(v, e->cpu);
}

void print_socket(const struct cell *c)
{
	strbuf__addf(c->sb, "%*.*d", c->width, MAX(c->width - 3, 0),
		     (int)entry_socket(c->column, c->v, c->e));
}
