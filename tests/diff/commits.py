#!/usr/bin/env python3
"""Does perf diff --git tell what a change of the source touched?

    tests/diff/commits.py PERF [PAIRS [PLANTED [SEED]]]

It writes programs in C and C++ whose functions are known, in several files, commits them, and changes them in known
ways. Each build is recorded, and perf diff compares:
- PAIRS (100) commits that touch comments, tests, documents and functions that take no time: no function may be called
  slower (or new) and touched;
- PLANTED (20) commits that make one function 5 to 30% slower, by its own source, that of an inlined function in a
  header, a macro, a constant in a header, or the source of a function that calls it: the function must be marked as
  touched, as one that uses what was, or as called by a touched one, and nothing else that takes time may be.
A line with a figure that has limits ends with "ok" or "OUT OF LIMITS"; the last line counts them.
"""
import json, os, random, shutil, subprocess, sys, tempfile

CC, CXX = os.environ.get("CC", "cc").split(), os.environ.get("CXX", "c++").split()


def sh(*words, cwd=None):
    p = subprocess.run(words, cwd=cwd, capture_output=True, text=True)
    if p.returncode:
        sys.exit(f"{' '.join(words)}: {p.stderr}")
    return p.stdout


def git(folder, *words):
    return sh("git", "-c", "user.name=a", "-c", "user.email=a@example.org", *words, cwd=folder).strip()


class Program:
    """A program of functions that do nothing but take time. files: text by path."""

    def __init__(self, rng, folder, is_cxx):
        self.rng, self.folder, self.is_cxx = rng, folder, is_cxx
        self.end = "cc" if is_cxx else "c"
        self.loops = {}  # by function: what bounds its loop
        self.files = {}
        os.mkdir(folder)
        git(folder, "init", "-q", "-b", "main")
        self.make()
        self.base = self.commit("base")

    def loop(self, name, bound, calls=""):
        brace = self.rng.choice([" {\n", "\n{\n"])
        return (f"__attribute__((noinline)) unsigned {name}(unsigned x){brace}"
                f"\tfor (int i = 0; i < {bound}; i++)\n\t\tx = x * 22695477u + {self.rng.randrange(1, 99) * 2 + 1}u;\n{calls}"
                "\treturn x;\n}\n\n")

    def make(self):
        f = self.files
        f["include/limits_of.h"] = ("#ifndef LIMITS_OF_H\n#define LIMITS_OF_H\n#define BASE_ROUNDS 300 /* rounds */\n"
                                    "#define MACRO_ROUNDS \\\n\t(BASE_ROUNDS + 100)\nenum {\n\tCONSTANT_ROUNDS = 400,\n"
                                    "\tOTHER_CONSTANT = 3,\n};\n#endif\n")
        # the functions are not inlined, but for this one
        f["include/step.h"] = ("#ifndef STEP_H\n#define STEP_H\n" + ("namespace steps {\n" if self.is_cxx else "") +
                               "static inline __attribute__((always_inline)) unsigned inlined_step(unsigned x)\n{\n"
                               "\tfor (int i = 0; i < 400; i++)\n\t\tx = x * 69069u + 7u;\n\treturn x;\n}\n" +
                               ("}\nusing steps::inlined_step;\n" if self.is_cxx else "") + "#endif\n")
        head = "#include \"../include/limits_of.h\"\n#include \"../include/step.h\"\n"
        names = [f"plain{i}" for i in range(6)]
        body = ""
        for name in names:
            body += self.loop(name, 400)
        if self.is_cxx:
            body = "namespace work {\nclass shape {\npublic:\n\tint sides = 3;\n};\n" + body + "}\nusing namespace work;\n"
        f[f"src/plain.{self.end}"] = head + body
        text = head + "".join(f"unsigned {n}(unsigned x);\n" for n in names) if not self.is_cxx else (
            head + "namespace work {\n" + "".join(f"unsigned {n}(unsigned x);\n" for n in names) + "}\nusing namespace work;\n")
        text += self.loop("by_macro", "MACRO_ROUNDS") + self.loop("by_constant", "CONSTANT_ROUNDS")
        text += ("__attribute__((noinline)) unsigned callee(unsigned x, int n)\n{\n\tfor (int i = 0; i < n; i++)\n"
                 "\t\tx = x * 1664525u + 3u;\n\treturn x;\n}\n\n")
        text += "__attribute__((noinline)) unsigned caller(unsigned x)\n{\n\treturn callee(x, 400) + 1;\n}\n\n"
        text += "__attribute__((noinline)) unsigned outer(unsigned x)\n{\n\treturn inlined_step(x) + 1;\n}\n\n"
        text += "unsigned never(unsigned x)\n{\n\treturn x + 1;\n}\n\n"
        text += ("int main(int argc, char **argv)\n{\n\tunsigned x = argc;\n\n\t(void)argv;\n\tfor (int i = 0; i < 60000; i++)\n\t\tx = " +
                 "".join(f"{n}(" for n in names + ["by_macro", "by_constant", "caller", "outer"]) + "x" + ")" * 10 +
                 ";\n\treturn argc > 5 ? never(x) & 1 : 0;\n}\n")
        f[f"src/main.{self.end}"] = text
        f["README.md"] = "# work, plain0 (as BASE_ROUNDS)\n"
        f["tests/test.c"] = "int test(void)\n{\n\treturn 1;\n}\n"

    def commit(self, text):
        for path, content in self.files.items():
            os.makedirs(os.path.dirname(os.path.join(self.folder, path)), exist_ok=True)
            with open(os.path.join(self.folder, path), "w") as f:
                f.write(content)
        git(self.folder, "add", "-A")
        git(self.folder, "commit", "-qm", text)
        return git(self.folder, "rev-parse", "HEAD")

    def build(self, output):
        sources = [p for p in self.files if p.startswith("src/")]
        sh(*(CXX if self.is_cxx else CC), "-O2", "-g", "-o", output, *sources, cwd=self.folder)

    def edit(self, path, old, new):
        if old not in self.files[path]:
            sys.exit(f"{path} has no {old!r}")
        self.files[path] = self.files[path].replace(old, new, 1)

    def edit_function(self, name, old, new):
        path = next(p for p, text in self.files.items() if f" {name}(unsigned x" in text and p.startswith("src/")
                    and f" {name}(unsigned x);" not in text.split(f"unsigned {name}(unsigned x", 1)[0] and
                    (f"noinline)) unsigned {name}(" in text))
        text = self.files[path]
        at = text.index(f"noinline)) unsigned {name}(")
        where = text.index(old, at)
        self.files[path] = text[:where] + new + text[where + len(old):]

    # ---- changes that make nothing slower ----

    def change_nothing(self):
        rng = self.rng
        for kind in rng.sample(range(6), rng.randrange(1, 4)):
            path = rng.choice([p for p in self.files if p.startswith(("src/", "include/"))])
            if kind == 0:
                lines = self.files[path].split("\n")
                at = rng.randrange(len(lines))
                if not (at and lines[at - 1].endswith("\\")):
                    lines.insert(at, rng.choice(["/* a comment: plain0() { */", "", "// MACRO_ROUNDS } {", "\t/* two\n * lines */"]))
                self.files[path] = "\n".join(lines)
            elif kind == 1:
                self.files["tests/test.c"] += f"int test{rng.randrange(10 ** 6)}(void)\n{{\n\treturn 2;\n}}\n"
            elif kind == 2:
                self.edit(f"src/main.{self.end}", "x + 1;\n}\n\nint main", f"x + 1 + {rng.randrange(9)};\n}}\n\nint main") \
                    if "x + 1;\n}\n\nint main" in self.files[f"src/main.{self.end}"] else None
            elif kind == 3:
                self.files["README.md"] += "CONSTANT_ROUNDS, x\n"
            elif kind == 4:
                self.files[path] = self.files[path].replace("\tfor (", "\tfor  (", rng.randrange(1, 3))
            else:
                self.files[f"src/plain.{self.end}"] += f"unsigned unused{rng.randrange(10 ** 6)}(void)\n{{\n\treturn 3;\n}}\n"

    # ---- changes that make a function slower: return its name, and what may say so ----

    def plant(self, kind, percent):
        n = 400 * (100 + percent) // 100
        if kind == "function":
            name = f"plain{self.rng.randrange(6)}"
            self.edit_function(name, "i < 400", f"i < {n}")
            return name, {"touched"}
        if kind == "inlined":
            self.edit("include/step.h", "i < 400", f"i < {n}")
            return "inlined_step", {"touched"}
        if kind == "macro":
            self.edit("include/limits_of.h", "BASE_ROUNDS 300", f"BASE_ROUNDS {n - 100}")
            return "by_macro", {"uses"}
        if kind == "header":
            self.edit("include/limits_of.h", "CONSTANT_ROUNDS = 400", f"CONSTANT_ROUNDS = {n}")
            return "by_constant", {"uses"}
        self.edit_function("caller", "callee(x, 400)", f"callee(x, {n})")
        return "callee", {"called"}


def compare(perf, program, old, new, folder):
    p = subprocess.run([perf, "diff", "--json", "--git", f"{old}..{new}", "--git-dir", program.folder,
                        "old.data", "new.data"], cwd=folder, capture_output=True, text=True)
    if p.returncode:
        sys.exit(p.stderr)
    functions = json.loads(p.stdout)["functions"]
    for f in functions:
        f["function"] = f["function"].split("::")[-1]
    return functions


def record(perf, folder, side):
    sh(perf, "record", "-q", "-g", "-F", "5000", "-e", "cpu-clock:u", "-o", f"{side}.data", f"./{side}", cwd=folder)


def try_change(perf, folder, program, original, text, change):
    """Change the program, and compare its builds of before and after. Return what change() did, and the functions."""
    program.files = dict(original)
    git(program.folder, "checkout", "-qf", program.base)
    program.build(os.path.join(folder, "old"))
    result = change()
    new = program.commit(text) if program.files != original else program.base
    program.build(os.path.join(folder, "new"))
    for side in ("old", "new"):
        record(perf, folder, side)
    return result, compare(perf, program, program.base, new, folder)


def marks(f):
    return {f["source"]} | ({"called"} if "touched_caller" in f else set())


def main():
    perf = os.path.abspath(sys.argv[1])
    pairs, planted, seed = (int(a) for a in (sys.argv[2:] + ["100", "20", "1"][len(sys.argv) - 2:]))
    rng = random.Random(seed)
    folder = tempfile.mkdtemp()
    named = false_marks = marked = others = found = 0
    programs = [Program(rng, os.path.join(folder, f"p{i}"), i % 2) for i in range(4)]
    originals = [dict(p.files) for p in programs]
    try:
        for i in range(pairs):
            k = rng.randrange(len(programs))
            p = programs[k]
            _, functions = try_change(perf, folder, p, originals[k], f"nothing {i}", p.change_nothing)
            bad = [f for f in functions if f["source"] in ("touched", "uses") and f["function"] != "never"]
            false_marks += bool(bad)
            named += any(f["verdict"] in ("slower", "new") and f["source"] in ("touched", "uses") for f in functions)
            if bad:
                print(f"pair {i}: {[(f['function'], f['source'], f.get('uses')) for f in bad]}")
        kinds = ["function", "inlined", "macro", "header", "callee"]
        for i in range(planted):
            k = rng.randrange(len(programs))
            p = programs[k]

            def plant():
                p.change_nothing()
                return p.plant(kinds[i % 5], rng.randrange(5, 31))

            (name, expected), functions = try_change(perf, folder, p, originals[k], f"planted {i}", plant)
            row = next((f for f in functions if f["function"] == name), None)
            good = row and marks(row) & expected
            marked += bool(good)
            found += bool(row and row["verdict"] == "slower")
            bad = [f["function"] for f in functions if f["source"] in ("touched", "uses") and
                   f["function"] not in (name, "never", "caller")]
            others += bool(bad)
            if not good or bad:
                print(f"planted {i}: {kinds[i % 5]}: {row and marks(row)}, others {bad}")
    finally:
        shutil.rmtree(folder)
    figures = [(f"{named} of {pairs} pairs of commits that change nothing have a function slower and touched", named == 0),
               (f"{false_marks} of {pairs} mark a function as touched that is not", false_marks == 0),
               (f"{marked} of {planted} planted changes are marked", marked * 20 >= planted * 19),
               (f"{others} of {planted} mark another function", others == 0)]
    for text, ok in figures:
        print(text, "ok" if ok else "OUT OF LIMITS")
    print(f"{found} of {planted} planted changes of 5 to 30% are found by one recording of half a second each")
    failed = sum(not ok for _, ok in figures)
    print(f"{len(figures) - failed} passed, {failed} failed, 0 skipped")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
