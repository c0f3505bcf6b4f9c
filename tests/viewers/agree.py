#!/usr/bin/env python3
"""Hold all formats of a recording against each other:

    agree.py [--speedscope FOLDER] PERF RECORDING...

Of each event, the total weight, the functions with the largest weight themselves (20 and those equal to the 20th), and
those with the largest weight including what they call agree between the text report, report --json, perf script and the
formats of perf export and perf data convert. Each format is read here or by the program named below, not by our code.

Prints a table: for each recording and format how many functions were compared, or "differs". Details of differences
follow. The text report has percentages of two decimals in place of inclusive weights. With --speedscope, the folder of its
index.html, weights are also read from its page (speedscope_page.py), where they are rounded.

Functions are compared by name; an address without one in a binary is BINARY@0xADDRESS. Addresses elsewhere are one
function "?", without inclusive weight; perf script and data convert have all addresses without a name there. A name that
several functions of a recording have has no inclusive weight, either: formats without binaries cannot tell them apart.
"""
import atexit
import collections
import json
import os
import re
import shutil
import subprocess
import sys

import speedscope_page

try:
    import sqlite3
except ImportError:
    sqlite3 = None

TOP = 20
CLOCKS = ("cpu-clock", "task-clock")
page = None
if sys.argv[1] == "--speedscope":
    page = speedscope_page.Page(sys.argv[2])
    atexit.register(page.close)
    del sys.argv[1:3]
perf = sys.argv[1]


class Profile:
    """What a format says: by event its weight, and by function the weights itself and inclusive."""

    def __init__(self):
        self.weight = collections.Counter()
        self.self = collections.defaultdict(collections.Counter)
        self.total = collections.defaultdict(collections.Counter)
        self.percent = None  # text: inclusive shares
        self.rounded = collections.Counter()  # page: by event, kind and function how much weights may be off

    def add(self, event, weight, names):
        """names: from the innermost function on."""
        names = [name_of(n) for n in names]
        self.weight[event] += weight
        if not weight:
            return
        self.self[event][names[0] if names else "?"] += weight
        for name in set(names) - {"?"}:
            self.total[event][name] += weight


def name_of(name):
    return name if name and name != "[unknown]" else "?"


def row_name(dso, name):
    """Rows have addresses without a name as 0x..., or as 16 zeros."""
    if not re.search("^(0x)?[0-9a-f]{16}$|^0x[0-9a-f]+$", name):
        return name
    return "?" if dso == "[unknown]" else "%s@%#x" % (dso, int(name, 16))


def run(*args, **kwargs):
    done = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **kwargs)
    if done.returncode:
        raise RuntimeError("%s: %s" % (" ".join(args[1:4]), done.stderr.decode(errors="replace")[:300]))
    return done.stdout


def export(path, name, *options):
    return run(perf, "export", "-i", path, "--format", name, "--no-inline", *options)


REPORT = ("report", "--stdio", "--no-inline", "--max-stack", "1024", "-g", "none", "-s", "dso,sym")


def read_report_json(path, *options):
    p = Profile()
    p.unnamed = set()
    p.samples = collections.defaultdict(collections.Counter)
    rows = collections.defaultdict(collections.Counter)
    for t in json.loads(run(perf, *REPORT, "--json", "-i", path, *options))["tables"]:
        event = t["events"][0]
        p.weight[event] = t["period"]
        for r in t["rows"]:
            name = row_name(r["dso"], r["symbol"]["name"])
            if "unresolved" in r["symbol"]:
                p.unnamed.add(name)
            p.self[event][name] += r["period"]
            p.samples[event][name] += r["sample"]
            p.total[event][name] += r.get("period_children", r["period"])
            rows[event][name] += 1
    p.ambiguous = {e: {n for n, nr in c.items() if nr > 1} | {"?"} for e, c in rows.items()}
    return p


def read_text(path):
    p = Profile()
    p.percent = collections.defaultdict(lambda: collections.defaultdict(float))
    has_chains = b"overhead_children" in run(perf, *REPORT, "--json", "-i", path)
    share = "overhead_children" if has_chains else "overhead"
    text = run(perf, *REPORT, "-F", share + ",period,dso,sym", "-t", "|", "-i", path).decode(errors="replace")
    for line in text.splitlines():
        found = re.match(r"# Samples: .* of event '(.*)'$", line)
        if found:
            event = found.group(1)
        found = re.match(r"# Event count \(approx.\): (\d+)$", line)
        if found:
            p.weight[event] = int(found.group(1))
        if not line or line[0] == "#":
            continue
        percent, period, dso, symbol = line.split("|")
        name = row_name(dso.strip(), symbol.strip()[4:])
        p.self[event][name] += int(period)
        p.percent[event][name] += float(percent.strip(" %"))
    return p


def read_script(path):
    p = Profile()
    text = run(perf, "script", "-i", path, "--no-inline", "--max-stack", "1024", "--made-up-names",
               "-F", "comm,tid,time,period,event,ip,sym").decode(errors="replace")
    event = None
    for line in text.splitlines() + ["x 0 0.0: 0 end: "]:
        if not line[:1].strip():  # an address of the chain, or the blank line after it
            names += [re.sub(r"^[0-9a-f]+ ", "", line.strip())] if line.strip() else []
            continue
        if event:
            p.add(event, weight, names)
        # "COMM TID TIME: PERIOD EVENT: [IP SYM]"; COMM may have blanks
        found = re.match(r".*? +-?\d+ +\d+\.\d+: +(\d+) +(\S+): *(?:[0-9a-f]+ (.*))?$", line)
        weight, event, names = int(found.group(1)), found.group(2), [found.group(3)] if found.group(3) else []
    return p


def read_folded(path, events):
    p = Profile()
    for event in events:
        for line in export(path, "folded", "-e", event).decode(errors="replace").splitlines():
            stack, weight = line.rsplit(" ", 1)
            p.add(event, int(weight), stack.split(";")[:0:-1])
    return p


def event_of_type(name, events):
    """The event that pprof and OTLP call cpu or off_cpu."""
    for e in events:
        if name == "off_cpu" and e == "offcpu-time" or name == "cpu" and e.split(":")[0] in CLOCKS:
            return e
    return name


def read_pprof(path, events):
    p = Profile()
    with open("agree.pb.gz", "wb") as out:
        out.write(export(path, "pprof"))
    raw = run("go", "tool", "pprof", "-raw", "agree.pb.gz").decode(errors="replace")
    part, types, samples, names = None, None, [], {}
    for line in raw.splitlines():
        if line in ("Samples:", "Locations", "Mappings"):
            part = line
        elif part == "Samples:" and types is None:
            types = [t.rsplit("/", 1)[0] for t in line.replace("[dflt]", "").split()]
        elif part == "Samples:":
            found = re.match(r" *(\d[\d ]*): ([\d ]*)$", line)
            if found:
                samples.append([[int(x) for x in g.split()] for g in found.groups()])
        elif part == "Locations":
            found = re.match(r" *(\d+): 0x[0-9a-f]+ (?:M=\d+ )?(.*?) \S*:\d+(?::\d+)? s=\d+(\(.*\))?$", line)
            if found:
                names[int(found.group(1))] = found.group(2)
    for values, locations in samples:
        for kind, value in list(zip(types, values))[1:]:
            if value:
                p.add(event_of_type(kind, events), value, [names[i] for i in locations])
    return p


def read_firefox(path, events):
    p = Profile()
    d = json.loads(export(path, "firefox"))
    shared = d["shared"]
    stacks, strings = shared["stackTable"], shared["stringArray"]
    funcs = [strings[shared["funcTable"]["name"][i]] for i in shared["frameTable"]["func"]]
    chains = []
    for prefix, frame in zip(stacks["prefix"], stacks["frame"]):
        chains.append([funcs[frame]] + (chains[prefix] if prefix is not None else []))
    for t in d["threads"]:
        s = t["samples"]
        named = [e for e in events if t["name"].endswith(" (%s)" % e)]
        event = "time" if s["weightType"] == "tracing-ms" else named[0] if named else events[0]
        for stack, weight in zip(s["stack"], s["weight"]):
            if stack is not None:
                p.add(event, round(weight * 1e6) if event == "time" else weight, chains[stack])
            elif weight:
                p.weight[event] += round(weight * 1e6) if event == "time" else weight
    return p


def read_speedscope(path, events):
    p = Profile()
    d = json.loads(export(path, "speedscope"))
    for profile in d["profiles"]:
        named = [e for e in events if profile["name"].endswith(") " + e)]
        for stack, weight in zip(profile["samples"], profile["weights"]):
            p.add(named[0] if named else events[0], weight,
                  [d["shared"]["frames"][i]["name"] for i in reversed(stack)])
    return p


def read_page(path, events):
    p = Profile()
    with open("agree.speedscope.json", "wb") as out:
        out.write(export(path, "speedscope"))
    for name, rows in page.profiles("agree.speedscope.json"):
        event = ([e for e in events if name.endswith(") " + e)] + events[:1])[0]
        for function, *texts in rows:
            for kind, text in zip(("total", "self"), texts):
                w, rounded = speedscope_page.weight(text)
                getattr(p, kind)[event][name_of(function)] += w
                p.rounded[event, kind, name_of(function)] += rounded
    for event in events:
        p.weight[event] = sum(p.self[event].values())
        p.rounded[event, "weight", None] = sum(p.rounded[event, "self", n] for n in p.self[event])
    return p


def message(data):
    """The fields of a protobuf message: by number a list of integers or bytes."""
    fields, at = collections.defaultdict(list), 0

    def varint():
        nonlocal at
        x = shift = 0
        while True:
            byte = data[at]
            at += 1
            x |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return x

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            fields[key >> 3].append(varint())
        else:
            size = {1: 8, 5: 4}.get(key & 7) or varint()
            fields[key >> 3].append(data[at:at + size])
            at += size
    return fields


def numbers(packed):
    out = []
    for part in packed:
        x = shift = 0
        for byte in part:
            x |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                out.append(x)
                x = shift = 0
    return out


def first(fields, number, default=0):
    return fields[number][-1] if fields[number] else default


def read_otlp(path, events):
    """profiles.proto of OpenTelemetry 1.11.0"""
    p = Profile()
    data = message(export(path, "otlp"))
    d = collections.defaultdict(list)
    for part in data[2]:  # pieces of the dictionary are merged
        for number, values in message(part).items():
            d[number] += values
    strings = [s.decode(errors="replace") for s in d[5]]
    functions = [strings[first(message(f), 1)] for f in d[3]]
    locations = [message(x)[3] for x in d[2]]
    names = [functions[first(message(x[0]), 1)] if x else "" for x in locations]
    stacks = [[names[i] for i in numbers(message(s)[1])] for s in d[7]]
    for resource in data[1]:
        for scope in message(resource)[2]:
            for profile in message(scope)[2]:
                f = message(profile)
                kind, period_kind = (strings[first(message(first(f, n, b"")), 1)] for n in (1, 5))
                for sample in f[2]:
                    s = message(sample)
                    values, times = numbers(s[4]), b"".join(s[5])
                    if kind == "samples":  # each stands for a period
                        weight, of = len(times) // 8 * first(f, 6), period_kind
                    else:
                        weight, of = sum(values), kind
                    p.add(event_of_type(of, events), weight, stacks[first(s, 1)])
    return p


def read_jsonl(path, *options, count=False):
    p = Profile()
    for line in export(path, "jsonl", *options).decode().splitlines():
        s = json.loads(line)
        if s["kind"] != "lost":
            if count:  # as data convert
                p.add("all", 1, [re.sub(".*@0x[0-9a-f]+$", "?", name) for name in s["stack"]])
            else:
                p.add(s["event"], s["weight"], s["stack"])
    return p


def read_sqlite(path, *options):
    p = Profile()
    if os.path.exists("agree.db"):
        os.remove("agree.db")
    export(path, "sqlite", "-o", "agree.db", *options)
    db = sqlite3.connect("agree.db")
    db.text_factory = lambda text: text.decode(errors="replace")
    stacks = {k: (parent, name) for k, parent, name in
              db.execute("SELECT k.id, parent, function FROM stack k JOIN frame f ON f.id = k.frame")}
    for event, stack, weight in db.execute("SELECT event, stack, sum(weight) FROM sample GROUP BY 1, 2"):
        names = []
        while stack is not None:
            stack, name = stacks[stack]
            names.append(name)
        p.add(event, weight, names)
    db.close()
    return p


def read_data_convert(path):
    """It has neither events nor weights: samples are counted."""
    p = Profile()
    run(perf, "data", "convert", "--force", "-i", path, "--to-json", "agree.json")
    for s in json.load(open("agree.json"))["samples"]:
        p.add("all", 1, [f.get("symbol") for f in s["callchain"]])
    return p


# ---- comparing ----

def merged(p, events, into):
    """p with the events of time as one, as Firefox has them."""
    q = Profile()
    q.ambiguous = {into: set()}
    for e in events:
        to = into if e.split(":")[0] in CLOCKS + ("offcpu-time",) else e
        q.weight[to] += p.weight[e]
        q.self[to].update(p.self[e])
        q.total[to].update(p.total[e])
        q.ambiguous.setdefault(to, set()).update(p.ambiguous[e])
    return q


def folded_name(name):
    """As in stackcollapse-perf.pl: without arguments and quotes."""
    if not re.search(r"\.\(.*\)\.", name):
        name = re.sub(r"\((?!anonymous namespace\)).*", "", name, flags=re.S)
    return re.sub("[\"']", "", name).replace(";", ":")


def renamed(p, rename):
    """p with other names; functions that get the same one are ambiguous."""
    q = Profile()
    q.weight = p.weight
    q.ambiguous = {e: {rename(n) for n in names} for e, names in p.ambiguous.items()}
    for e in p.weight:
        for n, w in p.self[e].items():
            q.self[e][rename(n)] += w
        for n, w in p.total[e].items():
            if rename(n) in q.total[e]:
                q.ambiguous[e].add(rename(n))
            q.total[e][rename(n)] += w
    return q


def largest(counter, left_out):
    """The functions of the top, with all that are as large as the last one."""
    ranked = sorted(((w, n) for n, w in counter.items() if w and n not in left_out), reverse=True)
    least = ranked[TOP - 1][0] if len(ranked) > TOP else 0
    return {n: w for w, n in ranked if w >= least}


def compare(reference, p):
    """Return how many functions were compared, and what differs."""
    differences, nr = [], 0

    def check(what, want, got, slack=0):
        if abs(want - got) > slack:
            differences.append("%s: %s, not %s" % (what, got, want))

    for event, weight in reference.weight.items():
        check(event, weight, p.weight[event], p.rounded[event, "weight", None])
        for kind in "self", "total":
            left_out = reference.ambiguous[event] if kind == "total" else ()
            want = largest(getattr(reference, kind)[event], left_out)
            if p.percent is not None and kind == "total":
                for name, w in want.items():
                    check("%s, total of %s" % (event, name), 100 * w / weight, p.percent[event][name], 0.0051)
            else:
                got = largest(getattr(p, kind)[event], left_out)
                for name in want.keys() | got.keys():
                    check("%s, %s of %s" % (event, kind, name), want.get(name, 0), got.get(name, 0),
                          p.rounded[event, kind, name])
            nr += len(want)
    for event in p.weight.keys() - reference.weight.keys():
        differences.append("%s: not in the report" % event)
    return nr, differences


def has_script():
    listed = run(perf, "--list-cmds").decode().split()
    return "script" in listed


def hold(path, reference, readers):
    """Compare what readers, by name, say of a recording with its reference: the cells of its row, and what differs."""
    cells, bad = [], []
    events = list(reference.weight)
    assert events and all(reference.weight.values()), path
    cells.append(str(sum(len(largest(reference.self[e], ())) for e in events)))
    for name, read in readers.items():
        want = reference
        if name == "firefox":
            want = merged(reference, events, "time")
        elif name == "script":
            want = renamed(reference, lambda n: "?" if n in reference.unnamed else n)
        elif name == "folded":
            want = renamed(reference, folded_name)
        nr, differences = compare(want, read(path, events))
        cells.append("differs" if differences else str(nr))
        bad += ["%s, %s: %s" % (path, name, d) for d in differences[:8]]
    counted = read_jsonl(path, "--no-made-up-names", count=True)
    counted.ambiguous = {"all": set()}
    nr, differences = compare(counted, read_data_convert(path))
    plain = read_report_json(path, "--no-made-up-names")
    counts = collections.Counter()
    for names in plain.samples.values():
        for n, nr_samples in names.items():
            counts["?" if n in plain.unnamed else n] += nr_samples
    counts += collections.Counter()
    if counts != counted.self["all"]:
        differences.append("samples: %s, not %s" % (counted.self["all"] - counts, counts - counted.self["all"]))
    cells.append("differs" if differences else str(nr))
    bad += ["%s, data convert: %s" % (path, d) for d in differences[:8]]
    return cells, bad


def main():
    readers = {
        "text": lambda path, events: read_text(path),
        "script": lambda path, events: read_script(path),
        "folded": read_folded,
        "pprof": read_pprof,
        "firefox": read_firefox,
        "speedscope": read_speedscope,
        "page": read_page,
        "otlp": read_otlp,
        "jsonl": lambda path, events: read_jsonl(path),
        "sqlite": lambda path, events: read_sqlite(path),
        "sums": lambda path, events: read_sqlite(path, "--aggregate"),
    }
    if not sqlite3 or b"sqlite3: [ on" not in run(perf, "version", "--build-options"):
        del readers["sqlite"], readers["sums"]
    if not has_script():
        del readers["script"]
    if not shutil.which("go"):
        del readers["pprof"]
    if not page:
        del readers["page"]
    columns = ["json"] + list(readers) + ["convert"]
    print("%-14s" % "recording" + "".join("%11s" % c for c in columns))
    bad = []
    for path in sys.argv[2:]:
        for _ in range(4):
            reference = read_report_json(path)
            cells, differences = hold(path, reference, readers)
            # Files of other programs that run come and go: what changed meanwhile is read again.
            if not differences or reference.self == read_report_json(path).self:
                break
        bad += differences
        print("%-14s" % os.path.basename(path)[:13] + "".join("%11s" % c for c in cells), flush=True)
    for line in bad:
        print(line)
    return 1 if bad else 0


sys.exit(main())
