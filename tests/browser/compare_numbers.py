"""Numbers on the screen of perf diff's browser are those of perf diff --json.

compare_numbers.py JSON SCREEN
SCREEN is text of a screen that is wide enough for all names, with all functions. Fails if a function is missing, or has another
cost, change, interval, verdict or binary.
"""
import json
import re
import sys

UNITS = {"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
CHANGE = r"(?:[-+][0-9.]+%|x[0-9]+|-)"
ROW = re.compile(r"^[|*] +([0-9.]+) ?([a-zA-Z]*) +([0-9.]+) ?([a-zA-Z]*)(?: +(" + CHANGE + r"))?? +(" + CHANGE + r") +(?:(" + CHANGE + r") \.\. (" + CHANGE
                 + r"|any))? +(slower|faster|same|cannot tell|too few|new|gone|moved|renamed) +(.*?)(?: \([^()]*\))? {2,}(\S+)?$")


def is_cost(number, unit, want):
    return abs(float(number) - want / UNITS[unit]) <= (0.00501 if float(number) < 10 else 0.0501)


def is_change(text, want):
    """want: a ratio; None: not known, or infinite."""
    if text in (None, "-", "any"):
        return want is None
    if want is None:
        return False
    if text[0] == "x":
        return abs(float(text[1:]) - want) <= 0.51
    return abs(float(text[:-1]) - 100 * (want - 1)) <= 0.0501


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        functions = json.load(f)["functions"]
    with open(sys.argv[2], encoding="utf-8") as f:
        rows = [m.groups() for m in map(ROW.match, f) if m]
    shown = {(row[9], row[10] or ""): row for row in rows}
    for f in functions:
        row, own = shown.get((f["function"], f["binary"])), f["self"]
        if not row:
            sys.exit("%s of %s is not shown" % (f["function"], f["binary"]))
        is_right = is_cost(row[0], row[1], own["old"]) and is_cost(row[2], row[3], own["new"]) and row[8] == f["verdict"]
        is_right &= bool(row[6]) == ("change" in own and own["old"] + own["new"] > 0)
        if row[4]:  # where much is shared
            is_right &= is_change(row[4], own["plain"])
        if row[6]:
            is_right &= is_change(row[5], own["change"]) and is_change(row[6], own["low"]) and is_change(row[7], own["high"])
        if not is_right:
            sys.exit("%s, but %s" % (row, f))
    print("%d functions" % len(functions))


main()
