"""Time from a key to its answer on the screen, on a real pseudo-terminal.

latency.py ROWSxCOLUMNS ROUNDS KEYS COMMAND...
Prints ms until the first table, median and 99th percentile of ms from key to screen.
An answer is complete when the program has written nothing for 30 ms; that wait is not counted.
KEYS: names of KEY below or single characters, separated by blanks.
"""
import fcntl
import os
import pty
import select
import statistics
import struct
import sys
import termios
import time

KEY = {"Up": b"\033OA", "Down": b"\033OB", "Right": b"\033OC", "Left": b"\033OD", "PgDn": b"\033[6~",
       "PgUp": b"\033[5~", "Home": b"\033OH", "End": b"\033OF", "Enter": b"\r", "Esc": b"\033",
       "Backspace": b"\177", "Tab": b"\t"}
QUIET = 0.03


def answer(fd, first, word=b""):
    """Read until the program has written the word and is quiet. Return the time of the last byte, or None."""
    last, seen, wait = None, b"", first
    while select.select([fd], [], [], wait)[0]:
        try:
            data = os.read(fd, 1 << 16)
            if not data:
                return last
            seen += data
        except OSError:
            return last
        last = time.monotonic()
        wait = QUIET if word in seen else first
    return last


def main():
    size, rounds, keys, command = sys.argv[1], int(sys.argv[2]), sys.argv[3].split(), sys.argv[4:]
    rows, columns = map(int, size.split("x"))
    start = time.monotonic()
    pid, fd = pty.fork()
    if not pid:
        os.environ["TERM"] = "xterm-256color"
        os.execvp(command[0], command)
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    first = answer(fd, 60, b"Self")  # the header of the table
    times = []
    for _ in range(rounds):
        for key in keys:
            sent = time.monotonic()
            os.write(fd, KEY.get(key, key.encode()))
            seen = answer(fd, 1)
            if seen:
                times.append(1000 * (seen - sent))
    os.write(fd, b"q")
    os.close(fd)
    os.waitpid(pid, 0)
    times.sort()
    print("first %.1f ms, key to screen: median %.1f ms, p99 %.1f ms (%d keys answered)"
          % (1000 * (first - start), statistics.median(times), times[min(len(times) - 1, int(len(times) * 0.99))],
             len(times)))


main()
