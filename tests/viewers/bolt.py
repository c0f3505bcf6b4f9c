#!/usr/bin/env python3
"""Hold what perf2bolt wrote of a recording against what perf export says of it:

    bolt.py PERF RECORDING BINARY FDATA

Without LBR, the samples of each function of BINARY; with it, its calls of each other one. RECORDING has call chains, or, for
FDATA with LBR, the same ones as the branches that perf2bolt has read (lbr.py).
"""
import collections
import json
import subprocess
import sys

perf, recording, binary, fdata = sys.argv[1:]


def name(text):
    return text.split("/")[0].replace("@PLT", "@plt")  # of a function that is not global: NAME/FILE/NUMBER


with open(fdata) as f:
    lines = [line.split() for line in f]
has_calls = lines[0][0] != "no_lbr"
got, want = collections.Counter(), collections.Counter()
for line in lines[0 if has_calls else 1:]:
    if not has_calls:
        got[name(line[1])] += int(line[3])
    elif line[0] == line[3] == "1" and line[5] == "0":  # to the beginning of a function
        got[name(line[1]), name(line[4])] += int(line[7])

exported = subprocess.run([perf, "export", "-i", recording, "--no-inline", "--format", "jsonl"], stdout=subprocess.PIPE, check=True)
for line in exported.stdout.splitlines():
    s = json.loads(line)
    frames = [n if b == binary else None for n, b in zip(s["stack"], s["binary"])]
    if not has_calls:
        want[frames[0]] += 1
    else:
        want.update((caller, callee) for callee, caller in zip(frames, frames[1:]) if callee and caller)
del want[None]
if got != want or not want:
    sys.exit("perf2bolt: %s, not %s" % (dict(got - want), dict(want - got)))
