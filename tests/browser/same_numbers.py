"""Numbers on the screens of the browser are those of the text report, for the same filters.

same_numbers.py PERF RECORDING...
Of each recording, in a terminal of 230 columns and 100 rows: rows of the table, also after filters, with what the command
prints that the browser names for them; threads; the flame graph's share of a function; a function in its callers.
"""
import collections
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

perf = sys.argv[1]
folder = tempfile.mkdtemp()
AT_ONCE = 4  # recordings: browsers wait for keys and pictures of their screens most of the time
own = threading.local()  # socket: of the thread's tmux, another one for each recording; server, shell: its processes
failures = 0
compared = collections.Counter()
lock = threading.Lock()


def tmux(*args):
    return subprocess.run(["tmux", "-u", "-f", "/dev/null", "-S", own.socket, *args], capture_output=True, encoding="utf-8", errors="replace", check=False).stdout


def is_running(stat):
    """Whether the process or thread of this file in /proc is on a processor, waits for one, or for a disk."""
    try:
        with open(stat, encoding="utf-8", errors="replace") as f:
            return f.read().rpartition(")")[2].split()[0] in "RD"
    except (OSError, IndexError):
        return False


def browser_threads():
    try:
        with open("/proc/%s/task/%s/children" % (own.shell, own.shell), encoding="ascii") as f:
            browser = f.read().split()[0]
        return ["/proc/%s/task/%s/stat" % (browser, tid) for tid in os.listdir("/proc/%s/task" % browser)]
    except (OSError, IndexError):
        return []


def wait_until_idle():
    """A key goes from tmux's server to the browser, whose answer goes back to the server; on a busy machine, each of them
    waits for a processor first. What waits for nothing but the next key is idle, when looked at in this order."""
    server = ["/proc/%s/stat" % own.server]
    for _ in range(400):
        if not any(is_running(stat) for stat in server + browser_threads() + server):
            break
        time.sleep(0.02)


def screen():
    """The lines of the screen, as soon as the browser waits and two pictures of it are equal."""
    wait_until_idle()
    last = None
    for _ in range(200):
        now = tmux("capture-pane", "-p", "-t", "s")
        if now == last and now.strip() and "Reading ..." not in now:
            break
        last = now
        time.sleep(0.05)
    return now.rstrip("\n").split("\n")


def press(*keys):
    """Names of keys; "=text" is typed."""
    for key in keys:
        if key.startswith("="):
            tmux("send-keys", "-t", "s", "-l", key[1:])
        else:
            tmux("send-keys", "-t", "s", *key.split())
        if key == "Escape":  # a key that comes with it would be another one
            wait_until_idle()
            time.sleep(0.1)
    time.sleep(0.05)
    return screen()


def text(command):
    out = subprocess.run(command + " 2>/dev/null", shell=True, capture_output=True, encoding="utf-8", errors="replace", check=False)
    return out.stdout.split("\n")


NUMBERS = re.compile(r"^[-+ ]? *((?:[0-9.]+%? +)+)\S+")


def rows_of(lines):
    """The numbers of each row of a table. A filter may take columns of names away."""
    rows = collections.Counter()
    for line in lines:
        m = NUMBERS.match(line)
        if m and not line.startswith("#") and "." in m.group(1) and "..." not in m.group(1):  # the hot path
            rows[" ".join(m.group(1).split())] += 1
    return rows


def expect(path, what, is_right, details):
    global failures
    with lock:
        compared[path] += 1
        if not is_right:
            failures += 1
            print("%s: %s: %s" % (path, what, details))


def shown_command():
    """The command that prints what is shown. On a busy machine, the key may arrive after two equal screens."""
    line = press("!")[-1].strip()
    for _ in range(100):
        if " report --" in line:
            break
        time.sleep(0.05)
        line = screen()[-1].strip()
    return line


def compare_table(path, what):
    """The rows on the screen are among those that the command prints."""
    table = rows_of(press("Home")[2:-1])
    command = shown_command()
    printed = rows_of(text(command.replace("perf", perf, 1) + " --percent-limit 0 -g none | cat"))
    missing = table - printed
    expect(path, what, not missing, "%d of %d rows are not printed by '%s', such as %s"
           % (len(missing), len(table), command, list(missing)[:3]))
    with lock:
        compared["rows"] += sum(table.values())


def compare_threads(path):
    """Lines of threads, and of processes: each adds up its threads. Tasks that had ended have -1 as their id."""
    printed = collections.defaultdict(list)
    for line in text("%s report --stdio -i %s -s tgid,tid -F overhead,sample,tgid,tid -g none --percent-limit 0" % (perf, path)):
        m = re.match(r" *([0-9.]+)% +(\d+) +(-?\d+):.*? {2,}(-?\d+):", line)
        if m:
            printed[m.group(3), m.group(4)].append((m.group(1), int(m.group(2))))
        elif line.startswith("# Samples") and printed:
            break
    for line in press("p")[2:-1]:
        m = re.match(r" *([0-9.]+)%  .{18} +(-?\d+) +(-?\d+)? +(\d+)$", line)
        if not m:
            continue
        if m.group(3):
            expect(path, "thread %s of %s" % (m.group(3), m.group(2)), printed[m.group(2), m.group(3)] == [(m.group(1), int(m.group(4)))],
                   "%s, printed is %s" % (line, printed[m.group(2), m.group(3)]))
        else:
            want = sum(nr for (pid, _), rows in printed.items() if pid == m.group(2) for _, nr in rows)
            expect(path, "process %s" % m.group(2), int(m.group(4)) == want, "%s, printed is %s" % (line, want))
    press("Escape")


def compare_flame(path):
    """The share of the flame graph that a search finds is the function's, with what it calls."""
    names = {}
    for line in text("%s report --stdio -i %s -s sym --children -g none --percent-limit 0" % (perf, path)):
        m = re.match(r" *([0-9.]+)% +[0-9.]+% +\[.\] ([A-Za-z_][A-Za-z0-9_]*)$", line)
        if m:
            names[m.group(2)] = None if m.group(2) in names else m.group(1)
        elif line.startswith("# Samples") and names:
            break
    press("g")
    for name in [n for n in names if names[n]][:4]:
        lines = press("/", "=^%s( \\(|$)" % name, "Enter")
        m = re.search(r"found in ([0-9.]+)%", "\n".join(lines))
        expect(path, "flame graph, %s" % name, m and m.group(1) == names[name],
               "%s, printed is %s" % (m and m.group(1), names[name]))
    press("/", "Enter", "Escape")


def compare_callers(path):
    """The function in the middle has the numbers of its row."""
    lines = press("Home")
    m = re.match(r"[-+ ] *([0-9.]+)% +([0-9.]+)%", lines[2]) if len(lines) > 2 else None
    if not m or "Symbol" not in lines[1]:
        return
    lines = press("c")
    press("Escape")
    middle = [x for x in lines if "(itself" in x]
    expect(path, "callers", middle and ("%s%%" % m.group(1)) in middle[0] and ("itself %s%%)" % m.group(2)) in middle[0],
           "%s, the row has %s and %s" % (middle, m.group(1), m.group(2)))


def look_at(path):
    is_of_times = "offcpu" in "".join(text("%s evlist -i %s" % (perf, path)))
    own.socket = os.path.join(folder, os.path.basename(path))
    tmux("new-session", "-d", "-s", "s", "-x", "230", "-y", "100", "LC_ALL=C.UTF-8 '%s' report --tui -i %s 2>%s.errors; sleep 60"
         % (perf, path, own.socket))
    own.server, own.shell = tmux("display-message", "-p", "-t", "s", "#{pid} #{pane_pid}").split()
    time.sleep(0.3)
    if "and waits" in screen()[0]:
        press("V")  # times as the text has them, not rounded
    compare_table(path, "all")
    press("d")
    compare_table(path, "the first row's binary")
    press("F")
    compare_table(path, "percentages of it")
    press("F", "BSpace", "Down", "x")
    compare_table(path, "stacks with the second row's function")
    press("BSpace", "Home", "Down", "Down", "t")
    compare_table(path, "the third row's thread")
    press("BSpace", "T", "Right " * 40, "[", "Right " * 60, "]", "Enter", "Escape")
    compare_table(path, "a span of time")
    press("BSpace")
    if not is_of_times:
        compare_threads(path)
        compare_flame(path)
        compare_callers(path)
    tmux("kill-server")
    print("%s: %d comparisons" % (path, compared[path]))


with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
    list(pool.map(look_at, sys.argv[2:]))
shutil.rmtree(folder, ignore_errors=True)
print("%d rows of tables, %d differences" % (compared["rows"], failures))
sys.exit(1 if failures or compared["rows"] < 100 else 0)
