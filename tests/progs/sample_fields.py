#!/usr/bin/env python3
"""Write a recording of a program at a fixed address, with the threads and samples that standard input has:

    sample_fields.py OUTPUT PROGRAM <EVENTS

An event is a line, at a microsecond of its own:

    thread PID/TID NAME
    on TID                the thread runs now; off TID: it no longer does. The first one runs from the beginning
    sample TID PERIOD leaf+4 weight=7 ins_lat=3 retire_lat=2 data_src=0x68100142 from=inner+9,main+4

Addresses are offsets in functions of the program, as nm has them; from: the callers, the innermost first. Fields that are
not there are 0. Samples have call chains if one of them names callers.
"""
import os
import struct
import subprocess
import sys

HEADER_SIZE, ATTR_SIZE, PAGE = 104, 128, 4096
RECORD_MMAP, RECORD_COMM, RECORD_SAMPLE, RECORD_SWITCH = 1, 3, 9, 14
SAMPLE_TYPE = 1 | 2 | 4 | 128 | 256 | 1 << 15 | 1 << 24  # IP TID TIME CPU PERIOD DATA_SRC WEIGHT_STRUCT
ATTR_FLAGS = 1 << 5 | 1 << 8 | 1 << 9 | 1 << 18  # exclude_kernel mmap comm sample_id_all
CONTEXT_SWITCH, USER, SWITCH_OUT = 1 << 26, 2, 1 << 13
CALLCHAIN, CONTEXT_USER = 1 << 5, 2**64 - 512

output, program = sys.argv[1], os.path.abspath(sys.argv[2])
symbols = {}
for line in subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout.splitlines():
    if line.split()[-2] in "tT":
        symbols[line.split()[-1]] = int(line.split()[0], 16)
base = min(symbols.values()) & -PAGE  # where the code segment is, in memory
now = 1000000000
pid_of = {}
events = [line.split() for line in sys.stdin if line.strip()]
if any("from=" in word for words in events for word in words):
    SAMPLE_TYPE |= CALLCHAIN


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def text_field(text):
    return text.encode().ljust((len(text) // 8 + 1) * 8, b"\0")


def sample_id(tid):
    return struct.pack("<IIQII", pid_of[tid], tid, now, tid % 2, 0)


def thread(ids, name):
    pid, tid = map(int, ids.split("/"))
    pid_of[tid] = pid
    made = record(RECORD_COMM, USER, struct.pack("<II", pid, tid) + text_field(name) + sample_id(tid))
    if pid == tid:
        place = struct.pack("<IIQQQ", pid, tid, base, 16 * PAGE, base - 0x400000)
        made += record(RECORD_MMAP, USER, place + text_field(program) + sample_id(tid))
    return made


def address(text):
    name, offset = text.split("+")
    return symbols[name] + int(offset)


def sample(tid, period, ip, *fields):
    value = dict(field.split("=") for field in fields)
    weight, ins_lat, retire_lat, data_src = (int(value.get(name, "0"), 0) for name in ("weight", "ins_lat", "retire_lat", "data_src"))
    chain = [CONTEXT_USER, address(ip)] + [address(text) for text in value.get("from", "").split(",") if text]
    return record(RECORD_SAMPLE, USER, struct.pack("<QIIQIIQ", address(ip), pid_of[int(tid)], int(tid), now, int(tid) % 2, 0, int(period)) +
                  (struct.pack("<%dQ" % (len(chain) + 1), len(chain), *chain) if SAMPLE_TYPE & CALLCHAIN else b"") +
                  struct.pack("<QQ", weight | ins_lat << 32 | retire_lat << 48, data_src))


records = b""
for what, *words in events:
    now += 1000
    if what == "thread":
        records += thread(*words)
    elif what in ("on", "off"):
        ATTR_FLAGS |= CONTEXT_SWITCH
        records += record(RECORD_SWITCH, SWITCH_OUT if what == "off" else 0, sample_id(int(words[0])))
    elif what == "sample":
        records += sample(*words)
attr = struct.pack("<IIQQQQQ", 0, 112, 0, 1000, SAMPLE_TYPE, 0, ATTR_FLAGS).ljust(ATTR_SIZE, b"\0")
start = HEADER_SIZE + ATTR_SIZE
header = struct.pack("<8s12Q", b"PERFILE2", HEADER_SIZE, ATTR_SIZE, HEADER_SIZE, ATTR_SIZE, start, len(records), 0, 0, 0, 0, 0, 0)
with open(output, "wb") as f:
    f.write(header + attr + records)
