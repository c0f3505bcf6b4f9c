#include "record/hotspot/hotspot_method.h"

#include <string.h>

enum {
	CONST_MAX = 1 << 20, /* bytes of a ConstMethod: 64 KB of bytecodes and their tables */
	POOL_MAX = 1 << 16,  /* constants */
	SYMBOL_MAX = 1024,   /* bytes; longer texts are cut */
	PARAMETERS_MAX = 255,
};

bool hotspot_method__read(struct hotspot_method *h, const struct hotspot_layout *l, const struct vm_memory *m,
			  u64 method)
{
	u8 object[HOTSPOT_OBJECT_MAX];
	u64 size;

	*h = (struct hotspot_method){ 0 };
	if (!method || method % 8 || !hotspot_layout__get(l, m, method, METHOD_CONST, &h->constant) ||
	    !h->constant || h->constant % 8 || l->sizes[TYPE_CONST_METHOD] > sizeof(object) ||
	    !vm_memory__read(m, h->constant, object, l->sizes[TYPE_CONST_METHOD]))
		return false;
	size = hotspot_layout__value(l, CONST_SIZE, object) * 8;
	h->end = h->constant + size;
	h->code_begin = h->constant + l->sizes[TYPE_CONST_METHOD];
	h->code_size = hotspot_layout__value(l, CONST_CODE_SIZE, object);
	h->constants = hotspot_layout__value(l, CONST_CONSTANTS, object);
	h->name = (u16)hotspot_layout__value(l, CONST_NAME, object);
	h->signature = (u16)hotspot_layout__value(l, CONST_SIGNATURE, object);
	return size >= l->sizes[TYPE_CONST_METHOD] && size <= CONST_MAX && h->end > h->constant &&
	       h->code_size <= size - l->sizes[TYPE_CONST_METHOD] && h->constants;
}

/* Append the text of a symbol, at most SYMBOL_MAX bytes. */
static bool add_symbol(struct strbuf *out, const struct hotspot_layout *l, const struct vm_memory *m,
		       u64 addr)
{
	char text[SYMBOL_MAX];
	u64 length;

	if (!addr || !hotspot_layout__get(l, m, addr, SYMBOL_LENGTH, &length) || !length)
		return false;
	length = MIN(length, (u64)sizeof(text));
	if (!vm_memory__read(m, addr + l->fields[SYMBOL_BODY].at, text, length) || memchr(text, '\0', length))
		return false;
	strbuf__add(out, text, length);
	return true;
}

/* Append the text of a constant. */
static bool add_constant(struct strbuf *out, const struct hotspot_method *h, const struct hotspot_layout *l,
			 const struct vm_memory *m, u16 index)
{
	u64 nr, symbol;

	return hotspot_layout__get(l, m, h->constants, POOL_LENGTH, &nr) && nr <= POOL_MAX && index &&
	       index < nr &&
	       vm_memory__u64(m, h->constants + l->sizes[TYPE_CONSTANT_POOL] + index * 8ull, &symbol) &&
	       add_symbol(out, l, m, symbol);
}

static void replace_slashes(char *text)
{
	for (; *text; text++)
		if (*text == '/')
			*text = '.';
}

/* Append one type of a signature, and return what follows it, or NULL if it is not a type. */
static const char *add_type(struct strbuf *out, const char *s)
{
	static const struct {
		char letter;
		const char *name;
	} basic[] = { { 'B', "byte" }, { 'C', "char" }, { 'D', "double" }, { 'F', "float" },
		      { 'I', "int" },  { 'J', "long" }, { 'S', "short" },  { 'Z', "boolean" } };
	unsigned depth = 0;
	const char *end;

	for (; *s == '['; s++)
		depth++;
	if (depth > PARAMETERS_MAX)
		return NULL;
	if (*s == 'L' && (end = strchr(s, ';'))) {
		strbuf__add(out, s + 1, (size_t)(end - s) - 1);
		s = end + 1;
	} else {
		size_t i = 0;

		while (i < ARRAY_SIZE(basic) && basic[i].letter != *s)
			i++;
		if (i == ARRAY_SIZE(basic))
			return NULL;
		strbuf__addstr(out, basic[i].name);
		s++;
	}
	while (depth--)
		strbuf__addstr(out, "[]");
	return s;
}

/* Append the parameters of a signature, such as "(I[Ljava/lang/String;)V", as Java writes them. */
static void hotspot_signature__add(struct strbuf *out, const char *signature)
{
	size_t start = out->len;
	const char *s = *signature == '(' ? signature + 1 : ")";

	strbuf__addch(out, '(');
	for (unsigned i = 0; i < PARAMETERS_MAX && s && *s != ')'; i++) {
		if (i)
			strbuf__addstr(out, ", ");
		s = add_type(out, s);
	}
	if (!s || *s != ')') /* cut, or of a form that is unknown */
		strbuf__addstr(out, "...");
	strbuf__addch(out, ')');
	replace_slashes(out->buf + start);
}

bool hotspot_method__name(const struct hotspot_method *h, const struct hotspot_layout *l,
			  const struct vm_memory *m, struct strbuf *out)
{
	struct strbuf signature = STRBUF_INIT;
	size_t start = out->len;
	u64 klass, symbol;
	char *hidden;
	bool done;

	done = hotspot_layout__get(l, m, h->constants, POOL_HOLDER, &klass) &&
	       hotspot_layout__get(l, m, klass, KLASS_NAME, &symbol) && add_symbol(out, l, m, symbol);
	if (done) {
		replace_slashes(out->buf + start);
		/* a hidden class, as of a lambda: then comes an address, another one in each run */
		hidden = strstr(out->buf + start, "+0x");
		strbuf__setlen(out, hidden ? (size_t)(hidden - out->buf) : out->len);
	}
	strbuf__addch(out, '.');
	done = done && add_constant(out, h, l, m, h->name) && add_constant(&signature, h, l, m, h->signature);
	if (done)
		hotspot_signature__add(out, signature.buf);
	else
		strbuf__setlen(out, start);
	strbuf__exit(&signature);
	return done;
}
