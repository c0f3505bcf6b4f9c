"""What a recording of lock_steps with --off-cpu=locks must say.

usage: wait_details.py SAID BEGIN END [no-wakers] < output of tests/locks/spans

SAID: what lock_steps says. BEGIN, END: CLOCK_MONOTONIC around the recording, in ns; it was recorded with -k mono.
"""
import sys

BY_FUTEX, BY_HARDIRQ, BY_SOFTIRQ, BY_THREAD = 1, 2, 4, 8


def fail(text):
    sys.exit("wait_details: " + text)


class Sample:
    """A line of spans."""

    def __init__(self, line):
        event, tid, time, period, weight, addr, op, flags, other, place, *spans = line.split()
        self.event, self.tid, self.time, self.period, self.weight = event, int(tid), int(time), int(period), int(weight)
        self.addr, self.op, self.flags, self.other, self.place = int(addr, 16), int(op, 16), int(flags, 16), int(other), place
        self.spans = [tuple(map(int, span.split(":"))) for span in spans]  # begin, woken, end


def only(what, found):
    if len(found) != 1:
        fail("%d waits %s" % (len(found), what))
    return found[0]


def check_times(samples, begin, end):
    for s in samples:
        for b, w, e in s.spans:
            if not begin <= b <= w <= e <= s.time <= end:
                fail("a span of %s %d is not in the recording: %d %d %d" % (s.event, s.tid, b, w, e))
        if s.event == "offcpu" and (len(s.spans) != s.weight or s.period != sum(e - b for b, _, e in s.spans)):
            fail("%d waits of %d ns, but spans %s" % (s.weight, s.period, s.spans))


def main():
    said = dict((line.split()[0], line.split()[1:]) for line in open(sys.argv[1]))
    mutex = int(said["mutex"][0], 16)
    main_tid, helper = map(int, said["threads"])
    lines = sys.stdin.read().splitlines()
    if not lines or any(line.startswith("details") for line in lines):
        fail("samples without details, or none")
    samples = [Sample(line) for line in lines]
    check_times(samples, int(sys.argv[2]), int(sys.argv[3]))
    waits = [s for s in samples if s.event == "offcpu"]

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
    if sleep.addr:
        fail("the helper's sleep has a futex")
    if len(sys.argv) > 4:
        if any(s.event == "ended" for s in samples) or lock.flags or sleep.flags:
            fail("somebody is said to have woken, though this was not recorded")
        return
    if lock.flags != BY_FUTEX | BY_THREAD or lock.other != helper:
        fail("the mutex was let go by %d, flags %d" % (lock.other, lock.flags))
    if not [s for s in samples if s.event == "ended" and s.tid == helper and s.place == lock.place and s.addr == mutex]:
        fail("no sample of the thread that let go")
    if not join.flags & BY_THREAD or join.flags & (BY_HARDIRQ | BY_SOFTIRQ) or join.other != helper:
        fail("the join was ended by %d, flags %d" % (join.other, join.flags))
    # Beside other recorders, wakings by timers are missing at times: unknown, but never a thread.
    if sleep.flags and not sleep.flags & (BY_HARDIRQ | BY_SOFTIRQ) or sleep.other:
        fail("the sleep was ended by %d, flags %d" % (sleep.other, sleep.flags))


main()
