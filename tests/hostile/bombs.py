#!/usr/bin/env python3
"""A small program that would take much memory to read, and a recording with a sample in each of its functions.

	bombs.py KIND SIZE FOLDER	writes FOLDER/program and FOLDER/perf.data

KIND:
  names         SIZE functions whose names are ends of one name
  inlined       as names, with debug information that says the same
  zlib, zstd    .debug_info of SIZE bytes of functions, compressed
  debugdata     .gnu_debugdata (xz) that unpacks to SIZE bytes
  lines         a line table of SIZE bytes, one row for each
  tables        SIZE units that share one line table
  ranges        SIZE units that share one list of ranges
"""
import lzma, os, struct, subprocess, sys, zlib

BASE, OFFSET, STEP = 0x1000, 0x1000, 16  # of the code: address, file offset, bytes of a function


def elf(functions, names, name_at, debug=(), others=()):
    """sections in debug and others: (name, bytes, flags)"""
    sections = [(b"", b"", 0, 0, 0, 0, 0)]
    text = b"\x90" * (STEP * functions)
    symbols = b"\0" * 24
    for i in range(len(name_at)):
        symbols += struct.pack("<IBBHQQ", name_at[i], 0x12, 0, 1, BASE + STEP * i, STEP)
    sections.append((b".text", text, 1, 6, 0, 0, 0))
    if name_at:
        sections.append((b".symtab", symbols, 2, 0, 3, 1, 24))
        sections.append((b".strtab", names, 3, 0, 0, 0, 0))
    for name, data, flags in list(debug) + list(others):
        sections.append((name, data, 1, flags, 0, 0, 0))
    shstr, at = b"", []
    for s in sections + [(b".shstrtab",)]:
        at.append(len(shstr))
        shstr += s[0] + b"\0"
    sections.append((b".shstrtab", shstr, 3, 0, 0, 0, 0))
    body, headers, offset = b"", b"", OFFSET
    for i, (name, data, kind, flags, link, info, entry) in enumerate(sections):
        headers += struct.pack("<IIQQQQIIQQ", at[i], kind if i else 0, flags, BASE if i == 1 else 0,
                               offset if i else 0, len(data), link, info, 1 if i else 0, entry)
        body += data
        offset += len(data)
    head = b"\x7fELF\x02\x01\x01" + b"\0" * 9 + struct.pack(
        "<HHIQQQIHHHHHH", 3, 62, 1, BASE, 64, offset, 0, 64, 56, 1, 64, len(sections), len(sections) - 1)
    head += struct.pack("<IIQQQQQQ", 1, 5, OFFSET, BASE, BASE, len(text), len(text), 4096)
    return head.ljust(OFFSET, b"\0") + body + headers


def recording(path, functions):
    """one sample in each function, called by the one before"""
    def record(kind, misc, body):
        return struct.pack("<IHH", kind, misc, 8 + len(body)) + body

    def text(s):
        s = s.encode() + b"\0"
        return s + b"\0" * (-len(s) % 8)

    start = 0x10000000
    data = record(3, 0, struct.pack("<II", 1, 1) + text("program"))
    data += record(10, 2, struct.pack("<IIQQQIIQQII", 1, 1, start, (STEP * functions + 4095) & ~4095, OFFSET,
                                      0, 0, 0, 0, 5, 2) + text(path))
    samples = []
    for i in range(functions):
        ip = start + STEP * i
        caller = start + STEP * ((i + 1) % functions) + 1
        samples.append(record(9, 2, struct.pack("<QIIQQQQQ", ip, 1, 1, 1000 + i, 3, (1 << 64) - 512, ip, caller)))
    data += b"".join(samples)
    attr = struct.pack("<IIQQQQQ", 1, 128, 0, 1000000, 0x27, 0, 1 << 0)
    attr = attr.ljust(128, b"\0")
    head = struct.pack("<QQQQQQQQQ", 0x32454C4946524550, 104, 144, 104, 144, 248, len(data), 0, 0)
    return head.ljust(104, b"\0") + attr + struct.pack("<QQ", 0, 0) + data


def long_names(nr, length):
    names = b"\0" + b"x" * (length - nr) + b"".join(bytes([97 + i * 7 % 26]) for i in range(nr)) + b"\0"
    return names, [1 + i for i in range(nr)]


def unit(dies, abbrevs, version=4):
    body = struct.pack("<HIB", version, 0, 8) + dies
    return struct.pack("<I", len(body)) + body


def aranges(units, functions):
    """each unit (offset) has an equal part of the functions"""
    out, part = b"", STEP * functions // len(units)
    for i, offset in enumerate(units):
        body = struct.pack("<HIBBI", 2, offset, 8, 0, 0) + struct.pack("<QQQQ", BASE + part * i, part, 0, 0)
        out += struct.pack("<I", len(body)) + body
    return out


# 1: unit with lines and addresses; 2: function; 3: inlined function; 4: its origin; 5: unit with ranges
ABBREV = (b"\x01\x11\x01\x10\x17\x03\x0e\x11\x01\x12\x06\0\0" b"\x02\x2e\x01\x11\x01\x12\x06\0\0"
          b"\x03\x1d\0\x31\x13\x11\x01\x12\x06\0\0" b"\x04\x2e\0\x03\x0e\0\0"
          b"\x05\x11\0\x10\x17\x03\x0e\x55\x17\0\0" b"\x06\x2e\0\x11\x01\x12\x0b\0\0" b"\0")


def line_table(program, files=b"a.c\0\0\0\0"):
    head = struct.pack("<BBBbBB", 1, 1, 1, -5, 14, 13) + b"\0\1\1\1\1\0\0\0\1\0\0\1" + b"\0" + files + b"\0"
    body = struct.pack("<HI", 4, len(head)) + head + program
    return struct.pack("<I", len(body)) + body


SET_ADDRESS = b"\0\x09\x02" + struct.pack("<Q", BASE)
END = b"\x02\x10\0\x01\x01"


def one_unit(functions, inner=b"", lines=0):
    return unit(b"\x01" + struct.pack("<IIQI", lines, 0, BASE, STEP * functions) + inner + b"\0", ABBREV)


def make(kind, size):
    functions, names, at, debug, others = 1, b"\0main\0", [1], [], []
    abbrev, strings = (b".debug_abbrev", ABBREV, 0), (b".debug_str", b"unit\0", 0)
    if kind in ("names", "inlined"):
        functions = size
        names, at = long_names(size, 85 * size)
    if kind == "inlined":
        head, inner = 4 + 7 + 21, b""
        for i in range(size):
            inner += b"\x04" + struct.pack("<I", at[i])
        for i in range(size):
            inner += b"\x02" + struct.pack("<QI", BASE + STEP * i, STEP)
            inner += b"\x03" + struct.pack("<IQI", head + 5 * i, BASE + STEP * i, STEP) + b"\0"
        debug = [(b".debug_info", one_unit(functions, inner), 0), abbrev, (b".debug_str", names, 0),
                 (b".debug_line", line_table(SET_ADDRESS + b"\x14" + END), 0),
                 (b".debug_aranges", aranges([0], functions), 0)]
    elif kind in ("zlib", "zstd"):
        die = b"\x06" + struct.pack("<QB", BASE, 8)
        plain = one_unit(1, die * (size // len(die)))
        if kind == "zlib":
            packed = struct.pack("<IIQQ", 1, 0, len(plain), 1) + zlib.compress(plain, 6)
        else:
            packed = struct.pack("<IIQQ", 2, 0, len(plain), 1) + subprocess.run(
                ["zstd", "-3", "-c"], input=plain, stdout=subprocess.PIPE, check=True).stdout
        debug = [(b".debug_info", packed, 0x800), abbrev, strings,
                 (b".debug_line", line_table(SET_ADDRESS + b"\x14" + END), 0)]
    elif kind == "debugdata":
        at = []
        inner = elf(1, b"\0main\0", [1])
        others = [(b".gnu_debugdata", lzma.compress(inner + b"\0" * (size - len(inner)), preset=0), 0)]
    elif kind == "lines":
        debug = [(b".debug_info", one_unit(1), 0), abbrev, strings,
                 (b".debug_line", line_table(SET_ADDRESS + b"\x13\x14" * (size // 2) + END), 0),
                 (b".debug_aranges", aranges([0], 1), 0)]
    elif kind == "tables":
        functions = size
        units, info = [], b""
        for i in range(size):
            units.append(len(info))
            info += one_unit(functions)
        debug = [(b".debug_info", info, 0), abbrev, strings,
                 (b".debug_line", line_table(SET_ADDRESS + b"\x13\x14" * 200000 + END), 0),
                 (b".debug_aranges", aranges(units, functions), 0)]
    elif kind == "ranges":
        functions = size
        info = b"".join(unit(b"\x05" + struct.pack("<III", 0, 0, 0), ABBREV) for i in range(size))
        debug = [(b".debug_info", info, 0), abbrev, strings,
                 (b".debug_line", line_table(SET_ADDRESS + b"\x14" + END), 0),
                 (b".debug_ranges", b"".join(struct.pack("<QQ", BASE + i, BASE + i + 1) for i in range(16, 50000)) +
                  b"\0" * 16, 0)]
    return functions, elf(functions, names, at, debug, others)


def main():
    kind, size, folder = sys.argv[1], int(sys.argv[2]), os.path.abspath(sys.argv[3])
    os.makedirs(folder, exist_ok=True)
    functions, program = make(kind, size)
    with open(folder + "/program", "wb") as f:
        f.write(program)
    with open(folder + "/perf.data", "wb") as f:
        f.write(recording(folder + "/program", functions))


main()
