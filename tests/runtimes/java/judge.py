#!/usr/bin/env python3
"""
Judge a recording of a Java program: judge.py SCRIPT JAVAP... < samples

SCRIPT is the output of "perf script -F comm,ip,sym,dso". JAVAP is the command that disassembles classes with
the program's JDK: whether a method may call another one is what its bytecodes say, not what perf says.

Print "EXACT SAMPLES PAIRS WRONG": samples with Java frames whose chain is exact (each Java frame has a name, each
call is one that the caller's bytecodes have, the chain ends where the thread began), pairs of frames that were
judged, and those that cannot be. Then up to 12 lines of what was not exact, and how often.
"""
import collections
import re
import subprocess
import sys

BASIC = {"B": "byte", "C": "char", "D": "double", "F": "float", "I": "int", "J": "long", "S": "short", "Z": "boolean"}
METHOD = re.compile(r"^([\w.$/-]+)\.([\w$<>-]+)(\(.*\))$")
FRAME = re.compile(r"^\s*[0-9a-f]+ (.*?) \(([^()]*)\)$")


def parameters(descriptor):
    """Return "(int, long[])" of "(I[J)V"."""
    out = []
    for dims, letter, name in re.findall(r"(\[*)(?:([BCDFIJSZ])|L([^;]*);)", descriptor[1 : descriptor.index(")")]):
        out.append((BASIC[letter] if letter else name.replace("/", ".")) + "[]" * len(dims))
    return "(" + ", ".join(out) + ")"


class Bytecodes:
    """What methods call, by the disassembler."""

    def __init__(self, javap):
        self.javap = javap
        self.calls = {}  # class -> {"name(parameters)": set of the same, with None for a dynamic call}
        self.wanted = set()

    def read(self):
        names = sorted(n for n in self.wanted if n not in self.calls)
        for i in range(0, len(names), 100):
            part = names[i : i + 100]
            for n in part:
                self.calls[n] = {}
            text = subprocess.run(
                self.javap + ["-c", "-p", "-s"] + part, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
            ).stdout
            self.parse(text)

    def parse(self, text):
        calls, method, name = None, None, ""
        for line in text.split("\n"):
            if line and line[0] not in " }C":
                m = re.search(r"(?:class|interface|enum) ([\w.$-]+)", line)
                cls = m[1] if m else ""
                calls = self.calls.setdefault(cls, {})
            elif re.match(r"^  \S.*;$", line) and "descriptor:" not in line:
                m = re.search(r"([\w$.-]+)\(", line)
                name = m[1] if m else "<clinit>"
                name = "<init>" if name == cls else name
                method = None
            elif line.startswith("    descriptor: (") and calls is not None:
                method = name + parameters(line[16:])
            elif line.startswith("    Code:") and method:
                calls.setdefault(method, set())  # also of its bridge, which has other results only
            elif "invoke" in line and method in (calls or {}):
                m = re.search(r'// (?:Interface)?Method (?:[^:]*\.)?"?([\w$<>-]+)"?:(\(\S*)', line)
                if not m or re.search(r"invokedynamic|// Method java/lang/invoke/\w+Handle\.", line):
                    calls[method].add(None)
                    continue
                calls[method].add(m[1] + parameters(m[2]))

    def may_call(self, caller, callee):
        """Return True, False, or None if that cannot be judged."""
        called = self.calls.get(caller[0], {}).get(caller[1] + caller[2])
        if called is None:
            return None
        if callee[1] + callee[2] in called:
            return True
        if callee[1] == "<clinit>" or (None in called and "java.lang.invoke." in caller[0] + callee[0]):
            return None
        return None if None in called and "Lambda" in callee[0] else False


def read_samples(path):
    for block in open(path, errors="replace").read().split("\n\n"):
        lines = block.strip("\n").split("\n")
        frames = [m.groups() for m in map(FRAME.match, lines[1:]) if m]
        frames = [(sym, dso) for sym, dso in frames if "[kernel" not in dso and dso != "[guest.kernel.kallsyms]"]
        if any(is_java(f) for f in frames):
            yield frames


def is_java(frame):
    return frame[1].startswith("[java]") or re.match(r"//anon|\[anon|/tmp/perf-|.*\.jsa$", frame[1]) is not None


def method_of(frame):
    m = METHOD.match(frame[0]) if is_java(frame) else None
    return m.groups() if m else None


def is_start(frame):
    return frame[0] in ("clone3", "__clone3", "clone", "__clone", "start_thread", "_start") or (
        frame[0] == "[unknown]" and ("/libc." in frame[1] or "/libpthread" in frame[1])
    )


def judge(frames, code, counts):
    """Return why the chain is not exact, or None."""
    why = None
    if not is_start(frames[-1]) and not frames[-1][0].startswith("jdk.internal.vm.Continuation.enterSpecial"):
        why = "ends in " + frames[-1][0]
    for i, frame in enumerate(frames):
        if is_java(frame) and frame[0] == "[unknown]":
            why = "a frame without a name"
        callee = method_of(frame)
        caller = method_of(frames[i + 1]) if i + 1 < len(frames) else None
        if not callee or not caller:
            continue
        may = code.may_call(caller, callee)
        counts["pairs"] += may is not None
        if may is False:
            counts["wrong"] += 1
            why = ".".join(caller[:2]) + " calls " + ".".join(callee[:2])
    if not any(method_of(f) for f in frames):
        return why or ("no method" if frames[0][0] in ("Interpreter", "nmethod") else None)
    return why


def main():
    script, javap = sys.argv[1], sys.argv[2:]
    code = Bytecodes(javap)
    samples = list(read_samples(script))
    for frames in samples:
        for frame in frames:
            m = method_of(frame)
            if m and "Lambda" not in m[0] and "Accessor" not in m[0] and "Proxy" not in m[0]:
                code.wanted.add(m[0])
    code.read()
    counts = collections.Counter()
    bad = collections.Counter()
    for frames in samples:
        why = judge(frames, code, counts)
        bad[why] += 1
    print(bad[None], len(samples), counts["pairs"], counts["wrong"])
    del bad[None]
    for why, nr in bad.most_common(12):
        print("   ", nr, why)


main()
