"""What a program of tests/locks wrote down (see steps.h), and what follows from it."""
import bisect
import collections

Wait = collections.namedtuple("Wait", "lock comm tid begin end last")
Hold = collections.namedtuple("Hold", "lock comm tid got before after function")


class Truth:
    def __init__(self, path):
        self.kinds, self.waits, self.holds = {}, [], []
        for line in open(path):
            word, *rest = line.split()
            if word == "lock":
                self.kinds[rest[0]] = rest[1]
            elif word == "wait":
                self.waits.append(Wait(*rest[:2], *map(int, rest[2:])))
            elif word == "hold":
                self.holds.append(Hold(*rest[:2], *map(int, rest[2:6]), rest[6]))
        self.by_tid = collections.defaultdict(list)
        for w in sorted(self.waits, key=lambda w: w.begin):
            self.by_tid[w.tid].append(w)
        self.begins = {tid: [w.begin for w in waits] for tid, waits in self.by_tid.items()}
        self.by_lock = collections.defaultdict(list)
        for h in sorted(self.holds, key=lambda h: h.before):
            self.by_lock[h.lock].append(h)
        self.befores = {lock: [h.before for h in holds] for lock, holds in self.by_lock.items()}
        self.longest = {lock: max(h.before - h.got for h in holds) for lock, holds in self.by_lock.items()}
        # of a lock, each thread's times of letting go, which do not overlap
        self.lets = collections.defaultdict(lambda: collections.defaultdict(list))
        for lock, holds in self.by_lock.items():
            for h in holds:
                self.lets[lock][h.tid].append((h.before, h.after))
        self.comms = {x.tid: x.comm for x in self.waits + self.holds}

    def wait_at(self, tid, time):
        """The call of this thread that waited at this time, or None."""
        i = bisect.bisect_right(self.begins.get(tid, []), time) - 1
        w = self.by_tid[tid][i] if i >= 0 else None
        return w if w and time <= w.end else None

    def wakers(self, wait, span):
        """The tids that were letting go of the wait's lock when the span's thread was woken: one, unless one of them
        was interrupted there. A thread can be woken before it sleeps."""
        begin = wait.begin if span.woken == span.begin else span.woken
        wakers = set()
        for tid, lets in self.lets[wait.lock].items():
            i = bisect.bisect_right(lets, (span.woken, 1 << 64)) - 1
            if i >= 0 and lets[i][1] >= begin and tid != wait.tid:
                wakers.add(tid)
        return wakers

    def held(self, lock, begin, end):
        """(hold, ns) of each hold of the lock that overlaps this time."""
        holds = self.by_lock[lock]
        for i in range(bisect.bisect_left(self.befores[lock], begin), len(holds)):
            h = holds[i]
            if h.before - self.longest[lock] > end:
                break
            ns = min(h.before, end) - max(h.got, begin)
            if ns > 0:
                yield h, ns
