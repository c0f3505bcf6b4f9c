#!/usr/bin/env python3
"""Compares what perf says of spans with what the server wrote down (truth.py, requests.h).

    judge.py recorder NAME TRUTH LIST    spans of the recording, as list prints them, one by one
    judge.py slower NAME LIST JSON       perf report --slower p99 --json: all its time is that of spans that are so long
    judge.py faster NAME LIST JSON       the same of --faster p50
    judge.py script NAME LIST SCRIPT     perf script --slower p99 --ns -F tid,time: all samples are in such spans

    judge.py table TRUTH JSON            perf report --span --json: quantiles, numbers, and the time of planted waits
    judge.py why CAUSE TRUTH JSON        perf report --span --why --json: row 1 is what was planted

Lines "# ..." are figures, lines "wrong: ..." what differs; the status is 1 if there are any. The program's clock is
that of the recording (record -k mono).
"""
import collections
import json
import re
import sys

from truth import LOSSES, Recorded, ns, quantile, read_truth

wrong = []


def figure(text):
    print("# " + text)


def is_wrong(text):
    wrong.append(text)
    if len(wrong) <= 20:
        print("wrong: " + text)


def is_near(share, seen, true, cost):
    """Is a quantile within 3%, and what it costs to record a span? Of few spans, one that was preempted between the two
    clocks moves the others by a rank."""
    ranks = [quantile(true, share + more / len(true)) for more in (-2, 0, 2)]
    p = quantile(seen, share)
    text = "p%g: %.3f us, by the program's clock %.3f us" % (100 * share, p / 1e3, ranks[1] / 1e3)
    figure(text)
    if not 0.97 * ranks[0] <= p <= 1.03 * ranks[2] + cost:
        is_wrong(text + " (a span costs %d ns)" % cost)


def of_requests(requests):
    return sorted((ns(r), 1) for r in requests)


def of_spans(spans):
    return sorted((ns(s), s.step) for s in spans)


def judge_matches(requests, recorded):
    """Each request that returned is a span, and each span is such a request. Return the requests without one."""
    found, missing, longer = set(), [], []
    for r in requests:
        s = recorded.at(r.tid, (r.begin + r.end) // 2)
        if s and r.outcome != "returned":
            is_wrong("a request that did not return (%s) is a span: %s, %s" % (r.outcome, r, s))
        elif s and s.begin > r.begin:
            is_wrong("a span begins after its request: %s %s" % (s, r))
        elif s in found:
            is_wrong("two requests in one span: %s" % (s,))
        elif s:
            longer.append(ns(s) - ns(r))
            found.add(s)
        elif r.outcome == "returned":
            missing.append(r)
    for s in recorded.spans:
        if s not in found:
            is_wrong("a span that is no request: %s" % (s,))
    longer.sort()
    if longer:
        figure("spans are longer than by the program's clock: median %d ns, 99%% %d ns; recorded cost %d ns" % (
            longer[len(longer) // 2], longer[len(longer) * 99 // 100], recorded.cost))
        if not recorded.cost:
            is_wrong("the recording does not say what a span costs")
        elif longer[len(longer) // 2] > recorded.cost:
            is_wrong("the median span is %d ns longer than its request, the recording says %d" % (
                longer[len(longer) // 2], recorded.cost))
    return missing


def judge_recorder(requests, recorded, is_go):
    outcomes = collections.Counter(r.outcome for r in requests)
    steps = sorted({s.step for s in recorded.spans})
    figure("%d requests (%s); %d spans in %d samples, steps %s; %s" % (
        len(requests), ", ".join("%s %d" % o for o in sorted(outcomes.items())), len(recorded.spans), recorded.samples,
        steps[:5], ", ".join("%s %d" % (n, recorded.losses[n]) for n in LOSSES)))
    for p in recorded.problems[:5]:
        is_wrong(p)
    returned, moved = [r for r in requests if r.outcome == "returned"], 0
    if steps and steps[-1] == 1:
        missing = judge_matches(requests, recorded)
        left = outcomes["thrown"] + outcomes["jumped"]
        # Go moves stacks: the end of a call that began elsewhere is a stray, and its begin is left.
        moved = min(recorded.losses["left"] - left, recorded.losses["strays"]) if is_go else 0
        figure("%d are told as moved" % moved)
        missing = missing[moved:]
        if len(missing) > recorded.losses["lost"]:
            is_wrong("%d requests are missing, %d are told as lost; the first: %s" % (
                len(missing), recorded.losses["lost"], missing[:1]))
        if recorded.losses["lost"] > len(missing):
            is_wrong("%d spans are told as lost, of which %d are there" % (
                recorded.losses["lost"], recorded.losses["lost"] - len(missing)))
        # A thread that ends after such a request has not begun another one.
        last = min(left, recorded.losses["unfinished"] - outcomes["exited"], 4)
        left, outcomes["exited"] = left - last, outcomes["exited"] + last
        for name, told in ("left", left + moved), ("unfinished", outcomes["exited"]), ("strays", moved):
            if recorded.losses[name] != told:
                is_wrong("%d requests are %s, told: %d" % (told, name, recorded.losses[name]))
    else:
        told = sum(s.step for s in recorded.spans) + recorded.losses["lost"]
        if abs(told - len(returned)) > 0.03 * len(returned):
            is_wrong("spans stand for %d, of %d requests" % (told, len(returned)))
    true, seen = of_requests(returned), of_spans(recorded.spans)
    # A sample takes some 20 us: where a span takes 2 us, many of the slowest 1% were interrupted by one on the way from
    # one clock to the other.
    # Calls in which Go moves the stack are among the slowest, and missing.
    for share in (0.5, 0.99) if quantile(true, 0.5) > 100000 and not moved else (0.5,):
        is_near(share, seen, true, recorded.cost)


# ---- filters ----

def read_sum(path):
    """The table of times: its sum, that of its rows, and what it says of spans."""
    for table in json.load(open(path))["tables"]:
        if table.get("kind") == "times":
            return table["period"], sum(r["self_time"] for r in table["rows"]), table.get("in_spans", {})
    is_wrong("the report has no table of times")
    return 0, 0, {}


def judge_limit(recorded, path, is_slower):
    durations = of_spans(recorded.spans)
    limit = quantile(durations, 0.99 if is_slower else 0.5)
    chosen = [(d, n) for d, n in durations if (d >= limit if is_slower else d <= limit)]
    total, nr = sum(d * n for d, n in chosen), sum(n for _, n in chosen)
    period, rows, said = read_sum(path)
    figure("%d spans, %.3f ms; the report has %.3f ms, its rows %.3f ms" % (nr, total / 1e6, period / 1e6, rows / 1e6))
    if period != total or rows != total:
        is_wrong("the spans have %d ns, the report %d, its rows %d" % (total, period, rows))
    if said.get("spans") != nr or said.get("ns") != total:
        is_wrong("%d spans of %d ns; told: %s" % (nr, total, said))


def judge_script(recorded, path):
    limit, outside, nr = quantile(of_spans(recorded.spans), 0.99), 0, 0
    for line in open(path):
        m = re.match(r"\s*(\d+)\s+(\d+)\.(\d{9}):", line)
        if m:
            nr += 1
            s = recorded.at(int(m.group(1)), int(m.group(2) + m.group(3)))
            outside += not s or ns(s) < limit
    figure("%d samples" % nr)
    if outside or not nr:
        is_wrong("of %d samples, %d are not in slow spans" % (nr, outside))


# ---- the table ----

def judge_table(requests, path):
    table = json.load(open(path))["spans"][0]
    returned = [r for r in requests if r.outcome == "returned"]
    true, missing = of_requests(returned), table["missing"]
    lost = missing["lost"] + (min(missing["left"], missing["began_before"]) if missing["began_before"] else 0)
    figure("%d spans, %d requests returned; missing: %s" % (table["number"], len(returned), missing))
    if table["number"] + lost != len(returned):
        is_wrong("%d spans and %d lost ones, of %d requests" % (table["number"], lost, len(returned)))
    for q in table["quantiles"]:
        if q["share"] in (0.5, 0.99):
            is_near(q["share"], [(q["ns"], 1)], true, table["cost"])
    if sum(b["number"] for b in table["histogram"]) != table["number"]:
        is_wrong("the histogram does not have all spans")
    for group in range(3):
        ns, parts = table["groups"][group]["ns"], sum(r["ns"][group] for r in table.get("reasons", []))
        if parts != ns:
            is_wrong("the reasons have %d of %d ns" % (parts, ns))
    planted = sum(r.planted for r in returned if r.cause == "lock")
    seen = sum(r["ns"][0] for r in table.get("reasons", []) if "db_lock" in r.get("lock", ""))
    if planted:
        figure("%.3f ms waited for db_lock, seen %.3f ms" % (planted / 1e6, seen / 1e6))
        if not 0.9 * planted <= seen <= 1.05 * planted:
            is_wrong("%.3f ms waited for db_lock, seen %.3f ms" % (planted / 1e6, seen / 1e6))


# ---- why ----

def words_of(x):
    return [x] if isinstance(x, str) else list(x or [])


def is_cause(cause, r):
    """Is a row of --why about what was planted?"""
    functions = words_of(r.get("function")) + words_of(r.get("calls")) + words_of(r.get("callers"))

    def has(name):
        return any(name in re.sub("_", "", f).lower() for f in functions)

    if cause == "lock":
        return r["type"] == "wait" and "db_lock" in r.get("lock", "") and (
            "flush" in r.get("ended_by", "") + r.get("thread", ""))
    if cause == "faults":
        return has("touchpages") and r["type"] in ("page faults", "on the CPU")
    if cause == "cpu":
        return r["type"] == "ready"
    if cause == "loop":
        return r["type"] == "on the CPU" and has("computehash")
    return r["type"] == "wait" and has("retrybackoff")


def mean_of(requests, get):
    return sum(map(get, requests)) / len(requests)


def judge_named(why, requests):
    """What is named without a fault, and by the clocks of the program."""
    slow = requests[-why["slow"]["number"]:]
    fast = requests[:why["fast"]["number"]]

    def more(get):
        return (mean_of(slow, get) - mean_of(fast, get)) / 1e6

    figure("by the program's clocks, the slow ones take %.2f ms longer: %.2f ms more on the CPU, %.2f ms of answering, "
           "%.2f ms else" % (more(ns), more(lambda r: r.parts["cpu"]), more(lambda r: r.parts["answer"]),
                             more(lambda r: ns(r) - r.parts["cpu"] - r.parts["answer"])))
    for r in why.get("reasons", []):
        if r["named"]:
            is_wrong("named without a fault: %s" % r["words"])
    if why["verdict"] == "explained":
        is_wrong("explained without a fault: %s" % why["answer"])


# Of what a fault takes, so much at least is in its row: the rest of a fault by touch_pages is on the CPU.
LEAST = {"faults": 0.5, "cpu": 0.85}
# Others on the same CPU wait, too.
MOST = {"cpu": 2}


def judge_why(cause, requests, path):
    why = json.load(open(path))["spans"][0]["why"]
    requests = sorted((r for r in requests if r.outcome == "returned"), key=ns)
    named = [r for r in why.get("reasons", []) if r["named"]]
    figure("%s: %s" % (why["verdict"], why["answer"]))
    if cause == "none":
        judge_named(why, requests)
        return
    causes = cause.split(",")
    first = [next((c for c in causes if is_cause(c, r)), None) for r in named[:len(causes)]]
    if sorted(map(str, first)) != sorted(causes):
        is_wrong("planted: %s; named: %s" % (cause, [r["words"] for r in named[:len(causes)]]))
        return
    slow = requests[-why["slow"]["number"]:]
    for c, r in zip(first, named):
        true = mean_of(slow, lambda s: s.planted if s.cause == c else 0)
        figure("%s: %.2f ms longer, planted %.2f ms" % (c, r["own"] / 1e6, true / 1e6))
        if not LEAST.get(c, 0.85) * true - 300000 <= r["own"] <= MOST.get(c, 1.15) * true + 300000:
            is_wrong("%s: %.2f ms longer, planted %.2f ms in the %d slowest requests" % (
                c, r["own"] / 1e6, true / 1e6, len(slow)))


def main():
    what, *args = sys.argv[1:]
    if what == "recorder":
        judge_recorder(read_truth(args[1]), Recorded(args[2], args[0]), args[0].startswith("main."))
    elif what in ("slower", "faster"):
        judge_limit(Recorded(args[1], args[0]), args[2], what == "slower")
    elif what == "script":
        judge_script(Recorded(args[1], args[0]), args[2])
    elif what == "table":
        judge_table(read_truth(args[0]), args[1])
    elif what == "why":
        judge_why(args[0], read_truth(args[1]), args[2])
    else:
        sys.exit("judge.py: unknown judgement '%s'" % what)


main()
sys.exit(bool(wrong))
