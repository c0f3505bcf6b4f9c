"""What a recording of lock_steps with --off-cpu=locks must say.

usage: wait_details.py SAID BEGIN END [no-wakers] < perf script --ns -F event,tid,time,period,addr,weight,bpf-output

SAID: what lock_steps says. BEGIN, END: CLOCK_MONOTONIC around the recording, in ns; it was recorded with -k mono.
Decodes the details by itself, as util/format/records/wait_detail.h has them.
"""
import re
import struct
import sys

BY_FUTEX, BY_HARDIRQ, BY_SOFTIRQ, BY_THREAD = 1, 2, 4, 8
LINE = re.compile(r"\s*(\d+)\s+\d+\.\d+:\s+(\d+)\s+(offcpu-time|ended-waits|ready-time):\s+([0-9a-f]+)?\s*(\d+)?\s*$")
BYTES = re.compile(r"[0-9a-f]{4,}: ((?:[0-9a-f]{2} )+)")


def fail(text):
    sys.exit("wait_details: " + text)


def numbers(data):
    value = shift = 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield value
            value = shift = 0


class Sample:
    """A sample of one of the three events."""

    def __init__(self, match):
        self.tid, self.period = int(match[1]), int(match[2])
        self.event, self.addr = match[3], int(match[4] or "0", 16)
        self.weight = int(match[5] or 0)
        self.data = b""

    def decode(self):
        magic, self.op, self.flags, self.pid, self.other, nr, self.place = struct.unpack_from("<6IQ", self.data)
        if magic != 0x54494157:
            fail("bad magic %#x" % magic)
        n = numbers(self.data[32:])
        self.spans = [(next(n), next(n), next(n)) for _ in range(nr)]  # before the sample's time, lengths


def read(lines):
    samples = []
    for line in lines:
        match = LINE.match(line)
        if match:
            samples.append(Sample(match))
        elif samples and BYTES.search(line):
            samples[-1].data += bytes.fromhex(BYTES.search(line)[1])
    return samples


def times(samples, lines):
    """Give each sample its time: perf script prints ns with --ns."""
    stamps = [re.match(r"\s*\d+\s+(\d+)\.(\d{9}):", line) for line in lines if LINE.match(line)]
    for s, stamp in zip(samples, stamps):
        time = int(stamp[1]) * 1000000000 + int(stamp[2])
        s.spans = [(time - e - d, time - e - r, time - e) for e, d, r in s.spans]  # begin, woken, end


def only(what, found):
    if len(found) != 1:
        fail("%d waits %s" % (len(found), what))
    return found[0]


def main():
    said = dict((line.split()[0], line.split()[1:]) for line in open(sys.argv[1]))
    begin, end = int(sys.argv[2]), int(sys.argv[3])
    wakers = len(sys.argv) < 5
    mutex = int(said["mutex"][0], 16)
    main_tid, helper = map(int, said["threads"])
    lines = sys.stdin.read().splitlines()
    samples = read(lines)
    for s in samples:
        s.decode()
    times(samples, lines)
    if not samples:
        fail("no samples of waits")
    for s in samples:
        for b, w, e in s.spans:
            if not begin <= b <= w <= e <= end:
                fail("a span of %s %d is not in the recording: %d %d %d" % (s.event, s.tid, b, w, e))
        if s.event == "offcpu-time" and (len(s.spans) != s.weight or s.period != sum(e - b for b, _, e in s.spans)):
            fail("%d waits of %d ns, but spans %s" % (s.weight, s.period, s.spans))
    waits = [s for s in samples if s.event == "offcpu-time"]

    def during(tid, name):
        first, last = map(int, said[name])
        return [s for s in waits if s.tid == tid and s.period >= 20000000 and s.weight == 1
                and first <= s.spans[0][0] and s.spans[0][2] <= last]

    lock = only("for the mutex", [s for s in waits if s.addr == mutex])
    if lock not in during(main_tid, "lock") or lock.op != 128:
        fail("the wait for the mutex: thread %d, operation %d, %s" % (lock.tid, lock.op, lock.spans))
    join = only("for the helper's end", during(main_tid, "join"))
    sleeps = during(helper, "lock")  # the last one; on a busy machine, those before it may be long, too
    if not sleeps:
        fail("the helper did not sleep with the mutex")
    sleep = max(sleeps, key=lambda s: s.spans[0][0])
    if join.addr == mutex or sleep.addr:
        fail("a wait for the mutex that is none")
    if not wakers:
        if any(s.event == "ended-waits" for s in samples) or lock.flags or sleep.flags:
            fail("somebody is said to have woken, though this was not recorded")
        return
    if lock.flags != BY_FUTEX | BY_THREAD or lock.other != helper:
        fail("the mutex was let go by %d, flags %d" % (lock.other, lock.flags))
    if not [s for s in samples if s.event == "ended-waits" and s.tid == helper and s.place == lock.place and s.addr == mutex]:
        fail("no sample of the thread that let go")
    if not join.flags & BY_THREAD or join.flags & (BY_HARDIRQ | BY_SOFTIRQ) or join.other != helper:
        fail("the join was ended by %d, flags %d" % (join.other, join.flags))
    if not sleep.flags & (BY_HARDIRQ | BY_SOFTIRQ) or sleep.other:
        fail("the sleep was ended by %d, flags %d" % (sleep.other, sleep.flags))


main()
