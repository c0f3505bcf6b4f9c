#!/usr/bin/env python3
"""How much two profiles for compilers agree.

    overlap.py [-v] [-p] [-l] [--at-least PERCENT] A B

A and B are of the same kind: LLVM's sample profiles as text, gcov files of AutoFDO (or what dump_gcov printed of one), or BOLT's fdata
(of branches, or no_lbr). Prints, in percent:

    similarity   of lines, as llvm-profdata overlap --sample has it: for each function the sum of the smaller ones of the two shares
                 that a position has of the function's counts, less what the two weights of the function differ by; weighted by these
    overlap      the sum of the smaller ones of the two shares that a position has of all counts of the program
    samples      the sum of the smaller ones of the two counts, divided by that of the larger ones
    heads        overlap of the functions' head counts; fdata: of entries from outside of the program
    targets      overlap of the call targets; fdata: of branches between functions

A position is a line offset and discriminator in a function, with those of the inlined calls that lead to it; in fdata a branch, or
an address. -v lists the functions that differ most. -p leaves out positions before the function's first line, which
line 0 gets; -l takes all constructors of a class with the same arguments for one, all destructors, and all lines of a
lambda: create_gcov gives them numbers that gcc does not. Status 1: the similarity is less than PERCENT, or a profile is empty.
"""
import argparse
import collections
import re
import struct
import sys

MAGIC, STRINGS, FUNCTIONS = 0x67636461, 0xaa000000, 0xac000000
MAX_OFFSET = 0x8000  # offsets are 16 bits, and those from here on negative


class Profile:
    def __init__(self, path):
        self.counts = {}  # function -> position -> count
        self.heads, self.targets = collections.Counter(), collections.Counter()
        data = open(path, "rb").read()
        text = data.decode(errors="surrogateescape")
        if data[:4] == struct.pack("<I", MAGIC):
            self.read_gcov(data)
        elif re.match(r"(boltedcollection\n)?no_lbr|[0-4] \S+ [0-9a-fA-F]+ ", text):
            self.read_fdata(text)
        else:
            self.read_text(text)
        self.sums = {name: sum(counts.values()) for name, counts in self.counts.items()}
        self.sum = sum(self.sums.values())

    def add(self, function, position, count):
        counts = self.counts.setdefault(function, {})
        counts[position] = counts.get(position, 0) + count

    def read_text(self, text):
        """LLVM's, or dump_gcov's: ` 3.1: 20 target:5`, ` 3: callee:40`, `function:40:1`; dump_gcov has `callee total:40` and `head:1`."""
        levels, function = [], None
        for number, line in enumerate(text.split("\n"), 1):
            line = re.sub(r"(:| )total:(\d+)", r":\2", line).replace(" head:", ":").rstrip()
            indent, rest = len(line) - len(line.lstrip(" ")), line.lstrip(" ")
            head = re.fullmatch(r"(.+):(\d+):(\d+)", rest) if indent == 0 else None
            place = re.fullmatch(r"(\d+)(?:\.(\d+))?: (.*)", rest)
            if not rest or rest.startswith("!"):
                continue
            if head:
                function, levels = head[1], [(0, ())]
                self.counts.setdefault(function, {})
                self.heads[function] += int(head[3])
            elif place and function is not None:
                while levels[-1][0] >= indent:
                    levels.pop()
                position = levels[-1][1] + (int(place[1]) & 0xffff, int(place[2] or 0))
                if re.fullmatch(r"\d+( +\S+:\d+)*", place[3]):
                    count, *targets = place[3].split()
                    self.add(function, position, int(count))
                    for target in targets:
                        name, nr = target.rsplit(":", 1)
                        self.targets[(function, *position, name)] += int(nr)
                else:
                    levels.append((indent, position + (place[3].rsplit(":", 1)[0],)))
            else:
                raise SystemExit(f"line {number} is not of a profile: {line!r}")

    def read_gcov(self, data):
        at = 12

        def number(format="I"):
            nonlocal at
            value, = struct.unpack_from("<" + format, data, at)
            at += struct.calcsize(format)
            return value

        def strings(nr, unit):
            nonlocal at
            names = []
            for _ in range(nr):
                size = number() * unit
                names.append(data[at:at + size].split(b"\0")[0].decode())
                at += size
            return names if at < len(data) and number() == FUNCTIONS else None

        def body(function, before):
            nr_positions, nr_calls = number(), number()
            for _ in range(nr_positions):
                place, nr_targets, count = number(), number(), number("Q")
                position = before + (place >> 16, place & 0xffff)
                self.add(function, position, count)
                for _ in range(nr_targets):
                    number()
                    name = names[number("Q")]
                    self.targets[(function, *position, name)] += number("Q")
            for _ in range(nr_calls):
                place = number()
                body(function, before + (place >> 16, place & 0xffff, names[number()]))

        tag, _, nr = number(), number(), number()
        start, names = at, None
        for unit in 1, 4:  # sizes of strings are of bytes, or of words
            at = start
            try:
                names = names or strings(nr, unit)
                if names:
                    break
            except (struct.error, UnicodeDecodeError):
                pass
        if tag != STRINGS or not names:
            raise SystemExit("not a gcov file of AutoFDO")
        number()
        for _ in range(number()):
            head, name = number("Q"), names[number()]
            self.counts.setdefault(name, {})
            self.heads[name] += head
            body(name, ())

    def read_fdata(self, text):
        for number, line in enumerate(text.split("\n"), 1):
            words = line.split()
            if not words or words[0] in ("no_lbr", "boltedcollection"):
                continue
            if len(words) == 4:
                self.add(words[1], (int(words[2], 16),), int(words[3]))
            elif len(words) == 8:
                source, target, count = (words[1], int(words[2], 16)), (words[4], int(words[5], 16)), int(words[7])
                self.add(words[1], (source[1], *target), count)
                if words[0] == "0":
                    self.heads[target] += count
                if source[0] != target[0]:
                    self.targets[source, target] += count
            else:
                raise SystemExit(f"line {number} is not of fdata: {line!r}")

    def leave_out_line_0(self):
        for counts in self.counts.values():
            for position in [p for p in counts if p[-2] >= MAX_OFFSET]:
                del counts[position]
        self.sums = {name: sum(counts.values()) for name, counts in self.counts.items()}
        self.sum = sum(self.sums.values())


    def be_loose(self):
        def loose(position):
            position = [re.sub(r"([CD])[124](?=[EI])", r"\g<1>4", x) if isinstance(x, str) else x for x in position]
            return tuple(0 if i and position[i - 1] == "operator()" else x for i, x in enumerate(position))

        old, self.counts = self.counts, {}
        for function, counts in old.items():
            for position, count in counts.items():
                self.add(loose((function,))[0], loose(position), count)
        self.heads = collections.Counter({loose((name,))[0]: count for name, count in self.heads.items()})
        self.targets = collections.Counter({loose(target): count for target, count in self.targets.items()})
        self.sums = {name: sum(counts.values()) for name, counts in self.counts.items()}


def share(part, whole):
    return part / whole if whole else 0


def overlap(a, b):
    sum_a, sum_b = sum(a.values()), sum(b.values())
    return sum(min(share(count, sum_a), share(b.get(key, 0), sum_b)) for key, count in a.items())


def similarity_of(name, a, b):
    """The similarity of a function's positions, 0 to 1, and the weights of the function in both profiles."""
    counts_a, counts_b = a.counts.get(name), b.counts.get(name)
    weights = share(a.sums.get(name, 0), a.sum), share(b.sums.get(name, 0), b.sum)
    if counts_a is None or counts_b is None:
        return 0, weights
    difference = sum(abs(share(counts_a.get(p, 0), a.sums[name]) - share(counts_b.get(p, 0), b.sums[name])) for p in counts_a.keys() | counts_b.keys())
    return (1 - difference / 2) * (1 - abs(weights[0] - weights[1])), weights


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-v", action="store_true", dest="verbose")
    parser.add_argument("-p", action="store_true", dest="positive")
    parser.add_argument("-l", action="store_true", dest="loose")
    parser.add_argument("--at-least", type=float, default=0)
    parser.add_argument("a")
    parser.add_argument("b")
    options = parser.parse_args()
    a, b = Profile(options.a), Profile(options.b)
    if options.positive:
        a.leave_out_line_0()
        b.leave_out_line_0()
    if options.loose:
        a.be_loose()
        b.be_loose()
    rows = [(name, *similarity_of(name, a, b)) for name in sorted(a.counts.keys() | b.counts.keys())]
    similarity = sum(value * (x + y) / 2 for _, value, (x, y) in rows)
    flat_a, flat_b = ({(name, p): count for name, counts in x.counts.items() for p, count in counts.items()} for x in (a, b))
    keys = flat_a.keys() | flat_b.keys()
    pairs = [(flat_a.get(key, 0), flat_b.get(key, 0)) for key in keys]
    print(f"similarity {100 * similarity:.3f}")
    print(f"overlap {100 * overlap(flat_a, flat_b):.3f}")
    print(f"samples {100 * share(sum(map(min, pairs)), sum(map(max, pairs))):.3f}")
    for title, x, y in ("heads", a.heads, b.heads), ("targets", a.targets, b.targets):
        if any(x.values()) or any(y.values()):
            print(f"{title} {100 * overlap(x, y):.3f}")
    if options.verbose:
        print("weight A, weight B, similarity, positions of A, of B, function")
        rows.sort(key=lambda row: (row[1] - 1) * max(row[2]))
        for name, value, weights in rows[:20]:
            sizes = len(a.counts.get(name, ())), len(b.counts.get(name, ()))
            print("%6.2f%% %6.2f%% %6.2f%% %5d %5d %s" % (*(100 * w for w in weights), 100 * value, *sizes, name))
    if not a.sum or not b.sum or 100 * similarity < options.at_least:
        sys.exit(1)


main()
