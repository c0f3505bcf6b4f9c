#include "binary/dwarf/dwarf_unit.h"

#include "base/memory/reserve.h"
#include "base/system/file.h"
#include "base/text/strbuf.h"
#include "binary/dwarf/dwarf_scopes.h"
#include "binary/dwarf/line_cost.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>

enum {
	RANGES_MAX = 1 << 22, /* for all functions of a unit */
	KEPT_PER_LINE = 64,   /* bytes that libdw keeps for each row of a line table */
	NO_FILE = UINT32_MAX, /* in a row: no line is known from here on */
};

struct row { /* holds from addr to the addr of the next row */
	u64 addr;
	u32 file, line;
};

struct mark { /* the discriminator of the lines from addr to the addr of the next mark */
	u64 addr;
	u32 discriminator;
};

struct function {
	u64 offset;                  /* of its entry */
	struct dwarf_scopes *scopes; /* NULL until its first lookup; __atomic */
};

struct function_list {
	ARRAY(struct function) v;
	struct spans spans; /* group 0 */
};

struct file_list { /* indexed by file number */
	ARRAY(const char *) v;
};

struct dwarf_unit {
	struct dwarf_file *file;
	u64 first, end; /* offsets of its first entry (0: none) and its end */
	bool has_lines, has_marks, has_functions, has_all; /* has been parsed; __atomic */
	bool is_split;                                     /* its entries are in a .dwo file */
	ARRAY(struct row) rows;                            /* sorted */
	ARRAY(struct mark) marks;                          /* sorted */
	struct file_list row_files, call_files;            /* one list unless is_split */
	struct function_list functions;                    /* without those inside functions and types */
	struct function_list all; /* all functions; parsed when an address is in none of functions */

	pthread_mutex_t lock; /* protects what follows, and all parsing */
	bool is_unpacked;     /* its entries were asked for, when the file's nr_packed was this */
	u32 nr_packed;
	struct dwarf_abbrevs abbrevs;
};

/* A unit's entries, while it is being parsed. */
struct entries {
	struct dwarf_handle *h;
	Dwarf_Die unit; /* first entry */
	Dwarf_Die code; /* parent of the functions: the first entry of the .dwo file, or unit */
};

/* ---- where the entries are ---- */

static bool attr_string(Dwarf_Die *die, unsigned name, const char **text)
{
	Dwarf_Attribute attr;

	*text = dwarf_attr(die, name, &attr) ? dwarf_formstring(&attr) : NULL;
	return *text != NULL;
}

/* libdw opens whatever path the unit names: accept regular files only. */
static bool split_file_is_there(Dwarf_Die *unit)
{
	const char *name, *dir;
	char path[4096];

	if (!attr_string(unit, DW_AT_dwo_name, &name) && !attr_string(unit, DW_AT_GNU_dwo_name, &name))
		return false;
	if (!attr_string(unit, DW_AT_comp_dir, &dir))
		dir = "";
	if ((name[0] != '/' && dir[0] != '/') ||
	    snprintf(path, sizeof(path), "%s%s%s", name[0] == '/' ? "" : dir, name[0] == '/' ? "" : "/",
		     name) >= (int)sizeof(path))
		return false;
	return file__is_plain(path);
}

static u64 split_size(Dwarf_Die *split)
{
	size_t size = 0;

	elf_rawfile(dwarf_getelf(dwarf_cu_getdwarf(split->cu)), &size);
	return size;
}

static bool dwarf_unit__find_entries(struct dwarf_unit *u, struct entries *e)
{
	Dwarf_Die split;
	uint8_t type;

	if (!dwarf_offdie(e->h->dwarf, u->first, &e->unit) ||
	    dwarf_cu_info(e->unit.cu, NULL, &type, NULL, NULL, NULL, NULL, NULL))
		return false;
	e->code = e->unit;
	if (type != DW_UT_skeleton)
		return true;
	dwarf_file__need(u->file, DWARF_PART_NAMES, DWARF_WHOLE);
	if (split_file_is_there(&e->unit) &&
	    !dwarf_cu_info(e->unit.cu, NULL, NULL, NULL, &split, NULL, NULL, NULL) && split.addr) {
		if (!u->is_split)
			dwarf_file__justify(u->file, split_size(&split));
		e->code = split;
		u->is_split = true;
		return true;
	}
	return !u->is_split; /* already open */
}

/* Call dwarf_unit__end afterwards, also if this fails. */
static bool dwarf_unit__begin(struct dwarf_unit *u, struct entries *e)
{
	e->h = u->first ? dwarf_file__get(u->file) : NULL;
	if (!e->h)
		return false;
	if (!u->is_unpacked || u->nr_packed != u->file->nr_packed) {
		dwarf_file__need(u->file, DWARF_PART_INFO, u->end);
		dwarf_file__need(u->file, DWARF_PART_ABBREV, DWARF_WHOLE);
		u->is_unpacked = true;
		u->nr_packed = u->file->nr_packed;
	}
	return dwarf_unit__find_entries(u, e);
}

static void dwarf_unit__end(struct dwarf_unit *u, struct entries *e)
{
	if (e->h)
		dwarf_file__put(u->file, e->h);
}

/* Call list unless done is set, and set it. */
static void dwarf_unit__parse(struct dwarf_unit *u, bool *done,
			      void (*list)(struct dwarf_unit *u, struct entries *e))
{
	struct entries e;

	if (__atomic_load_n(done, __ATOMIC_ACQUIRE))
		return;
	pthread_mutex_lock(&u->lock);
	if (!*done) {
		if (dwarf_unit__begin(u, &e))
			list(u, &e);
		dwarf_unit__end(u, &e);
		__atomic_store_n(done, true, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&u->lock);
}

/* ---- lines ---- */

static void dwarf_unit__add_row(struct dwarf_unit *u, u64 addr, u32 file, u32 line)
{
	struct row *last = u->rows.nr ? &u->rows.v[u->rows.nr - 1] : NULL;

	if (last && last->file == file && last->line == line)
		return;
	if (last && last->addr == addr) /* the last row of an address wins */
		*last = (struct row){ addr, file, line };
	else
		array__add(&u->rows, ((struct row){ addr, file, line }));
}

static void dwarf_unit__read_rows(struct dwarf_unit *u, struct entries *e)
{
	Dwarf_Lines *lines;
	size_t nr;

	if (dwarf_getsrclines(&e->unit, &lines, &nr))
		return;
	e->h->kept += nr * KEPT_PER_LINE;
	for (size_t i = 0; i < nr; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		Dwarf_Files *files;
		Dwarf_Addr addr;
		bool is_end;
		size_t file;
		int number;

		if (dwarf_lineaddr(line, &addr) || dwarf_lineendsequence(line, &is_end))
			continue;
		if (is_end || dwarf_lineno(line, &number) || dwarf_line_file(line, &files, &file) ||
		    file >= NO_FILE)
			dwarf_unit__add_row(u, addr, NO_FILE, 0);
		else
			dwarf_unit__add_row(u, addr, (u32)file, (u32)number);
	}
}

/* Read the unit's files by number; make them absolute if the unit has a compilation folder. */
static void file_list__read(struct file_list *list, struct dwarf_file *file, Dwarf_Die *unit, const char *dir)
{
	struct strbuf path = STRBUF_INIT;
	Dwarf_Files *files;
	size_t nr;

	if (dwarf_getsrcfiles(unit, &files, &nr))
		nr = 0;
	for (size_t i = 0; i < nr; i++) {
		const char *name = dwarf_filesrc(files, i, NULL, NULL);

		if (name && name[0] != '/' && dir) {
			strbuf__setlen(&path, 0);
			strbuf__addf(&path, "%s/%s", dir, name);
			name = path.buf;
		}
		array__add(&list->v, name ? dwarf_file__intern(file, name) : NULL);
	}
	strbuf__exit(&path);
}

/* Return what libdw will need for a unit's line table. */
static struct line_cost line_cost_of(Dwarf_Die *unit)
{
	struct elf_file f = { .elf = dwarf_getelf(dwarf_cu_getdwarf(unit->cu)) };
	Dwarf_Attribute attr;
	struct cursor c;
	Dwarf_Word at;
	GElf_Shdr shdr;
	Elf_Data *data;

	data = elf_rawdata(elf_file__section(&f, ".debug_line", 0, &shdr), NULL);
	if (!data || !data->d_buf || !dwarf_attr(unit, DW_AT_stmt_list, &attr) ||
	    dwarf_formudata(&attr, &at) || at >= data->d_size || !gelf_getehdr(f.elf, &f.ehdr))
		return (struct line_cost){ 0 };
	c = cursor__make(data->d_buf, data->d_size,
			 (f.ehdr.e_ident[EI_DATA] == ELFDATA2MSB) !=
				 (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__));
	cursor__skip(&c, at);
	return line_cost__of(c);
}

/*
 * May the line table be read, each row of which takes a number of bytes? If so, give excess back afterwards.
 */
static bool dwarf_unit__may_read_lines(struct dwarf_unit *u, struct entries *e, size_t row_size, u64 *excess)
{
	struct line_cost cost;

	dwarf_file__need(u->file, DWARF_PART_LINE, DWARF_WHOLE);
	dwarf_file__need(u->file, DWARF_PART_NAMES, DWARF_WHOLE);
	cost = line_cost_of(&e->unit);
	*excess = cost.excess;
	if (dwarf_file__room(u->file, 1, UINT32_MAX) >= cost.rows * row_size &&
	    dwarf_file__may_read_lines(u->file, cost.bytes) && reserve__take(cost.excess))
		return true;
	dwarf_file__tell_cut(u->file);
	return false;
}

static void dwarf_unit__list_lines(struct dwarf_unit *u, struct entries *e)
{
	const char *dir;
	u64 excess;

	if (!dwarf_unit__may_read_lines(u, e, sizeof(struct row), &excess))
		return;
	attr_string(&e->unit, DW_AT_comp_dir, &dir);
	file_list__read(&u->row_files, u->file, &e->unit, dir);
	if (u->is_split)
		file_list__read(&u->call_files, u->file, &e->code, dir);
	dwarf_unit__read_rows(u, e);
	dwarf_file__count(u->file, u->rows.nr * sizeof(struct row) + u->row_files.v.nr * sizeof(char *),
			  false);
	reserve__give(excess);
}

static const struct row *dwarf_unit__find_row(const struct dwarf_unit *u, u64 vaddr)
{
	size_t behind = bisect(i, 0, u->rows.nr, u->rows.v[i].addr <= vaddr);

	return behind && u->rows.v[behind - 1].file != NO_FILE ? &u->rows.v[behind - 1] : NULL;
}

static void dwarf_unit__add_mark(struct dwarf_unit *u, u64 addr, u32 discriminator)
{
	struct mark *last = u->marks.nr ? &u->marks.v[u->marks.nr - 1] : NULL;

	if (last && last->addr == addr)
		last->discriminator = discriminator;
	else if (last ? last->discriminator != discriminator : discriminator != 0)
		array__add(&u->marks, ((struct mark){ addr, discriminator }));
}

/* Few readers want discriminators, so they are not in the rows. */
static void dwarf_unit__list_marks(struct dwarf_unit *u, struct entries *e)
{
	Dwarf_Lines *lines;
	u64 excess;
	size_t nr;

	if (!dwarf_unit__may_read_lines(u, e, sizeof(struct mark), &excess))
		return;
	if (dwarf_getsrclines(&e->unit, &lines, &nr))
		nr = 0;
	e->h->kept += nr * KEPT_PER_LINE;
	for (size_t i = 0; i < nr; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		unsigned discriminator;
		Dwarf_Addr addr;
		bool is_end;

		if (!dwarf_lineaddr(line, &addr) && !dwarf_lineendsequence(line, &is_end) &&
		    !dwarf_linediscriminator(line, &discriminator))
			dwarf_unit__add_mark(u, addr, is_end ? 0 : discriminator);
	}
	dwarf_file__count(u->file, u->marks.nr * sizeof(struct mark), false);
	reserve__give(excess);
}

static u32 dwarf_unit__find_discriminator(struct dwarf_unit *u, u64 vaddr)
{
	size_t after;

	dwarf_unit__parse(u, &u->has_marks, dwarf_unit__list_marks);
	after = bisect(i, 0, u->marks.nr, u->marks.v[i].addr <= vaddr);
	return after ? u->marks.v[after - 1].discriminator : 0;
}

static void dwarf_unit__find_line(struct dwarf_unit *u, u64 vaddr, struct source_line *line)
{
	const struct row *row;

	dwarf_unit__parse(u, &u->has_lines, dwarf_unit__list_lines);
	row = dwarf_unit__find_row(u, vaddr);
	if (!row || row->file >= u->row_files.v.nr)
		return;
	line->file = u->row_files.v.v[row->file];
	line->line = row->line;
}

/* ---- functions ---- */

/*
 * Most entries of a unit are inside its functions and types. Few of those (methods of local classes) are
 * functions with code, so scan everything only when an address is not found otherwise.
 */
static void function_list__read(struct function_list *l, struct dwarf_unit *u, struct entries *e,
				bool is_complete)
{
	Dwarf *dwarf = dwarf_cu_getdwarf(e->code.cu);
	u32 left = dwarf_file__room(u->file, 2 * sizeof(struct span) + sizeof(struct function), RANGES_MAX);
	struct dwarf_scan scan;
	struct dwarf_die die;
	Dwarf_Die function;

	dwarf_file__need(u->file, DWARF_PART_RANGES, DWARF_WHOLE);
	if (!dwarf_scan__begin(&scan, &e->code, dwarf_dieoffset(&e->code), &u->abbrevs))
		return;
	while (left > l->v.nr && dwarf_scan__next(&scan, &die)) {
		if (die.abbrev->kind == DWARF_FUNCTION && die.abbrev->has_code &&
		    dwarf_offdie(dwarf, die.offset, &function)) {
			dwarf_die__add_spans(&function, &l->spans, 0, (u32)l->v.nr, &left);
			array__add(&l->v, ((struct function){ .offset = die.offset }));
		}
		if (!is_complete && (die.abbrev->kind == DWARF_FUNCTION || die.abbrev->kind == DWARF_TYPE))
			dwarf_scan__skip_children(&scan, &die);
	}
	dwarf_file__count(u->file, l->spans.v.nr * sizeof(struct span) + l->v.nr * sizeof(struct function),
			  left <= l->v.nr);
	spans__sort(&l->spans);
}

static void function_list__exit(struct function_list *l)
{
	for (size_t i = 0; i < l->v.nr; i++)
		dwarf_scopes__delete(l->v.v[i].scopes);
	array__exit(&l->v);
	spans__exit(&l->spans);
}

static void dwarf_unit__list_functions(struct dwarf_unit *u, struct entries *e)
{
	function_list__read(&u->functions, u, e, false);
}

static void dwarf_unit__list_all(struct dwarf_unit *u, struct entries *e)
{
	function_list__read(&u->all, u, e, true);
}

static struct function *dwarf_unit__find_function(struct dwarf_unit *u, u64 vaddr)
{
	u32 i;

	dwarf_unit__parse(u, &u->has_functions, dwarf_unit__list_functions);
	i = spans__find(&u->functions.spans, 0, vaddr);
	if (i != UINT32_MAX)
		return &u->functions.v.v[i];
	dwarf_unit__parse(u, &u->has_all, dwarf_unit__list_all);
	i = spans__find(&u->all.spans, 0, vaddr);
	return i != UINT32_MAX ? &u->all.v.v[i] : NULL;
}

static bool scope__has_name(const struct dwarf_scope *s)
{
	return __atomic_load_n(&s->inlined.name, __ATOMIC_ACQUIRE);
}

/* Look up vaddr in scopes that are parsed; return false if something that is wanted is still missing. */
static bool scopes__find(const struct dwarf_scopes *s, u64 vaddr, unsigned wants, struct source_line *line)
{
	u32 id;

	if (!s || (wants & DWARF_WANTS_LINE && !__atomic_load_n(&s->has_files, __ATOMIC_ACQUIRE)))
		return false;
	id = dwarf_scopes__find(s, vaddr);
	if (!(wants & DWARF_WANTS_INLINED))
		id = 0;
	if ((wants & DWARF_WANTS_START && !scope__has_name(&s->v.v[0])) ||
	    (id && !scope__has_name(&s->v.v[id])))
		return false;
	line->function = wants & DWARF_WANTS_START ? &s->v.v[0].inlined : NULL;
	line->inlined = id ? &s->v.v[id].inlined : NULL;
	return true;
}

/* Parse what that lookup lacks. */
static void dwarf_unit__complete_scopes(struct dwarf_unit *u, struct function *f, u64 vaddr, unsigned wants)
{
	const struct file_list *files = u->is_split ? &u->call_files : &u->row_files;
	struct dwarf_scopes *s;
	struct entries e;

	pthread_mutex_lock(&u->lock);
	s = f->scopes;
	if (dwarf_unit__begin(u, &e)) {
		if (!s)
			s = dwarf_scopes__new(u->file, &e.code, f->offset, &u->abbrevs);
		dwarf_scopes__name(s, u->file, &e.code, dwarf_scopes__find(s, vaddr),
				   wants & DWARF_WANTS_START);
		if (wants & DWARF_WANTS_LINE)
			dwarf_scopes__set_files(s, files->v.v, files->v.nr);
		__atomic_store_n(&f->scopes, s, __ATOMIC_RELEASE);
	}
	dwarf_unit__end(u, &e);
	pthread_mutex_unlock(&u->lock);
}

static void dwarf_unit__find_inlined(struct dwarf_unit *u, u64 vaddr, unsigned wants,
				     struct source_line *line)
{
	struct function *f = dwarf_unit__find_function(u, vaddr);

	if (!f || scopes__find(__atomic_load_n(&f->scopes, __ATOMIC_ACQUIRE), vaddr, wants, line))
		return;
	dwarf_unit__complete_scopes(u, f, vaddr, wants);
	scopes__find(__atomic_load_n(&f->scopes, __ATOMIC_ACQUIRE), vaddr, wants, line);
}

bool dwarf_unit__find(struct dwarf_unit *u, u64 vaddr, unsigned wants, struct source_line *line)
{
	*line = (struct source_line){ 0 };
	if (wants & DWARF_WANTS_LINE)
		dwarf_unit__find_line(u, vaddr, line);
	if (wants & (DWARF_WANTS_INLINED | DWARF_WANTS_START))
		dwarf_unit__find_inlined(u, vaddr, wants, line);
	if (wants & DWARF_WANTS_DISCRIMINATOR && line->file)
		line->discriminator = dwarf_unit__find_discriminator(u, vaddr);
	return line->file || line->inlined || line->function;
}

static void add_border(u64_array *borders, u64 start, u64 end, u64 vaddr)
{
	if (vaddr >= start && vaddr < end)
		array__add(borders, vaddr);
}

/* Add those of the functions at these addresses. */
static void dwarf_unit__add_scopes(struct dwarf_unit *u, u64 start, u64 end, const u64 *addrs, size_t nr,
				   u64_array *borders)
{
	const struct function *last = NULL;

	for (size_t i = 0; i < nr; i++) {
		const struct function *f = dwarf_unit__find_function(u, addrs[i]);
		const struct dwarf_scopes *scopes;
		struct source_line line;

		if (!f || f == last)
			continue;
		last = f;
		dwarf_unit__find_inlined(u, addrs[i], DWARF_WANTS_INLINED, &line);
		scopes = __atomic_load_n(&f->scopes, __ATOMIC_ACQUIRE);
		for (size_t k = 0; scopes && k < scopes->spans.v.nr; k++) {
			add_border(borders, start, end, scopes->spans.v.v[k].low);
			add_border(borders, start, end, scopes->spans.v.v[k].high);
		}
	}
}

void dwarf_unit__list_borders(struct dwarf_unit *u, u64 start, u64 end, unsigned wants, u64_array *borders)
{
	u64_array addrs = { 0 };
	size_t first;

	dwarf_unit__parse(u, &u->has_lines, dwarf_unit__list_lines);
	first = bisect(i, 0, u->rows.nr, u->rows.v[i].addr < start);
	array__add(&addrs, start);
	for (size_t i = first; i < u->rows.nr && u->rows.v[i].addr < end; i++)
		array__add(&addrs, u->rows.v[i].addr);
	for (size_t i = 0; i < addrs.nr; i++)
		array__add(borders, addrs.v[i]);
	dwarf_unit__add_scopes(u, start, end, addrs.v, addrs.nr, borders);
	if (wants & DWARF_WANTS_DECL)
		dwarf_unit__parse(u, &u->has_marks, dwarf_unit__list_marks);
	for (size_t i = bisect(k, 0, u->marks.nr, u->marks.v[k].addr < start);
	     wants & DWARF_WANTS_DECL && i < u->marks.nr && u->marks.v[i].addr < end; i++)
		array__add(borders, u->marks.v[i].addr);
	array__exit(&addrs);
}

/* ---- life ---- */

struct dwarf_unit *dwarf_unit__new(struct dwarf_file *file, u64 header)
{
	struct dwarf_unit *u = xcalloc(1, sizeof(*u));
	struct dwarf_handle *h = dwarf_file__get(file);

	u->file = file;
	pthread_mutex_init(&u->lock, NULL);
	if (h)
		dwarf_file__unit_at(file, h, header, &u->first, &u->end);
	if (h)
		dwarf_file__put(file, h);
	return u;
}

void dwarf_unit__delete(struct dwarf_unit *u)
{
	if (!u)
		return;
	array__exit(&u->rows);
	array__exit(&u->marks);
	array__exit(&u->row_files.v);
	array__exit(&u->call_files.v);
	function_list__exit(&u->functions);
	function_list__exit(&u->all);
	dwarf_abbrevs__exit(&u->abbrevs);
	pthread_mutex_destroy(&u->lock);
	free(u);
}
