"""What LLVM's own reader of debug information makes of the samples of a recording, held against perf export --as-sampled.

	counted.py PERF RECORDING BINARY PROFILE LLVM-SYMBOLIZER

Counts the addresses that perf script prints, asks llvm-symbolizer for their lines, discriminators and inlined functions, and
prints what differs.  It assumes that perf script places addresses rightly.  A line has the count of the instruction with
most samples; code of which there are copies has it for each.
"""
import collections
import json
import re
import subprocess
import sys

perf, recording, binary, profile, symbolizer = sys.argv[1:]


def output(*command, text=None):
    return subprocess.run(command, input=text, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout


def addresses():
    """Linked addresses: by the symbol and the offset in it."""
    starts = {}
    for line in output('nm', binary).splitlines():
        words = line.split()
        if len(words) == 3:
            starts.setdefault(words[2], int(words[0], 16))
    counts = collections.Counter()
    lost = 0
    for line in output(perf, 'script', '-i', recording, '-G', '--no-demangle', '-F', 'ip,sym,symoff,dso').splitlines():
        m = re.match(r'\s*[0-9a-f]+ (\S+)\+0x([0-9a-f]+) \((.*)\)', line)
        if not m or not m.group(3).endswith('/' + binary.split('/')[-1]):
            continue
        if m.group(1) in starts:
            counts[starts[m.group(1)] + int(m.group(2), 16)] += 1
        elif not m.group(1).endswith('@plt'):
            lost += 1
    assert not lost, f'{lost} samples in symbols that nm does not have'
    return counts


def numbers(discriminator):
    """Those that LLVM puts into one.  Bit 0 set: 0; else 5 bits, or with bit 6 12 bits in two parts."""
    found = []
    for _ in range(3):
        if discriminator & 1:
            found.append(0)
            discriminator >>= 1
            continue
        low = discriminator >> 1 & 0x1f
        is_long = discriminator & 0x40
        found.append(discriminator >> 2 & 0xfe0 | low if is_long else low)
        discriminator >>= 14 if is_long else 7
    return found


def reference(counts):
    """{((name, call), ..., name, spot): samples}, the outermost function first."""
    tree = collections.Counter()
    unknown = 0
    order = sorted(counts)
    answers = output(symbolizer, '--output-style=JSON', '--no-demangle', '--functions=linkage', '--inlines', '--obj=' + binary,
                     text=''.join(f'{a:#x}\n' for a in order)).splitlines()
    for address, answer in zip(order, answers, strict=True):
        frames = json.loads(answer)['Symbol']
        if not frames or not frames[0]['FileName'] or not frames[0]['StartLine']:
            unknown += counts[address]
            continue
        path = []
        for f in reversed(frames):
            path.append((f['FunctionName'], (f['Line'] - f['StartLine']) & 0xffff, numbers(f.get('Discriminator', 0))[0]))
        copies = numbers(frames[0].get('Discriminator', 0))[1] or 1
        tree[tuple(path)] = max(tree[tuple(path)], counts[address] * copies)
    return tree, unknown


def ours():
    tree = collections.Counter()
    stack = []
    for line in open(profile):
        depth = len(line) - len(line.lstrip(' '))
        words = line.split()
        if not depth:
            stack = [words[0].rsplit(':', 2)[0]]
            spots = []
            continue
        line_, _, discriminator = words[0].rstrip(':').partition('.')
        spot = (int(line_), int(discriminator or 0))
        del stack[depth:], spots[depth - 1:]
        if words[1].isdigit():
            path = [(stack[i], *spots[i]) for i in range(depth - 1)] + [(stack[depth - 1], *spot)]
            tree[tuple(path)] += int(words[1])
        else:
            stack.append(words[1].rsplit(':', 1)[0])
            spots.append(spot)
    return tree


want, unknown = reference(addresses())
got = ours()
wrong = [p for p in set(want) | set(got) if want[p] != got[p]]
for p in sorted(wrong)[:10]:
    print(f'{want[p]} samples, in the profile {got[p]}: {p}')
print(f'{len(want)} lines, {unknown} samples without a line, {len(wrong)} lines differ')
sys.exit(bool(wrong) or not want)
