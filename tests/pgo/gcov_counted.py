"""The samples of a recording by addr2line, held against what perf export --format autofdo --as-sampled wrote.

	gcov_counted.py PERF RECORDING BINARY SOURCE PROFILE

A line's count is that of its most frequent instruction.  Lines of functions that have samples are there with 0, if none are theirs.
SOURCE is of C, and each function begins on a line of its own: "... NAME(...)".  Prints what differs, or how much was compared.
"""
import collections
import re
import subprocess
import sys

import gcov

perf, recording, binary, source, profile = sys.argv[1:]


def output(*command, text=None):
    return subprocess.run(command, input=text, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout


def begins():
    found = {}
    for number, line in enumerate(open(source), 1):
        m = re.match(r'[a-z].*?(\w+)\([^()]*\)$', line)
        if m:
            found[m.group(1)] = number
    return found


def functions():
    return {words[3]: (int(words[0], 16), int(words[1], 16))
            for words in map(str.split, output('nm', '-S', '--defined-only', binary).splitlines()) if len(words) == 4 and words[2] in 'tT'}


def samples(symbols):
    counts = collections.Counter()
    for line in output(perf, 'script', '-i', recording, '-G', '-F', 'ip,sym,symoff,dso').splitlines():
        m = re.match(r'\s*[0-9a-f]+ (\S+)\+0x([0-9a-f]+) \((.*)\)', line)
        if m and m.group(3).endswith('/' + binary.split('/')[-1]) and m.group(1) in symbols:
            counts[symbols[m.group(1)][0] + int(m.group(2), 16)] += 1
    return counts


def paths(addresses):
    """The functions at each address, the outermost first, with their lines."""
    text = output('addr2line', '-a', '-f', '-i', '-e', binary, text=''.join(f'{a:#x}\n' for a in addresses))
    first = begins()
    for block in text.split('0x')[1:]:
        lines = block.splitlines()
        path = []
        for name, place in zip(lines[1::2], lines[2::2]):
            m = re.match(r'.*:(\d+)(?: \(discriminator (\d+)\))?$', place)
            if not m or name not in first:
                path = None
                break
            path = [name, ((int(m.group(1)) - first[name]) & 0xffff, int(m.group(2) or 0))] + path
        yield int(lines[0], 16), path and tuple(path)


symbols = functions()
counts = samples(symbols)
ran = [(start, size) for start, size in symbols.values() if any(start <= a < start + size for a in counts)]
want = collections.Counter()
for address, path in paths([a for start, size in ran for a in range(start, start + size)]):
    if path:
        want[path] = max(want[path], counts[address])
p = gcov.Profile(profile)
known = begins()
got = {path: count for path, (count, _) in p.points.items() if all(name in known for name in path[::2])}
wrong = [path for path in want.keys() | got.keys() if want.get(path) != got.get(path)]
for path in sorted(wrong)[:10]:
    print(f'{gcov.shown(path)}: {want.get(path)} samples, in the profile {got.get(path)}')
print(f'{sum(counts.values())} samples, {len(want)} lines, {sum(not count for count in want.values())} of them without samples, {len(wrong)} differ')
sys.exit(bool(wrong) or len(want) < 10 or not any(want.values()))
