"""How often gcc takes blocks to run, in what -fdump-ipa-afdo=FILE wrote.

	gcc_blocks.py DUMP          FUNCTION: COUNT of each block with a count of the profile
	gcc_blocks.py DUMP OTHER    how much the shares that blocks have of all counts agree, in percent, and the number of blocks;
	                            of functions that have counts, and as many blocks, in both (what is inlined depends on the names)
"""
import re
import sys


def blocks(path):
    found, last, function = {}, '', None
    for line in open(path):
        line = line.strip()
        m = re.match(r'<bb (\d+)> \[count: (\d+)', line)
        if line == '{':
            function = last
        elif m:
            found[function, int(m.group(1))] = int(m.group(2))
        last = line or last
    return found


a = blocks(sys.argv[1])
assert a and sum(a.values()), 'no counts'
if len(sys.argv) == 2:
    for function in dict.fromkeys(name for name, _ in a):
        print(f'{function}:', *(count for (name, _), count in a.items() if name == function))
else:
    b = blocks(sys.argv[2])
    both = {name for name, _ in a if any(a.get(key) for key in a if key[0] == name) and any(b.get(key) for key in b if key[0] == name) and
            {key for key in a if key[0] == name} == {key for key in b if key[0] == name}}
    a, b = ({key: count for key, count in x.items() if key[0] in both} for x in (a, b))
    total = sum(a.values()), sum(b.values())
    same = sum(min(a[key] / total[0], b.get(key, 0) / total[1]) for key in a)
    print(f'{100 * same:.2f} {len(a.keys() | b.keys())}')
