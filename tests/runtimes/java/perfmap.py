#!/usr/bin/env python3
"""
Compare names of compiled methods with those of "jcmd PID Compiler.perfmap": perfmap.py SCRIPT MAP < DUMP

SCRIPT is the output of "perf script --no-inline -F ip,sym,dso", DUMP that of "perf script -D", which has the addresses.
Print "N frames, M differ", then up to ten that do.
"""
import bisect
import collections
import re
import sys


def read_map(path):
    entries = []
    for line in open(path, errors="replace"):
        m = re.match(r"(?:0x)?([0-9a-f]+) (?:0x)?([0-9a-f]+) (.*)", line)
        if m and re.search(r"\w\.[\w$<>-]+\(", m[3]):  # a method
            start = int(m[1], 16)
            entries.append((start, start + int(m[2], 16), m[3]))
    return sorted(entries)


def plain(name):
    """Drop the type that the method returns, addresses of hidden classes, and spaces."""
    name = re.sub(r"^(?:[\w.$\[\]]+ )?(?=[^ ]*\()", "", name)
    return re.sub(r"(\+0x|/0x|/)[0-9a-f.]+(?=[.(])", "", name).replace(" ", "")


def main():
    entries = read_map(sys.argv[2])
    starts = [e[0] for e in entries]
    chains, chain = [], None
    for line in sys.stdin:
        if "PERF_RECORD_" in line:
            chain = [] if "PERF_RECORD_SAMPLE" in line else None
            if chain is not None:
                chains.append(chain)
        m = re.match(r"\.+\s*\d+: ([0-9a-f]{16})$", line)
        if m and chain is not None and int(m[1], 16) < 0xFFFFFFFFFFFFF000:
            chain.append(int(m[1], 16))
    blocks = [b.strip("\n").split("\n") for b in open(sys.argv[1], errors="replace").read().split("\n\n")]
    blocks = [b for b in blocks if b != [""]]
    nr, bad = 0, collections.Counter()
    for chain, lines in zip(chains, blocks):
        if len(chain) != len(lines):
            continue
        for i, (ip, line) in enumerate(zip(chain, lines)):
            at = ip - (i > 0)
            k = bisect.bisect_right(starts, at) - 1
            if k < 0 or at >= entries[k][1]:
                continue
            m = re.match(r"\s*[0-9a-f]+ (.*) \(\[java\][^()]*\)$", line)
            nr += 1
            if not m or plain(m[1]) != plain(entries[k][2]):
                bad[f"{entries[k][2]} is named {m[1] if m else line.strip()}"] += 1
    print(f"{nr} frames, {sum(bad.values())} differ")
    for text, times in bad.most_common(10):
        print("   ", times, text)


main()
