# Print the stacks of a pprof file, one a line, the innermost function first:
#	pprof_stacks.py FILE
# Functions of a location are joined by "<", locations by " | "; a function is NAME,SYSTEM_NAME,START_LINE,LINE.
import gzip
import sys


def fields(data):
    """The fields of a message: number, and a number or bytes."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        value = varint()
        if key & 7 == 2:
            at += value
            value = data[at - value : at]
        yield key >> 3, value


def numbers(packed):
    """A packed list of numbers: the bytes of each but its last one have bit 7."""
    value = shift = 0
    for byte in packed:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield value
            value = shift = 0


with gzip.open(sys.argv[1]) as f:
    profile = list(fields(f.read()))
texts = [v.decode() for k, v in profile if k == 6]
functions = {m[1]: m for m in (dict(fields(v)) for k, v in profile if k == 5)}
locations = {}
for location in (list(fields(v)) for k, v in profile if k == 4):
    shown = []
    for line in (dict(fields(v)) for k, v in location if k == 4):
        f = functions[line[1]]
        shown.append(f"{texts[f.get(2, 0)]},{texts[f.get(3, 0)]},{f.get(5, 0)},{line.get(2, 0)}")
    locations[dict(location)[1]] = "<".join(shown)
for sample in (dict(fields(v)) for k, v in profile if k == 2):
    print(" | ".join(locations[i] for i in numbers(sample.get(1, b""))))
