#!/usr/bin/env python3
"""Count the samples at each address of a program, for llvm-profgen --use-offset=0 --unsymbolized-profile:

    perf script -F pid,ip,event --show-mmap-events | addresses.py PROGRAM

llvm-profgen has no mode for recordings without branches, but it takes ranges of one instruction. PROGRAM is the path
in the recording; the addresses are those in the file.
"""
import collections
import os
import re
import struct
import sys

LOAD, EXECUTABLE = 1, 1

program = os.path.realpath(sys.argv[1])
with open(program, "rb") as f:
    data = f.read()
start, size, nr = struct.unpack_from("<Q", data, 32)[0], *struct.unpack_from("<HH", data, 54)
segments = [struct.unpack_from("<IIQQQQ", data, start + i * size) for i in range(nr)]
segments = [(offset, offset + in_file, address) for kind, flags, offset, address, _, in_file in segments if kind == LOAD and flags & EXECUTABLE]
maps = collections.defaultdict(list)  # of each process, the newest last
counts = collections.Counter()
for line in sys.stdin:
    mapped = re.search(r"PERF_RECORD_MMAP2? (-?\d+)/-?\d+: \[(0x[0-9a-f]+)\((0x[0-9a-f]+)\) @ (0x[0-9a-f]+|0)[^]]*\]: (\S+) (.*)", line)
    if mapped:
        pid, first, length, offset, mode, path = mapped.groups()
        if "x" in mode:
            maps[int(pid)].append((int(first, 16), int(length, 16), int(offset, 16), path))
        continue
    sample = re.fullmatch(r" *(\d+) .*?: +([0-9a-f]+) *", line.rstrip("\n"))
    if not sample:
        continue
    pid, ip = int(sample[1]), int(sample[2], 16)
    for first, length, offset, path in reversed(maps[pid]):
        if first <= ip < first + length:
            if path == program:
                at = ip - first + offset
                counts.update(address + at - begin for begin, end, address in segments if begin <= at < end)
            break
print(len(counts))
for address in sorted(counts):
    print(f"{address:x}-{address:x}:{counts[address]}")
print(0)
