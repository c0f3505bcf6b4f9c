#include "binary/code/x86_length.h"

#include <string.h>

enum {
	X86_MAX = 15, /* bytes of an instruction */
	EVEX = 0x62,
	VEX2 = 0xc5,
	VEX3 = 0xc4,
	MAP_0F = 1,
	MAP_0F38 = 2,
	MAP_0F3A = 3,
	VZEROUPPER = 0x77, /* the only one of VEX map 1 without ModRM */
};

/* Skip legacy prefixes, and in 64-bit code REX. */
static size_t skip_prefixes(const u8 *code, size_t size, bool is_64bit)
{
	static const u8 prefixes[] = { 0x66, 0x67, 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0xf0, 0xf2, 0xf3 };
	size_t i = 0;

	while (i < size && i < X86_MAX && memchr(prefixes, code[i], sizeof(prefixes)))
		i++;
	if (is_64bit && i < size && (code[i] & 0xf0) == 0x40)
		i++;
	return i;
}

/* In 32-bit code these bytes are other instructions unless what follows has the form of two registers. */
static bool is_vector_prefix(const u8 *code, size_t left, bool is_64bit)
{
	return left > 1 && (is_64bit || code[1] >= 0xc0);
}

bool x86__is_evex(const u8 *code, size_t size, bool is_64bit)
{
	size_t i = skip_prefixes(code, size, is_64bit);

	return i < size && code[i] == EVEX && is_vector_prefix(code + i, size - i, is_64bit);
}

/* Return the bytes of ModRM, SIB and displacement; 0: longer than left. */
static size_t address_length(const u8 *code, size_t left)
{
	u8 mod, rm;
	size_t n = 1;

	if (!left)
		return 0;
	mod = code[0] >> 6;
	rm = code[0] & 7;
	if (mod == 3)
		return 1;
	if (rm == 4) {
		if (left < 2)
			return 0;
		n++;
		if (mod == 0 && (code[1] & 7) == 5)
			n += 4;
	} else if (mod == 0 && rm == 5) {
		n += 4;
	}
	return n + (mod == 1 ? 1 : mod == 2 ? 4 : 0);
}

/* Does an opcode with ModRM have a byte of immediate? */
static bool has_immediate(u8 map, u8 opcode)
{
	static const u8 of_0f[] = { 0x70, 0x71, 0x72, 0x73, 0xc2, 0xc4, 0xc5, 0xc6, 0xa4, 0xac, 0xba };

	return map == MAP_0F3A || (map == MAP_0F && memchr(of_0f, opcode, sizeof(of_0f)));
}

size_t x86__length(const u8 *code, size_t size, bool is_64bit)
{
	size_t i = skip_prefixes(code, size, is_64bit), n;
	u8 map, opcode;

	size = size < X86_MAX ? size : X86_MAX;
	if (i + 2 >= size)
		return 0;
	if (code[i] == EVEX && is_vector_prefix(code + i, size - i, is_64bit)) {
		map = code[i + 1] & 7;
		i += 4;
	} else if (code[i] == VEX3 && is_vector_prefix(code + i, size - i, is_64bit)) {
		map = code[i + 1] & 31;
		i += 3;
	} else if (code[i] == VEX2 && is_vector_prefix(code + i, size - i, is_64bit)) {
		map = MAP_0F;
		i += 2;
	} else if (code[i] == 0x0f) {
		map = code[i + 1] == 0x38 ? MAP_0F38 : code[i + 1] == 0x3a ? MAP_0F3A : MAP_0F;
		i += map == MAP_0F ? 1 : 2;
	} else {
		return 0;
	}
	if (i >= size)
		return 0;
	opcode = code[i++];
	if (map == MAP_0F && opcode == VZEROUPPER)
		return i;
	n = address_length(code + i, size - i);
	i += n + has_immediate(map, opcode);
	return n && i <= size ? i : 0;
}
