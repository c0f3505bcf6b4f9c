#!/usr/bin/env python3
"""Compares what perf says of waits with what the waiting program wrote down (truth.py, steps.h).

    judge.py truth TRUTH SCRIPT          TRUTH itself, by sched:sched_waking (perf script --ns -F tid,time,trace)
    judge.py recorder TRUTH SPANS        waits and their wakers, as SPANS (the output of spans) has them
    judge.py report TRUTH SPANS JSON     locks and holders in perf report -s comm,lock,holder --json
    judge.py goroutines JSON             the same, of Go: no thread is named for a lock of goroutines
    judge.py blocked TRUTH SPANS JSON    perf report --blocked-by --children -g none -s comm,sym --json
    judge.py path NS ROW JSON            perf report --critical-path --json: its sum is NS, and ROW, words "KEY=TEXT",
                                         is in its first row
    judge.py inside FUNCTION JSON        the same with --children -s sym: nearly all of the time in which threads of the
                                         path run or sleep is in this function
    judge.py parts FILE JSON             the same with -s comm: the lines "COMM NS" of FILE are its rows

Lines "# ..." are figures, lines "wrong: ..." what differs; the status is 1 if there are any. Spans count if they are in a
call that waited, by the program's clock, which is that of the recording (record -k mono).
"""
import collections
import json
import re
import sys

from truth import Truth

HOLDERS = ("mutex", "rwlock")
BY_FUTEX, HARDIRQ, SOFTIRQ, BY_THREAD = 1, 2, 4, 8  # enum waking_flag
READY = "[ready, not running]"
Span = collections.namedtuple("Span", "tid begin woken end op flags waker")
wrong = []


def figure(text):
    print("# " + text)


def is_wrong(text):
    wrong.append(text)
    if len(wrong) <= 20:
        print("wrong: " + text)


def read_spans(path):
    """Spans of waits; those without details are wrong."""
    spans = []
    for line in open(path):
        words = line.split()
        if words[0] == "details":
            is_wrong("a sample without details: " + line.strip())
        if words[0] != "offcpu":
            continue
        tid, op, flags, waker = int(words[1]), int(words[6], 16), int(words[7], 16), int(words[8])
        for s in words[10:]:
            spans.append(Span(tid, *map(int, s.split(":")), op, flags, waker))
    return spans


def by_wait(truth, spans):
    """[(wait, [span...])]: of each call that waited."""
    found = {id(w): (w, []) for w in truth.waits}
    for s in spans:
        w = truth.wait_at(s.tid, (s.begin + s.end) // 2)
        if w:
            found[id(w)][1].append(s)
    return list(found.values())


def is_known(span, kind):
    """Did a thread wake it, by what it did? The end of a thread is no system call on the futex."""
    by_thread = span.flags & BY_THREAD and not span.flags & (HARDIRQ | SOFTIRQ)
    return bool(by_thread and (span.flags & BY_FUTEX or kind == "join"))


def judge_waker(truth, wait, span, counts):
    wakers = truth.wakers(wait, span)
    kind = truth.kinds[wait.lock]
    known = is_known(span, kind)
    if not wakers and (kind == "rwlock" or not known):
        # a timer, a signal, or with glibc's rwlock, a reader that came and lets others read, too
        counts["of nobody who lets go"] += 1
    elif not known:
        counts["unknown"] += 1
    elif span.waker in wakers:
        counts["right"] += 1
        counts["one of several"] += len(wakers) > 1
    else:
        counts["wrong"] += 1
        if counts["wrong"] <= 5:
            is_wrong("%s waited for %s until %d: woken by %s, recorded: %s (flags %x)" % (
                wait.comm, wait.lock, span.woken, [truth.comms[t] for t in wakers],
                truth.comms.get(span.waker, span.waker), span.flags))


def judge_recorder(truth, spans):
    counts, silent, steps = collections.Counter(), 0, len(truth.waits) < 1000
    ns = collections.Counter()
    for wait, own in by_wait(truth, spans):
        silent += not own and wait.end - wait.begin > 200000  # else it may get the lock before it sleeps
        for s in own:
            judge_waker(truth, wait, s, counts)
            ns[wait.lock, "seen"] += s.end - s.begin
        if own:
            ns[wait.lock, "true"] += wait.end - wait.begin
    figure("%d calls waited; of the spans in them: %s; %d longer calls have none" % (
        len(truth.waits), ", ".join("%s %d" % c for c in sorted(counts.items())), silent))
    if counts["right"] < 0.99 * (counts["right"] + counts["wrong"]) or not counts["right"]:
        is_wrong("of %d known wakers, %d are right" % (counts["right"] + counts["wrong"], counts["right"]))
    if counts["unknown"] > 0.05 * sum(counts.values()):
        is_wrong("%d wakers are unknown" % counts["unknown"])
    # A call may be preempted before it sleeps, and need not then. For a PI mutex the kernel spins while the owner runs.
    spins = any(w.lock.startswith("pi_") for w in truth.waits)
    if steps and silent > (0.5 if spins else 0.05) * len(truth.waits):
        is_wrong("%d of %d calls have no span" % (silent, len(truth.waits)))
    for lock in sorted({w.lock for w in truth.waits}):
        true, seen = ns[lock, "true"], ns[lock, "seen"]
        least = 0.5 if spins else 0.95  # spinning is time on the CPU
        if steps and not least * true <= seen <= 1.05 * true:
            is_wrong("%s: %.1f ms waited, seen %.1f ms" % (lock, true / 1e6, seen / 1e6))


def judge_truth(truth, path):
    """Each waking in a call that waited is by a thread that lets go."""
    counts = collections.Counter()
    for line in open(path):
        m = re.match(r"\s*(\d+)\s+(\d+)\.(\d{9}):.*\bpid=(\d+)", line)
        if not m:
            continue
        time, tid = int(m.group(2) + m.group(3)), int(m.group(4))
        wait = truth.wait_at(tid, time)
        if not wait:
            continue
        wakers = truth.wakers(wait, Span(tid, 0, time, time, 0, 0, 0))
        last = int(m.group(1)) == wait.last
        if int(m.group(1)) in wakers:
            counts["of one who lets go"] += 1
            counts["of the last one who let go"] += last
        elif not wakers and truth.kinds[wait.lock] == "rwlock":
            counts["of a reader that came"] += 1
        else:
            is_wrong("%s was woken by %s, not by %s: %s" % (wait.comm, m.group(1), wakers, line.strip()))
    figure("wakings in %d calls: %s" % (len(truth.waits), ", ".join("%s %d" % c for c in sorted(counts.items()))))
    if counts["of one who lets go"] < 0.9 * len(truth.waits):
        is_wrong("the tracepoint saw too few wakings")


# ---- the report ----

def read_table(path):
    """The rows of the table of times, and its sum."""
    report = json.load(open(path))
    for table in report["tables"]:
        if table.get("kind") == "times":
            return table["rows"], table["period"]
    is_wrong("the report has no table of times")
    return [], 0


ROLES = {"mutex": "", "rwlock": "", "condition": "signalled by ", "semaphore": "posted by ", "barrier": "last to arrive: ",
         "join": "ended: "}
WORDS = {"condition": "condition variable"}


def lock_of(truth, text):
    """Which lock has this name in the report? Its kind and its variable, or the function that waited for it first; in a
    stripped program, the first and the second lock of one place."""
    for name, kind in truth.kinds.items():
        word = WORDS.get(kind, kind)
        if text == "%s %s" % (word, name) or text.startswith("%s of %s (" % (word, name)):
            return name
        if kind == "join" and re.fullmatch("thread( .*-child)?", text):
            return name
    return None


def name_by_sums(rows, expected):
    """{text: lock} for locks that have no variable's name: whose waits, by thread, are nearest to those of the text."""
    sums = collections.defaultdict(collections.Counter)
    for r in rows:
        sums[r["lock"]][r["comm"]] += r["waiting"]
    true = collections.defaultdict(collections.Counter)
    for (comm, lock), ns in expected.items():
        true[lock][comm] += sum(ns.values())

    def distance(text, lock):
        return sum(abs(sums[text][c] - true[lock][c]) for c in set(sums[text]) | set(true[lock]))

    return {text: min(true, key=lambda lock: distance(text, lock)) for text in sums}


def expected_rows(truth, spans):
    """{(comm, lock): {tid of who let go: ns}}; tid 0: nobody. If several may have let go, it is the one that was
    recorded if it is one of them."""
    rows = collections.defaultdict(collections.Counter)
    for wait, own in by_wait(truth, spans):
        for s in own:
            wakers = truth.wakers(wait, s)
            waker = s.waker if s.waker in wakers else min(wakers, default=0)
            waker = waker if is_known(s, truth.kinds[wait.lock]) else 0  # it may be a timer, as well
            rows[wait.comm, wait.lock][waker] += s.end - s.begin
    return rows


def judge_holders(truth, comm, lock, seen, true):
    """seen: {text of the holder: ns}, true: as in expected_rows. Return ns of named and of wrong holders."""
    named = wrong_ns = 0
    for text, ns in seen.items():
        m = re.fullmatch(re.escape(ROLES[truth.kinds[lock]]) + r"(.*) (\d+)", text)
        if re.match("unknown|-$|interrupt|woken by ", text):
            continue
        named += ns
        tid = int(m.group(2)) if m else -1
        ok = min(ns, true[tid])
        comm_is_right = m and truth.comms.get(tid) == m.group(1)
        bad = ns - ok if comm_is_right else ns
        wrong_ns += bad
        if bad > 0.01 * ns + 1000:
            is_wrong("%s at %s: %.3f ms by '%s', of which %.3f ms are somebody else's" % (
                comm, lock, ns / 1e6, text, bad / 1e6))
    return named, wrong_ns


def judge_report(truth, spans, path):
    rows, _ = read_table(path)
    seen = collections.defaultdict(collections.Counter)
    others = collections.Counter()
    expected = expected_rows(truth, spans)
    nameless = name_by_sums([r for r in rows if re.match(r"(mutex|rwlock) of .*@0x", r["lock"])], expected)
    for r in rows:
        lock = lock_of(truth, r["lock"]) or nameless.get(r["lock"])
        if lock:
            seen[r["comm"], lock][r["holder"]] += r["waiting"]
        elif r["lock"] != "-":
            others[r["lock"]] += r["waiting"]
    named = wrong_ns = all_ns = 0
    for (comm, lock), true in sorted(expected.items()):
        ns, found = sum(true.values()), sum(seen[comm, lock].values())
        all_ns += ns - true[0]
        if abs(found - ns) > 0.01 * ns + 1000000:
            is_wrong("%s waited %.3f ms for '%s', seen %.3f ms; other names: %s" % (
                comm, ns / 1e6, lock, found / 1e6, {k: "%.1f ms" % (v / 1e6) for k, v in others.items()}))
            continue
        n, w = judge_holders(truth, comm, lock, seen[comm, lock], true)
        named, wrong_ns = named + n, wrong_ns + w
    sums = "%.1f ms waited, %.1f ms with a named holder, of which %.3f ms are wrong" % (
        all_ns / 1e6, named / 1e6, wrong_ns / 1e6)
    figure(sums)
    if wrong_ns > 0.01 * named or named < 0.9 * all_ns:
        is_wrong(sums)


def is_inside(inner, outer):
    return inner.tid == outer.tid and outer.got <= inner.got and inner.after <= outer.before


def blocked_by_function(truth, spans):
    """{(comm of the holder, function): ns that others lost}, and the sum of these waits up to their wakings. A hold in
    hold_nested takes another lock meanwhile."""
    lost, total = collections.Counter(), 0
    nests = [h for h in truth.holds if h.function == "hold_nested"]
    inners = {n: [h for h in truth.holds if h != n and is_inside(h, n)] for n in nests}
    outers = {h: n for n, holds in inners.items() for h in holds}
    for wait, own in by_wait(truth, spans):
        if truth.kinds[wait.lock] not in HOLDERS:
            continue
        for s in own:
            if not is_known(s, truth.kinds[wait.lock]):
                continue
            total += s.woken - s.begin
            for hold, ns in truth.held(wait.lock, s.begin, s.woken):
                if hold.tid == wait.tid:
                    continue
                lost[hold.comm, hold.function] += ns
                if hold in outers:
                    lost[hold.comm, "hold_nested"] += ns
                for inner in inners.get(hold, []):
                    ns = min(inner.before, s.woken) - max(inner.got, s.begin)
                    lost[hold.comm, inner.function] += max(0, ns)
    return lost, total


def judge_blocked(truth, spans, path):
    rows, period = read_table(path)
    lost, total = blocked_by_function(truth, spans)
    figure("%.3f ms are blamed, of %.3f ms that others waited" % (period / 1e6, total / 1e6))
    if abs(period - total) > 0.01 * total:
        is_wrong("the sum is %.3f ms, others waited %.3f ms" % (period / 1e6, total / 1e6))
    if "hold_computing" not in open(path).read():  # a stripped program
        lost = {}
    seen = collections.Counter()
    for r in rows:
        seen[r["comm"], r["symbol"]["name"]] += r["period_children"]
    is_shared = "rwlock" in truth.kinds.values()  # of several readers, the last one to let go is blamed
    for (comm, function), ns in sorted(lost.items()):
        # A holder that waits for a processor is in no function.
        most, ready = seen[comm, function], seen[comm, READY]
        figure("%s %s: others lost %.1f ms, seen %.1f ms, and %s not running %.1f ms" % (
            comm, function, ns / 1e6, most / 1e6, comm, ready / 1e6))
        if most > ns + 0.03 * total or (most + ready < ns - 0.03 * total and not is_shared):
            is_wrong("%s %s: others lost %.1f ms of %.1f, seen %.1f ms" % (
                comm, function, ns / 1e6, total / 1e6, most / 1e6))
    # hold_nested calls hold_computing
    keys = [k for k in lost if k[1] != "hold_computing" or (k[0], "hold_nested") not in lost]
    all_seen = sum(seen[k] for k in keys) + sum(seen[comm, READY] for comm in {comm for comm, _ in keys})
    # Short holds: letting go and the next one's taking are a part of the time, too. A reader is blamed also for what it
    # did before it came.
    if lost and all_seen < (0.7 if is_shared else 0.9) * total:
        is_wrong("of %.1f ms, %.1f ms are in functions that held a lock" % (total / 1e6, all_seen / 1e6))


def judge_goroutines(path):
    rows, _ = read_table(path)
    named = {(r["lock"], r["holder"]): r["waiting"] for r in rows
             if re.match("mutex|rwlock", r["lock"]) and re.search(r"\d$", r["holder"])
             and not re.search("runtime", r["lock"])}
    figure("%.1f ms waited by all; %d holders are named" % (sum(r["waiting"] for r in rows) / 1e6, len(named)))
    for (lock, holder), ns in named.items():
        is_wrong("%s: %.1f ms by %s" % (lock, ns / 1e6, holder))


def judge_path(true_ns, words, path):
    rows, period = read_table(path)
    figure("the path has %.3f ms, the clock %.3f ms" % (period / 1e6, true_ns / 1e6))
    if abs(period - true_ns) > 0.01 * true_ns:
        is_wrong("the path has %.3f ms, the clock %.3f ms" % (period / 1e6, true_ns / 1e6))
    if not rows:
        is_wrong("the path has no rows")
        return
    first = rows[0]
    figure("row 1: %s, %.1f%%" % (json.dumps({k: v for k, v in first.items() if k not in ("callees", "callers")}),
                                  100 * first["period"] / period))
    for word in words.split():
        key, text = word.split("=")
        if text not in json.dumps(first.get(key, "")):
            is_wrong("row 1 has not %s '%s': %s" % (key, text, json.dumps(first.get(key))))


def judge_inside(function, path):
    rows, period = read_table(path)
    ns = {r["symbol"]["name"]: r["period_children"] for r in rows}
    inside, ready = ns.get(function, 0), ns.get(READY, 0)
    figure("of %.1f ms, threads were ready for %.1f ms; %.1f ms were in %s" % (period / 1e6, ready / 1e6, inside / 1e6, function))
    if inside < 0.85 * (period - ready):
        is_wrong("of %.1f ms, %.1f ms are in %s" % ((period - ready) / 1e6, inside / 1e6, function))


def judge_parts(truth, path):
    rows, period = read_table(path)
    seen = collections.Counter()
    for r in rows:
        seen[r["comm"]] += r["period"]
    parts = dict(line.split() for line in open(truth))
    total = int(parts.pop("all"))
    may_differ = 0.01 * total + 3000000 + max(0, period - total)  # the path begins before main, and ends after it
    may_differ += int(parts.pop("unsure"))
    for comm, ns in parts.items():
        figure("%s: %.3f ms, seen %.3f ms" % (comm, int(ns) / 1e6, seen[comm] / 1e6))
        if abs(seen.pop(comm, 0) - int(ns)) > may_differ:
            is_wrong("the part of %s is not so long" % comm)
    figure("others: %.3f ms, of %.3f ms" % (sum(seen.values()) / 1e6, period / 1e6))
    if sum(seen.values()) > may_differ:
        is_wrong("others have a part: %s" % dict(seen))


def main():
    what, *args = sys.argv[1:]
    if what == "path":
        judge_path(int(args[0]), args[1], args[2])
        return
    if what == "goroutines":
        judge_goroutines(*args)
        return
    if what in ("inside", "parts"):
        (judge_inside if what == "inside" else judge_parts)(*args)
        return
    truth = Truth(args[0])
    if what == "truth":
        judge_truth(truth, args[1])
        return
    spans = read_spans(args[1])
    if what == "recorder":
        judge_recorder(truth, spans)
    elif what == "report":
        judge_report(truth, spans, args[2])
    elif what == "blocked":
        judge_blocked(truth, spans, args[2])
    else:
        sys.exit("judge.py: unknown judgement '%s'" % what)


main()
sys.exit(bool(wrong))
