#!/usr/bin/env python3
"""Write a recording of a run of a program at a fixed address, of which functions have known numbers of samples:

    function_samples.py OUTPUT PROGRAM SEED FUNCTION=SAMPLES... FUNCTION=~SAMPLES...

With ~, the number varies between runs, as if samples were independent: by SEED, with the variance SAMPLES. The samples are of equal weight, at times that follow from SEED, within one second. FUNCTION may have any characters but NUL.
"""
import os
import random
import struct
import subprocess
import sys

HEADER_SIZE, ATTR_SIZE, PID, PAGE, SECOND = 104, 128, 4242, 4096, 1000000000
RECORD_MMAP, RECORD_COMM, RECORD_SAMPLE = 1, 3, 9
SAMPLE_TYPE = 1 | 2 | 4 | 256  # IP TID TIME PERIOD
# disabled exclude_kernel mmap comm freq enable_on_exec sample_id_all
ATTR_FLAGS = 1 | 1 << 5 | 1 << 8 | 1 << 9 | 1 << 10 | 1 << 12 | 1 << 18
SOFTWARE, USER, EXEC, PERIOD = 1, 2, 1 << 13, 250000

output, program, seed = sys.argv[1], os.path.abspath(sys.argv[2]), int(sys.argv[3])
symbols = {}
for line in subprocess.run(["nm", program], capture_output=True, check=True).stdout.split(b"\n"):
    if line[:1].isalnum() and line[17:18] in b"tT":
        symbols[line[19:]] = int(line[:16], 16)
base = min(symbols.values()) & -PAGE


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def text_field(text):
    text = os.fsencode(text)
    return text.ljust((len(text) // 8 + 1) * 8, b"\0")


start_id = struct.pack("<IIQ", PID, PID, SECOND)
records = [record(RECORD_COMM, USER | EXEC, struct.pack("<II", PID, PID) + text_field("program") + start_id),
           record(RECORD_MMAP, USER, struct.pack("<IIQQQ", PID, PID, base, 16 * PAGE, base - 0x400000) + text_field(program) + start_id)]
draw = random.Random(seed)
samples = []
for argument in sys.argv[4:]:
    name, number = argument.rsplit("=", 1)
    nr = float(number.lstrip("~"))
    if number.startswith("~"):
        nr = max(0, draw.gauss(nr, nr ** 0.5))
    samples += [(draw.randrange(SECOND), symbols[os.fsencode(name)]) for _ in range(round(nr))]
for time, ip in sorted(samples):
    records.append(record(RECORD_SAMPLE, USER, struct.pack("<QIIQQ", ip, PID, PID, SECOND + time, PERIOD)))
records = b"".join(records)
attr = struct.pack("<IIQQQQQ", SOFTWARE, 112, 0, 4000, SAMPLE_TYPE, 0, ATTR_FLAGS).ljust(ATTR_SIZE, b"\0")
header = struct.pack("<8s12Q", b"PERFILE2", HEADER_SIZE, ATTR_SIZE, HEADER_SIZE, ATTR_SIZE, HEADER_SIZE + ATTR_SIZE, len(records), 0, 0, 0, 0, 0, 0)
with open(output, "wb") as f:
    f.write(header + attr + records)
