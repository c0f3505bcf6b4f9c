#!/usr/bin/env python3
"""Write a recording of a program at a fixed address with the branch stacks that standard input has:

    branch_stacks.py OUTPUT PROGRAM <SAMPLES

A line is of equal samples: how many, their period, where they were taken, and for each branch, the newest first, where it was
and where it led to, and its cycles:

    10 1000 leaf+4 leaf+20>leaf+4:5 main+31>leaf+0:12

Addresses are offsets in functions of the program, as nm has them, or hexadecimal ones (0x1234).
"""
import os
import struct
import subprocess
import sys

HEADER_SIZE, ATTR_SIZE, PID, PAGE = 104, 128, 4242, 4096
RECORD_MMAP, RECORD_COMM, RECORD_SAMPLE, FEATURE_BRANCH_STACK = 1, 3, 9, 15
SAMPLE_TYPE = 1 | 2 | 4 | 256 | 2048  # IP TID TIME PERIOD BRANCH_STACK
ATTR_FLAGS = 1 << 5 | 1 << 8 | 1 << 9 | 1 << 18  # exclude_kernel mmap comm sample_id_all
BRANCH_TYPE, MISPREDICTED, PREDICTED, ABORT, USER, EXEC = 1 | 8, 1, 2, 8, 2, 1 << 13

output, program = sys.argv[1], os.path.abspath(sys.argv[2])
symbols = {}
for line in subprocess.run(["nm", os.environ.get("SYMBOLS", program)], capture_output=True, text=True, check=True).stdout.splitlines():
    if line.split()[-2] in "tT":
        symbols[line.split()[-1]] = int(line.split()[0], 16)
base = min(symbols.values()) & -PAGE  # where the code segment is, in memory
now = 1000000000


def address(text):
    if text.startswith("0x"):
        return int(text, 16)
    name, offset = text.split("+")
    return symbols[name] + int(offset)


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def text_field(text):
    return text.encode().ljust((len(text) // 8 + 1) * 8, b"\0")


def sample_id():
    return struct.pack("<IIQ", PID, PID, now)


# The program is mapped as a whole, so that an address is its file offset and the base of the first segment.
first = int(os.environ.get("BASE", "0x400000"), 16)
records = record(RECORD_COMM, USER | EXEC, struct.pack("<II", PID, PID) + text_field("program") + sample_id())
records += record(RECORD_MMAP, USER, struct.pack("<IIQQQ", PID, PID, base, 16 * PAGE, base - first) + text_field(program) + sample_id())
for line in sys.stdin:
    if not line.strip():
        continue
    count, period, ip, *branches = line.split()
    words = [len(branches)]
    for branch in branches:
        source, rest = branch.split(">")
        target, cycles = rest.split(":")
        flags = (MISPREDICTED if "m" in cycles else PREDICTED) | (ABORT if "a" in cycles else 0)
        words += [address(source), address(target), flags | int(cycles.rstrip("ma")) << 4]
    for _ in range(int(count)):
        now += 1000
        records += record(RECORD_SAMPLE, USER, struct.pack("<QIIQQ%dQ" % len(words), address(ip), PID, PID, now, int(period), *words))
attr = struct.pack("<IIQQQQQIIQQQ", 0, 112, 0, 1000, SAMPLE_TYPE, 0, ATTR_FLAGS, 0, 0, 0, 0, BRANCH_TYPE).ljust(ATTR_SIZE, b"\0")
start = HEADER_SIZE + ATTR_SIZE
header = struct.pack("<8s12Q", b"PERFILE2", HEADER_SIZE, ATTR_SIZE, HEADER_SIZE, ATTR_SIZE, start, len(records), 0, 0,
                     1 << FEATURE_BRANCH_STACK, 0, 0, 0)
table = struct.pack("<QQ", start + len(records) + 16, 0)
with open(output, "wb") as f:
    f.write(header + attr + records + table)
