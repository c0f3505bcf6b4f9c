#!/usr/bin/env python3
"""Make a recording with LBR call stacks of one with frame pointers, for machines whose processor has none:

    lbr.py RECORDING OUTPUT SYMBOLS [branches]

RECORDING: one event, made with --call-graph fp and without -z. Its samples get a branch stack as the kernel makes it for
--call-graph lbr: for each caller the address of its call, and where the called function begins. SYMBOLS is what nm says of a
program at a fixed address; functions elsewhere begin where they were sampled. OUTPUT has no header features.

With "branches", samples have the calls as perf record -b has branches: without a call chain, from where the call begins.
"""
import bisect
import struct
import sys

SAMPLE_CALLCHAIN, SAMPLE_BRANCH_STACK = 1 << 5, 1 << 11
BRANCH_USER, BRANCH_ANY, BRANCH_CALL_STACK = 1 << 0, 1 << 3, 1 << 11
CALL_SIZE = 5  # bytes of a direct call on x86-64
CONTEXT_USER = (1 << 64) - 512
RECORD_SAMPLE = 9
SAMPLE_TYPE_OFFSET, BRANCH_TYPE_OFFSET = 24, 72  # in struct perf_event_attr

is_branches = sys.argv[4:] == ["branches"]
call_offset = CALL_SIZE if is_branches else 1
data = bytearray(open(sys.argv[1], "rb").read())
starts = sorted({int(line.split()[0], 16) for line in open(sys.argv[3]) if line.split()[1] in "tT" and line.split()[2] != "_init"})


def u64(at):
    return struct.unpack_from("<Q", data, at)[0]


def begin_of(address):
    i = bisect.bisect_right(starts, address) - 1
    return starts[i] if i >= 0 and address < starts[-1] + 4096 else address


_, _, _, attrs, attrs_size, offset, size = struct.unpack_from("<8sQQQQQQ", data)
kind = u64(attrs + SAMPLE_TYPE_OFFSET)
# Words before the chain. After it there is nothing: no raw data, branches, registers, stack, weight ...
before_chain = sum(kind >> bit & 1 for bit in (16, 0, 1, 2, 3, 6, 7, 8, 9))
assert kind & SAMPLE_CALLCHAIN and not kind & ~0x103ef, hex(kind)

out, at = bytearray(), offset
while at < offset + size:
    record, misc, length = struct.unpack_from("<IHH", data, at)
    body = data[at + 8:at + length]
    if record == RECORD_SAMPLE:
        nr = u64(at + 8 + 8 * before_chain)
        chain = struct.unpack_from("<%dQ" % nr, data, at + 16 + 8 * before_chain)
        user = chain[chain.index(CONTEXT_USER) + 1:] if CONTEXT_USER in chain else ()
        user = user[:user.index(0)] if 0 in user else user
        if is_branches:
            del body[8 * before_chain:]
        body += struct.pack("<Q", max(len(user) - 1, 0))
        for callee, caller in zip(user, user[1:]):
            body += struct.pack("<QQQ", caller - call_offset, begin_of(callee), 0)
    out += struct.pack("<IHH", record, misc, 8 + len(body)) + body
    at += length
struct.pack_into("<Q", data, attrs + SAMPLE_TYPE_OFFSET, (kind & ~SAMPLE_CALLCHAIN if is_branches else kind) | SAMPLE_BRANCH_STACK)
struct.pack_into("<Q", data, attrs + BRANCH_TYPE_OFFSET, BRANCH_USER | (BRANCH_ANY if is_branches else BRANCH_CALL_STACK))
struct.pack_into("<Q", data, 48, len(out))
struct.pack_into("<4Q", data, 72, 0, 0, 0, 0)  # no features
open(sys.argv[2], "wb").write(data[:offset] + out)
