"""What a server of tests/spans wrote down (requests.h), and what list says of a recording of it."""
import bisect
import collections
import math

Request = collections.namedtuple("Request", "tid comm begin end outcome cause planted parts")
Span = collections.namedtuple("Span", "tid begin end step")
LOSSES = ("unfinished", "left", "lost", "strays")


def ns(x):
    return x.end - x.begin


def read_truth(path):
    requests = []
    for line in open(path):
        word, tid, comm, begin, end, outcome, cause, planted, *parts = line.split()
        parts = {k: int(v) for k, v in (p.split("=") for p in parts)}
        requests.append(Request(int(tid), comm, int(begin), int(end), outcome, cause, int(planted), parts))
    return sorted(requests, key=lambda r: r.begin)


class Recorded:
    """Spans of one name, as list prints them; problems: lines that contradict themselves."""

    def __init__(self, path, name):
        self.spans, self.losses, self.cost, self.problems = [], collections.Counter(), 0, []
        self.samples = 0
        for line in open(path):
            words = line.split()
            if words[0] == "bad":
                self.problems.append("not a detail of spans: " + line.strip())
            elif words[0] == "time":
                self.first, self.last = int(words[1]), int(words[2])
            elif words[0] == name:
                self.add(line, words)
        self.spans.sort()
        for a, b in zip(self.spans, self.spans[1:]):
            if a.tid == b.tid and b.begin < a.end:
                self.problems.append("spans overlap: %s %s" % (a, b))

    def add(self, line, words):
        tid, time, period, weight, step, cost = map(int, words[1:7])
        for name, nr in zip(LOSSES, words[7:11]):
            self.losses[name] += int(nr)
        self.cost = cost or self.cost
        self.samples += 1
        times = words[11:]
        if times and times[-1] == "bad":
            self.problems.append("a detail ends early: " + line.strip())
            times.pop()
        spans = [Span(tid, *map(int, t.split(":")), step) for t in times]
        total = sum(map(ns, spans)) * step
        # A sample without spans tells losses.
        if (spans and period != total) or weight != len(spans) * step:
            self.problems.append("period %d, weight %d of %d ns in %d spans" % (period, weight, total, len(spans) * step))
        if any(s.end > time or s.begin > s.end for s in spans):
            self.problems.append("a span ends after its sample: " + line.strip())
        self.spans += spans

    def at(self, tid, time):
        """The span of this thread at this time, or None."""
        i = bisect.bisect_right(self.spans, (tid, time, 1 << 64)) - 1
        s = self.spans[i] if i >= 0 else None
        return s if s and s.tid == tid and s.begin <= time <= s.end else None


def quantile(durations, share):
    """By nearest rank. durations: sorted [(ns, times)]."""
    rank = math.ceil(share * sum(n for _, n in durations))
    nr = 0
    for d, n in durations:
        nr += n
        if nr >= rank:
            return d
    return durations[-1][0] if durations else 0
