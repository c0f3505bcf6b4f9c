"""fleet.py PERF SOURCE ROUNDS SEED: see run"""
import csv
import io
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter

from nodes import Node, Proxy

perf, source, rounds, seed = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
share = source + "/share/clickhouse/"
HOSTS, VERSIONS, EACH = ["h%d" % i for i in range(1, 6)], {"1": 100, "2": 130}, 3
passed, failures = [], []


def check(name, good, words=""):
    print("%-68s %s" % (name, "ok" if good else "FAILED"))
    (passed if good else failures).append(name)
    if not good:
        print("    " + words)


def compare(name, got, want):
    odd = [k for k in set(got) | set(want) if got.get(k) != want.get(k)]
    check("%s (%d rows)" % (name, len(want)), want and not odd,
          "; ".join("%s: %s, not %s" % (k, got.get(k), want.get(k)) for k in odd[:5]))


def sql(name):
    with open(share + name) as f:
        return f.read()


# ---- recordings, and what perf report says of them ----
class Recording:
    def __init__(self, path, host, version):
        self.path, self.host, self.version = path, host, version

    def push(self, url, *options):
        return [perf, "push", "--clickhouse", url, "--label", "host=" + self.host, "--label", "service=shop",
                "--label", "version=" + self.version, *options, self.path]

    def report(self):
        """Counter by (event, function, binary): period, and number of samples"""
        out = subprocess.run([perf, "report", "--json", "--no-inline-rows", "--no-children", "-g", "none", "-s", "dso,sym", "-i", self.path],
                             capture_output=True, check=True).stdout
        weights, samples = Counter(), Counter()
        for table in json.loads(out)["tables"]:
            if table["kind"] != "samples":
                continue
            for row in table["rows"]:
                key = (table["events"][0], row["symbol"]["name"], row["dso"])
                weights[key] += row["period"]
                samples[key] += row["sample"]
        return weights, samples

    def folded(self):
        out = subprocess.run([perf, "export", "--format", "folded", "-i", self.path], capture_output=True, check=True).stdout
        sums = Counter()
        for line in out.decode().splitlines():
            stack, weight = line.rsplit(" ", 1)
            sums[stack] += int(weight)
        return sums


def record_one(folder, host, version, name, work):
    path = "%s/%s.data" % (folder, name)
    subprocess.run([perf, "record", "-q", "-g", "-F", "2000", "-e", "cpu-clock:u", "-o", path,
                    "%s/work%s" % (folder, version), work], check=True)
    return Recording(path, host, version)


def record(folder):
    recordings = []
    for version, sort in VERSIONS.items():
        subprocess.run([os.environ.get("CC", "cc"), "-O1", "-g", "-fno-omit-frame-pointer", "-DSORT=%d" % sort,
                        "-DPARSE=100", "-o", "%s/work%s" % (folder, version), source + "/tests/diff/work.c"], check=True)
        for host in HOSTS:
            for i in range(EACH):
                recordings.append(record_one(folder, host, version, "%s-%s-%d" % (host, version, i), "300"))
    return recordings


# ---- queries against reports ----
def rows(node, name):
    """All rows of a query: without its limit"""
    lines = [line for line in sql("queries/" + name).splitlines() if not line.startswith("LIMIT")]
    return [line.split("\t") for line in node.run("\n".join(lines)).splitlines()]


def check_top(node, recordings, name):
    want = {}
    for r in recordings:
        weights, samples = r.report()
        for key in weights:
            w, s = want.get(key, (0, 0))
            want[key] = (w + weights[key], s + samples[key])
    got = {(e, f, b): (int(w), int(s)) for e, f, b, w, s in rows(node, name)}
    compare(name, got, {k: v for k, v in want.items() if v[1]})


def check_queries(node, recordings):
    check_top(node, recordings, "top.sql")
    check_top(node, recordings, "top-minutes.sql")
    by_version, by_host, folded = Counter(), Counter(), Counter()
    for r in recordings:
        for (event, function, binary), weight in r.report()[0].items():
            by_version[event, function, binary, r.version] += weight
            by_host[event, function, r.host] += weight
        folded.update(r.folded())
    got = {(e, f, b, v): int(w) for e, f, b, v, w, _ in rows(node, "versions.sql")}
    compare("versions.sql", got, {k: v for k, v in by_version.items() if v})
    got = {(e, f, h): int(w) for e, f, h, w, _, _ in rows(node, "hosts.sql")}
    compare("hosts.sql", got, {k: v for k, v in by_host.items() if v})
    compare("folded.sql", {stack: int(weight) for stack, weight in rows(node, "folded.sql")}, folded)
    got = {v: (int(n), int(h)) for _, _, v, n, h, _, _ in rows(node, "slices.sql")}
    want = {v: (sum(r.version == v for r in recordings), len({r.host for r in recordings if r.version == v}))
            for v in VERSIONS}
    compare("slices.sql", got, want)


def check_retention(nodes, folder):
    old = record_one(folder, "h1", "1", "old", "50")
    os.utime(old.path, (time.time() - 60 * 86400,) * 2)
    subprocess.run(old.push("http://127.0.0.1:%d" % nodes[0].http), check=True, capture_output=True)
    before = nodes[0].ask("SELECT count() FROM perf.slices")
    drops = 0
    for node in nodes:
        commands = node.run(sql("queries/retention.sql").replace("'perf'", "'perf_node'"))
        drops += commands.count("DROP")
        node.run(commands)
    after = nodes[0].ask("SELECT count() FROM perf.slices")
    odd = nodes[0].ask("SELECT count() FROM perf.samples WHERE day < today() - 30")
    check("retention.sql: one old slice dropped, %d partitions" % drops, int(before) - int(after) == 1 and odd == "0\n")


# ---- faults ----
def one_round(chance, nodes, proxy, recordings):
    """Push three recordings, one of them new; something happens meanwhile."""
    recordings.append(record_one(os.path.dirname(recordings[0].path), chance.choice(HOSTS), chance.choice(list(VERSIONS)),
                                 "round%d" % len(recordings), "50"))
    fault = chance.choice(["network", "network", "pusher", "pusher", "server", "server", "fill"])
    proxy.faulty = fault == "network" or chance.random() < 0.5
    pushers = [subprocess.Popen(r.push(proxy.url, "--timeout", "2", "--retries", "2"), stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL) for r in chance.sample(recordings, 2) + recordings[-1:]]
    killed = None
    time.sleep(chance.random() * 0.15)
    if fault == "pusher":
        for p in pushers:
            p.kill()
            time.sleep(chance.random() * 0.03)
    elif fault == "server":
        killed = chance.choice(nodes)
        killed.kill()
        time.sleep(chance.random() * 0.5)
        killed.start()
    elif fault == "fill":
        fill = subprocess.Popen(nodes[0].client("--multiquery"), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)
        fill.stdin.write(sql("fill-minutes.sql").encode())
        fill.stdin.close()
        time.sleep(chance.random() * 0.3)
        if chance.random() < 0.5:
            fill.kill()
        else:
            killed = chance.choice(nodes)
            killed.kill()
            killed.start()
        fill.wait()
    for p in pushers:
        p.wait()
    if killed:
        killed.wait()
    return fault


def check_faults(nodes, recordings, proxy):
    chance, seen = random.Random(seed), Counter()
    for _ in range(rounds):
        seen[one_round(chance, nodes, proxy, recordings)] += 1
    print("faults in %d rounds: %s\nrequests: %s" % (rounds, dict(seen), proxy.count))
    attempts = int(nodes[0].ask("SELECT uniqExact(attempt) FROM perf.samples"))
    slices = int(nodes[0].ask("SELECT uniqExact(slice) FROM perf.slices"))
    check("%d slices of %d are there, after %d attempts" % (slices, len(recordings), attempts), attempts > slices)
    proxy.faulty = False
    for again in range(2):
        for r in recordings:
            done = subprocess.run(r.push(proxy.url), capture_output=True)
            if done.returncode:
                check("push without faults", False, done.stderr.decode())
    nodes[0].run(sql("fill-minutes.sql"))
    nodes[0].run(sql("fill-minutes.sql"))
    check("each recording is there", int(nodes[0].ask("SELECT uniqExact(slice) FROM perf.slices")) == len(recordings))


# ---- services and containers of samples ----
def check_services(node, folder):
    """A recording of the whole machine with a unit and a container in it: rows by service, against report by control group"""
    groups = Groups()
    if not groups.made:
        print("services of samples: not checked (control groups cannot be made)")
        return
    path = folder + "/machine.data"
    try:
        work = [subprocess.Popen(["sh", "-c", "echo $$ >%s/cgroup.procs && exec %s/work1 300" % (g, folder)]) for g in groups.made]
        subprocess.run([perf, "record", "-q", "-a", "-g", "--all-cgroups", "-e", "cpu-clock", "-F", "499", "-o", path, "sleep", "1"],
                       check=True)
        for w in work:
            w.kill()
            w.wait()
    finally:
        groups.remove()
    out = subprocess.run([perf, "report", "--json", "--no-inline-rows", "--no-children", "-g", "none", "-s", "cgroup", "-i", path],
                         capture_output=True, check=True).stdout
    want = {groups.labels[row["cgroup"]]: row["sample"] for row in json.loads(out)["tables"][0]["rows"]
            if row["cgroup"] in groups.labels}
    subprocess.run([perf, "push", "--clickhouse", "http://127.0.0.1:%d" % node.http, path], check=True, capture_output=True)
    got = node.ask("SELECT service, container, sum(samples) FROM perf.samples WHERE service = 'fleet-unit' OR container != '' "
                   "GROUP BY service, container FORMAT TabSeparated")
    compare("services of samples", {(s, c): int(n) for s, c, n in (line.split("\t") for line in got.splitlines())}, want)


class Groups:
    """A unit and a container, as control groups of the hierarchy that perf events use"""
    def __init__(self):
        with open("/proc/mounts") as f:
            mounts = [line.split()[1:4] for line in f]
        v1 = [m[0] for m in mounts if m[1] == "cgroup" and "perf_event" in m[2].split(",")]
        mount = (v1 + [m[0] for m in mounts if m[1] == "cgroup2"] + ["/nowhere"])[0]
        names = {"/fleet-test.slice/fleet-unit.service": ("fleet-unit", ""),
                 "/fleet-test.slice/docker-%064x.scope" % os.getpid(): ("fleet-test", "%064x" % os.getpid())}
        self.made, self.labels = [mount + name for name in names], names
        try:
            for path in self.made:
                os.makedirs(path)
        except OSError:
            self.made = []

    def remove(self):
        for path in self.made + [os.path.dirname(self.made[0])]:
            for _ in range(50):
                try:
                    os.rmdir(path)
                    break
                except OSError:
                    time.sleep(0.1)


# ---- DuckDB reads the tables of SQLite ----
def check_duckdb(folder, recordings):
    duckdb = shutil.which("duckdb")
    if not duckdb:
        fetch = subprocess.run([source + "/tests/fleet/fetch-duckdb", os.path.dirname(perf) + "/build/fleet"], capture_output=True)
        duckdb = fetch.stdout.decode().strip()
        if not duckdb:
            print("DuckDB: not checked: " + fetch.stderr.decode().strip())
            return
    path = folder + "/prof.db"
    for r in recordings:
        subprocess.run([perf, "export", "-i", r.path, "-o", path], check=True, capture_output=True)

    def ask(query):
        out = subprocess.run([duckdb, "-csv", "-noheader", "-c", "ATTACH '%s' AS prof (TYPE sqlite, READ_ONLY); USE prof; %s"
                              % (path, query)], capture_output=True)
        if out.returncode:
            raise SystemExit("duckdb: %s: %s" % (query, out.stderr.decode()))
        return list(csv.reader(io.StringIO(out.stdout.decode())))

    want = {}
    for r in recordings:
        weights, samples = r.report()
        for key, n in samples.items():
            w, s = want.get(key, (0, 0))
            want[key] = (w + weights[key], s + n)
    got = ask('SELECT event, function, "binary", sum(weight), sum(samples) FROM top_self GROUP BY 1, 2, 3')
    compare("DuckDB: top_self and perf report", {(e, f, b): (int(w), int(s)) for e, f, b, w, s in got}, want)
    with sqlite3.connect(path) as db, open(source + "/Documentation/schema.md") as page:
        queries = [q for q in re.findall("```sql\n(.*?)```", page.read(), re.DOTALL) if "datetime(" not in q]
        odd = [q for q in queries if table(ask(q.replace("LIMIT 20", ""))) != table(db.execute(q.replace("LIMIT 20", "")))]
    check("DuckDB: %d queries of schema.md and SQLite" % len(queries), len(queries) == 9 and not odd, "; ".join(odd))


def table(rows):
    """Rows as a Counter, with numbers as both engines print them"""
    def text(v):
        try:
            return "%.9g" % float(v)
        except (TypeError, ValueError):
            return "" if v in (None, "NULL") else v
    return Counter(tuple(text(v) for v in row) for row in rows)


# ---- the rate of inserts into one node ----
def check_rate(node, folder):
    path = folder + "/rate.data"
    grown = os.environ.get("RATE_DATA")
    if not grown:
        print("insert rate: not measured (RATE_DATA names a large recording)")
        return
    shutil.copy(grown, path)
    before = int(node.ask("SELECT sum(samples) FROM perf.slices"))
    begin = time.time()
    subprocess.run(Recording(path, "h1", "1").push("http://127.0.0.1:%d" % node.http), check=True, capture_output=True)
    seconds = time.time() - begin
    nr = int(node.ask("SELECT sum(samples) FROM perf.slices")) - before
    print("insert rate: %d samples in %.1f s, %d samples/s, with reading and naming" % (nr, seconds, nr / seconds))


def main():
    folder = tempfile.mkdtemp(prefix="perf-fleet.")
    nodes = [Node("%s/node%d" % (folder, i)) for i in (1, 2)]
    alone = Node(folder + "/alone")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    os.environ.pop("http_proxy", None)
    try:
        for node in nodes + [alone]:
            node.configure(nodes)
            node.start()
        recordings = record(folder)
        for node in nodes + [alone]:
            node.wait()
        for node in nodes:
            node.run(sql("schema.sql").replace("perf;", "perf_node;"))
        for node in nodes:
            node.run(sql("nodes.sql"))
        alone.run(sql("schema.sql"))
        check_faults(nodes, recordings, Proxy(nodes[0], seed))
        print("two nodes:")
        check_queries(nodes[1], recordings)
        check_retention(nodes, folder)
        print("one node:")
        for r in recordings:
            subprocess.run(r.push("http://127.0.0.1:%d" % alone.http), check=True, capture_output=True)
        alone.run(sql("fill-minutes.sql"))
        check_queries(alone, recordings)
        check_services(alone, folder)
        check_duckdb(folder, recordings)
        check_rate(alone, folder)
    finally:
        for node in nodes + [alone]:
            node.kill()
        shutil.rmtree(folder)
    print("%d passed, %d failed, 0 skipped" % (len(passed), len(failures)))
    sys.exit(1 if failures else 0)


main()
