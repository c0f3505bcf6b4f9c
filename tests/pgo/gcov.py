#!/usr/bin/env python3
"""The counts in a file for gcc -fauto-profile, one line each.

	gcov.py FILE                    FUNCTION@LINE.DISCRIMINATOR>INLINED@LINE.DISCRIMINATOR COUNT [CALLED:COUNT...], sorted
	gcov.py --heads FILE            FUNCTION HEAD
	gcov.py --summary FILE          of version 3: what it says of all counts

A file that is not as it should be ends with status 1.
"""
import struct
import sys


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        size = struct.calcsize(form)
        assert self.at + size <= len(self.data), 'the file is cut off'
        values = struct.unpack_from(form, self.data, self.at)
        self.at += size
        return values if len(values) > 1 else values[0]

    def string(self, in_words):
        size = self.take('<I') * (4 if in_words else 1)
        text = self.take(f'{size}s')
        assert not size or text.endswith(b'\0'), f'a string without end: {text}'
        text = text.rstrip(b'\0') if in_words else text[:-1]
        assert b'\0' not in text, f'a string with NUL: {text}'
        return text.decode('utf-8', 'surrogateescape')


class Profile:
    """heads: {function: count}; points: {path: (count, {called: count})}; path: (function, (line, discriminator), inlined ...)."""

    def __init__(self, path):
        r = Reader(open(path, 'rb').read())
        magic, self.version, stamp = r.take('<III')
        assert magic == 0x67636461 and not stamp, 'not a file of counts'
        assert self.version in (1, 2, 3), f'version {self.version}'
        self.read(r, in_words=self.version == 1)

    def section(self, r, tag, contents):
        found, size = r.take('<II')
        start = r.at
        assert found == tag, f'{found:x} in place of {tag:x}'
        contents()
        assert size == r.at - start, f'section {tag:x} has {r.at - start} bytes, not {size}'

    def read(self, r, in_words):
        def names():
            if self.version == 3:
                assert r.take('<I') == 0, 'files'
            self.names = []
            for _ in range(r.take('<I')):
                self.names.append(r.string(in_words))
                assert self.version < 3 or r.take('<i') == -1, 'the file of a function'
            assert len(set(self.names)) == len(self.names), 'a name is there twice'

        def functions():
            for _ in range(r.take('<I')):
                head = r.take('<Q')
                assert self.version < 3 or r.take('<Q') == 0, 'a time'
                name = self.names[r.take('<I')]
                assert name not in self.heads, f'the function {name} is there twice'
                self.heads[name] = head
                self.body(r, (name,))

        self.heads, self.points, self.summary = {}, {}, None
        if self.version == 3:
            assert r.take('<I') == 0xa8000000, 'no summary'
            self.summary = r.take('<QQQQQ'), [r.take('<IQQ') for _ in range(r.take('<Q'))]
        self.section(r, 0xaa000000, names)
        self.section(r, 0xac000000, functions)
        self.section(r, 0xae000000, lambda: r.take('<I'))
        assert r.at == len(r.data), f'{len(r.data) - r.at} bytes after the end'

    def body(self, r, path):
        nr_points, nr_inlined = r.take('<II')
        for _ in range(nr_points):
            spot, nr_targets, count = r.take('<IIQ')
            targets = {}
            for _ in range(nr_targets):
                kind, name, calls = r.take('<IQQ')
                assert kind == 7, f'a target of kind {kind}'
                assert self.names[name] not in targets, f'{self.names[name]} is there twice'
                targets[self.names[name]] = calls
            key = path + ((spot >> 16, spot & 0xffff),)
            assert key not in self.points, f'{key} is there twice'
            self.points[key] = count, targets
        for _ in range(nr_inlined):
            spot, name = r.take('<II')
            self.body(r, path + ((spot >> 16, spot & 0xffff), self.names[name]))


def shown(path):
    return '>'.join(f'{name}@{line}.{discriminator}' for name, (line, discriminator) in zip(path[::2], path[1::2], strict=True))


def main():
    what, *args = sys.argv[1:]
    if what == '--heads':
        for name, head in sorted(Profile(args[0]).heads.items()):
            print(name, head)
    elif what == '--summary':
        print(Profile(args[0]).summary)
    else:
        for path, (count, targets) in sorted(Profile(what).points.items()):
            print(shown(path), count, *(f'{name}:{calls}' for name, calls in sorted(targets.items())))


if __name__ == '__main__':
    main()
