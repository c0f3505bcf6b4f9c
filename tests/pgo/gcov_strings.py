#!/usr/bin/env python3
"""Rewrite a gcov file of autofdo 0.19's create_gcov for gcc 12 and later:

    gcov_strings.py INPUT OUTPUT

create_gcov writes the sizes of strings in words, and pads them; these compilers want bytes and no padding.
"""
import struct
import sys

HEADER_SIZE, STRINGS = 12, 0xaa000000

with open(sys.argv[1], "rb") as f:
    data = f.read()
tag, _, nr = struct.unpack_from("<III", data, HEADER_SIZE)
if tag != STRINGS:
    sys.exit(f"{sys.argv[1]} has no strings")
at, strings = HEADER_SIZE + 12, b""
for _ in range(nr):
    words, = struct.unpack_from("<I", data, at)
    text = data[at + 4:at + 4 + 4 * words].split(b"\0")[0] + b"\0"
    strings += struct.pack("<I", len(text)) + text
    at += 4 + 4 * words
with open(sys.argv[2], "wb") as f:
    f.write(data[:HEADER_SIZE] + struct.pack("<III", STRINGS, 4 + len(strings), nr) + strings + data[at:])
