/*
 * Writing Protocol Buffers (https://protobuf.dev/programming-guides/encoding/): numbers are varints,
 * everything else is bytes after their length. A message is appended between __open and __close, which
 * inserts its length.
 */
#ifndef EXPORT_PROTOBUF_H
#define EXPORT_PROTOBUF_H

#include "base/text/strbuf.h"

void protobuf__add_varint(struct strbuf *sb, u64 value);
/* Append a number; 0 is left out, as it is the default. */
void protobuf__add_number(struct strbuf *sb, u32 field, u64 value);
/* As __add_number, for a member of a oneof: 0 is written, too. */
void protobuf__add_member(struct strbuf *sb, u32 field, u64 value);
void protobuf__add_bool(struct strbuf *sb, u32 field, bool value);
void protobuf__add_fixed64(struct strbuf *sb, u32 field, u64 value);
/* Append the 8 bytes of a number in a packed list of fixed64. */
void protobuf__add_bytes64(struct strbuf *sb, u64 value);
void protobuf__add_bytes(struct strbuf *sb, u32 field, const void *data, size_t size);
/* Append text as valid UTF-8: other bytes become U+FFFD. */
void protobuf__add_text(struct strbuf *sb, u32 field, const char *text);
/* Begin a message or packed numbers. Return where it begins, for __close. */
size_t protobuf__open(struct strbuf *sb, u32 field);
void protobuf__close(struct strbuf *sb, size_t from);
/* Append the header of a message whose size is known beforehand. */
void protobuf__add_head(struct strbuf *sb, u32 field, u64 size);
/* Return the size of what __add_head appends, in bytes. */
size_t protobuf__head_size(u32 field, u64 size);

#endif
