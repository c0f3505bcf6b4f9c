#!/usr/bin/env python3
"""Compare what others say of a run with the truth of step_branches.

    truth.py code TRUTH             objdump's instructions: ranges have no gap, and instructions ran as often as their ranges
    truth.py brstack TRUTH OUTPUT   perf script -F brstack, of a program whose addresses are those of its file
    truth.py fdata TRUTH FDATA      branches in BOLT's fdata, between functions of the program

Prints how much was compared, or the differences and status 1.
"""
import collections
import re
import subprocess
import sys

MAX_SHOWN = 20
BRANCH = re.compile(r"(bnd |notrack |repz |data16 |addr32 |rex\.W |[c-g]s )*(j|call|ret|loop)")


class Truth:
    def __init__(self, path):
        self.paths, self.branches, self.ranges, self.instructions = [], {}, {}, {}
        for line in open(path):
            kind, *words = line.rstrip("\n").split(" ", 3) if line.startswith("file ") else line.split()
            if kind == "file":
                self.paths.append(words[2])
            elif kind == "branch":
                source, target = (int(words[0]), int(words[1], 16)), (int(words[2]), int(words[3], 16))
                self.branches[source, target] = tuple(map(int, words[4:]))
            elif kind == "range":
                self.ranges[int(words[0]), int(words[1], 16), int(words[2], 16)] = tuple(map(int, words[3:]))
            elif kind == "#":
                self.gaps = int(words[words.index("gaps") - 1])
            elif kind == "at":
                self.instructions[int(words[0]), int(words[1], 16)] = tuple(map(int, words[2:]))


def objdump(path):
    """Return the text of each instruction, and the address after it."""
    code, last = {}, None
    for line in subprocess.run(["objdump", "-dw", "--no-show-raw-insn", path], capture_output=True, text=True, check=True).stdout.splitlines():
        match = re.match(r" *([0-9a-f]+):\t(.*)", line)
        if match:
            address = int(match[1], 16)
            if last is not None:
                code[last] = (code[last][0], address)
            code[address] = (match[2], None)
            last = address
    return code


def compare_code(truth):
    nr, bad = 0, []
    for number, path in enumerate(truth.paths):
        if not path.startswith("/"):
            continue
        code, counts = objdump(path), collections.Counter()
        for source, target in truth.branches:
            direct = re.search(r"(?:j|call|loop)\w* +([0-9a-f]+) ", code[source[1]][0]) if source[0] == number else None
            if direct and target != (number, int(direct[1], 16)):
                bad.append(f"{path}: a branch from {source[1]:x} to {target[1]:x}: {code[source[1]][0]}")
        for (file, first, last), (run, _) in truth.ranges.items():
            address = first
            while file == number and address is not None:
                counts[address] += run
                text, after = code.get(address, ("no instruction", None))
                if address == last:
                    if not BRANCH.match(text):
                        bad.append(f"{path}: range {first:x}-{last:x} ends with {text}")
                    break
                if address > last or after is None or (BRANCH.match(text) and not re.search(r"\bj[^m]|loop", text)):
                    bad.append(f"{path}: range {first:x}-{last:x} cannot go on at {address:x}: {text}")
                    break
                address = after
        for (file, address), (run, _) in truth.instructions.items():
            if file == number:
                nr += 1
                # instructions after the last branch, and before a gap, are in no range
                if "rep" not in code[address][0] and not 0 <= run - counts[address] <= 1 + truth.gaps:
                    bad.append(f"{path}: {address:x} ran {run} times, its ranges {counts[address]} times")
    return nr, bad


def differences(want, got):
    return [f"{key}: {want.get(key, 0)} expected, found {got.get(key, 0)}" for key in sorted(want.keys() | got.keys())
            if want.get(key, 0) != got.get(key, 0)]


def compare_brstack(truth, path):
    want, got = {}, collections.Counter()
    for (source, target), (_, stacks, mispredicted) in truth.branches.items():
        if stacks and truth.paths[source[0]] != "[vdso]" != truth.paths[target[0]]:
            want[source[1], target[1], "P"] = stacks - mispredicted
            want[source[1], target[1], "M"] = mispredicted
    want = {key: count for key, count in want.items() if count}
    for source, target, flag in re.findall(r"0x([0-9a-f]+)/0x([0-9a-f]+)/(.)/", open(path).read()):
        got[int(source, 16), int(target, 16), flag] += 1
    if "[vdso]" in truth.paths:
        got = {key: count for key, count in got.items() if key[0] >> 46 == 0 and key[1] >> 46 == 0}
    return len(want), differences(want, got)


def compare_fdata(truth, path):
    """Only branches with both ends in functions that have a size, without returns: perf2bolt makes other lines of those, and adds
    what did not branch."""
    symbols, code = {}, objdump(truth.paths[0])
    for line in subprocess.run(["nm", "-S", "--defined-only", truth.paths[0]], capture_output=True, text=True, check=True).stdout.splitlines():
        words = line.split()
        if len(words) == 4 and words[2] in "tTwW":
            symbols[words[3]] = int(words[0], 16), int(words[1], 16)

    def is_inside(place):
        return place[0] == 0 and any(start <= place[1] < start + size for start, size in symbols.values())

    want = {(source[1], target[1]): (stacks, mispredicted) for (source, target), (_, stacks, mispredicted) in truth.branches.items()
            if stacks and is_inside(source) and is_inside(target) and not code[source[1]][0].startswith("ret")}
    got = {}
    for line in open(path):
        words = line.split()
        if len(words) != 8 or words[0] != "1" or words[3] != "1":
            continue
        names = [words[1].split("/")[0], words[4].split("/")[0]]
        if names[0] in symbols and names[1] in symbols:
            got[symbols[names[0]][0] + int(words[2], 16), symbols[names[1]][0] + int(words[5], 16)] = int(words[7]), int(words[6])
    return len(want), differences(want, {key: count for key, count in got.items() if key in want})


def main():
    truth = Truth(sys.argv[2])
    nr, bad = {"code": compare_code, "brstack": compare_brstack, "fdata": compare_fdata}[sys.argv[1]](truth, *sys.argv[3:])
    for line in bad[:MAX_SHOWN]:
        print(line)
    if bad or not nr:
        print(f"{len(bad)} differences, {nr} compared")
        sys.exit(1)
    print(nr)


main()
