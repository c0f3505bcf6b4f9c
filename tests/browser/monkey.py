"""Press random keys in the browser of report or diff, on a real pseudo-terminal, and look at all that it writes.

monkey.py SEED KEYS PERF report|diff RECORDING...
A comparison is of a recording with itself, or of two if their names have a comma between them.
Fails if the program ends otherwise than by a key for it, does not answer, or writes
bytes that are neither text nor one of the terminal's sequences. Seed and name of a recording make its keys repeatable. What sanitizers say is in files called sanitizer.PID in MONKEY_FOLDER.
"""
import fcntl
import multiprocessing
import os
import pty
import random
import re
import select
import struct
import sys
import termios
import time

KEYS = ([b"\033OA", b"\033OB", b"\033OC", b"\033OD", b"\033[6~", b"\033[5~", b"\033OH", b"\033OF", b"\r", b"\t",
         b"\177", b"\f"] * 4
        + [k.encode() for k in "lcgTpai?hmdtk=uSoFLVyPs!eECAH%+I[]nN/0123456789v "]
        + [b"\033", b"/m", b"/[", b"/.*\r", b"\xc3\xa9", b"\xff", b"\x01", b"5\r", b"\033[Z"])
# What ncurses writes for xterm-256color, and OSC 52.
SEQUENCES = re.compile(rb"\033\[[0-9;?]*[a-zA-Z]|\033[()][A-Z0-9]|\033[=>78M]|\033\]52;c;[A-Za-z0-9+/=]*\a|[\x0e\x0f\r\n\b\t]")


AT_ONCE = 4  # recordings: most of the time, nobody has anything to do before the next key


class Failure(Exception):
    pass


def fail(what, log):
    raise Failure("FAIL: %s\nthe last keys: %r" % (what, log[-40:]))


def start(perf, command, path):
    """Of nothing to compare, such as recordings without samples, there is no browser."""
    old, _, new = path.partition(",")
    words = ["report", "--tui", "-i", path] if command == "report" else ["diff", "--tui", old, new or old]
    pid, fd = pty.fork()
    if not pid:
        os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8", ASAN_OPTIONS="log_path=sanitizer",
                          UBSAN_OPTIONS="print_stacktrace=1:log_path=sanitizer")
        os.chdir(os.environ.get("MONKEY_FOLDER", "."))
        os.execv(perf, [perf] + words)
    return pid, fd


def read(fd, wait):
    data = b""
    while select.select([fd], [], [], wait)[0]:
        try:
            got = os.read(fd, 1 << 16)
        except OSError:
            return data, True
        if not got:
            return data, True
        data += got
        wait = 0
    return data, False


def check(data, log):
    rest = SEQUENCES.sub(b"", data)
    try:
        text = rest.decode("utf-8")
    except UnicodeDecodeError:
        text = rest[:-3].decode("utf-8", "replace")
    for c in text:
        if ord(c) < 32 or 0x7f <= ord(c) < 0xa0 or c in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069":
            fail("the terminal gets %r in %r" % (c, text[:200]), log)


def press(fd, log, rng):
    if rng.random() < 0.01:
        size = rng.choice([(24, 80), (10, 40), (60, 200), (1, 1), (2, 5), (3, 400)])
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        log.append(size)
        return
    if rng.random() < 0.05:
        key = b"\033[<%d;%d;%d%s" % (rng.choice([0, 32, 64, 65]), rng.randrange(1, 90), rng.randrange(1, 30),
                                    rng.choice([b"M", b"m"]))
    else:
        key = rng.choice(KEYS)
    log.append(key)
    os.write(fd, key)


def run(perf, command, path, nr, rng):
    """Press nr keys. A program that ends by itself must end with status 0 or 1, and is started again."""
    done, log = 0, []
    while done < nr:
        pid, fd = start(perf, command, path)
        data, over = read(fd, 30)
        check(data, log)
        done += over
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        while not over and done < nr:
            press(fd, log, rng)
            done += 1
            got, over = read(fd, 0.002 if rng.random() < 0.9 else 0.05)
            data += got
            check(got, log)
        for _ in range(3):
            if not over:
                os.write(fd, b"\033")
                time.sleep(0.1)
        status, end = None, time.monotonic() + 60
        while True:
            got, status = os.waitpid(pid, os.WNOHANG)
            if got:
                break
            if time.monotonic() > end:
                fail("q does not leave", log)
            if not over:
                os.write(fd, b"q")
                _, over = read(fd, 0.1)
            time.sleep(0.1)
        os.close(fd)
        if os.WIFSIGNALED(status) or os.WEXITSTATUS(status) > 1:
            fail("%s: status %#x" % (path, status), log)


def run_one(path):
    perf, command, nr = os.path.abspath(sys.argv[3]), sys.argv[4], max(1, int(sys.argv[2]) // len(sys.argv[5:]))
    try:
        run(perf, command, ",".join(os.path.abspath(f) for f in path.split(",")), nr, random.Random(sys.argv[1] + path))
    except Failure as e:
        return "%s: %s" % (path, e)
    print("%s: %d keys" % (os.path.basename(path), nr), flush=True)
    return None


def main():
    with multiprocessing.Pool(AT_ONCE) as pool:
        failed = [e for e in pool.map(run_one, sys.argv[5:], 1) if e]
    print("\n".join(failed))
    sys.exit(1 if failed else 0)


main()
