# perf diff --markdown and perf stat --markdown: one table, in which names of all kinds stay text
. "$PERF_SRC/tests/lib.sh"
need_command cc python3 nm
program prog progs/hostile_names -O1 -no-pie
recording() { # FILE SEED FUNCTION=SAMPLES...
	file=$1 seed=$2
	shift 2
	python3 "$PERF_SRC/tests/progs/function_samples.py" "$file" prog "$seed" "$@"
}
cat >names.txt <<'EOF'
a|b`c<script>@user $x$ https://x.y [z](w)
c\|d||\
`
``x`` and more `
:smile: #x GH-1 !1 user@host.org www.example.com *b* _i_ ~~s~~ <!-- &amp; &lt;
| --- | **x**
</code></td></table><img src=x>
$`x`$ ![i](http://x.y) - [ ] todo
EOF
samples() { # NUMBER: each function of the list that often
	while IFS= read -r name; do
		set -- "$@" "$name=$1"
	done <names.txt
	shift
	recording "$file" "$seed" "$@" main=20000
}
# File names are text, too. The first line begins with one.
old='# o|`ld` <b>@x.data' new='../x/- n$e$w
.data'
mkdir ../x 2>/dev/null || new=${new#../x/}
file=$old seed=1 samples 500
file=$new seed=2 samples 1500

expect_status 0 "$PERF" diff --markdown --full-names "$old" "$new"
cp out diff.md
expect_line diff.md '| Old | New | Change | 95% interval | Verdict | Function itself |'
[ "$(grep -c '^| [0-9].* slower ' diff.md)" = 8 ] || fail "not 8 rows: $(cat diff.md)"
grep -q '^8 functions changed: ' diff.md || fail "no line of words: $(cat diff.md)"

# Changes come first, 20 rows at most; the rest is in the command below.
program many progs/many_functions -O1 -no-pie
several() { # FILE SEED SAMPLES
	set -- "$1" "$2" "$(nm many | sed -n "s/.* t \(f[0-9]*\)\$/\1=$3/p" | tr '\n' ' ')"
	# shellcheck disable=SC2086
	python3 "$PERF_SRC/tests/progs/function_samples.py" "$1" many "$2" $3 main=40000
}
several few.data 1 400
several 'more of it.data' 2 1600
expect_status 0 "$PERF" diff --markdown few.data 'more of it.data'
[ "$(grep -c '^| [0-9].* slower ' out)" = 20 ] || fail "not 20 rows: $(cat out)"
grep -q '^[1-9][0-9]* more: `perf diff few.data '\''more of it.data'\''`$' out || fail "no command for the rest: $(cat out)"
expect_status 0 "$PERF" diff few.data few.data --markdown
! grep -q '^| [0-9].* slower' out || fail "a recording differs from itself: $(cat out)"
expect_status 1 "$PERF" diff --markdown --json few.data few.data

# Two programs that run in turns
ln -s /bin/true '@t|r`u`e'
if "$PERF" stat -x, -e page-faults:u true 2>probe; then
	expect_status 0 "$PERF" stat -r 3 --markdown -o stat.md -e page-faults:u --repeat-with './@t|r`u`e' -- /bin/true '<i>' '[a](b)'
	[ "$(head -c 26 stat.md)" = "3 runs of each program, in" ] || fail "$(cat stat.md)"
	expect_line stat.md '| Counter | Old | New | Change | 95% interval | Verdict |'
	grep -q '^| `page-faults:u` | .* |$' stat.md || fail "$(cat stat.md)"
	expect_status 129 "$PERF" stat -r 3 --markdown -j --repeat-with true -- true
	expect_status 129 "$PERF" stat -r 3 --markdown true
fi

command -v cmark-gfm >/dev/null || skip "cmark-gfm is not installed: what the tables look like was not tested"
cat >check.py <<'PY'
import html.parser
import subprocess
import sys

class Tables(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.rows, self.text, self.paragraphs = set(), [], None, []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th", "p"):
            self.text = ""

    def handle_data(self, data):
        if self.text is not None:
            self.text += data

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.rows[-1].append(self.text)
        if tag == "p":
            self.paragraphs.append(self.text)
        if tag in ("td", "th", "p"):
            self.text = None

def rendered(path):
    page = subprocess.run("cmark-gfm -e table -e autolink -e strikethrough -e tagfilter".split() + [path],
                          capture_output=True, text=True, check=True).stdout
    t = Tables()
    t.feed(page)
    assert t.tags <= {"p", "code", "table", "thead", "tbody", "tr", "th", "td"}, t.tags
    assert page.count("<table>") == 1, page
    assert all(len(row) == len(t.rows[0]) for row in t.rows), t.rows
    return t

t = rendered("diff.md")
names = open("names.txt").read().splitlines()
got = [row[-1] for row in t.rows if "slower" in row]
assert sorted(got) == sorted(names), (got, names)
assert t.paragraphs[0].startswith(sys.argv[1] + " -> " + sys.argv[2].replace("\n", "?") + ": Total "), t.paragraphs
assert len(t.paragraphs) == 2, t.paragraphs
if len(sys.argv) > 3:
    t = rendered("stat.md")
    assert t.paragraphs[0].endswith(": /bin/true <i> [a](b) -> ./@t|r`u`e <i> [a](b)"), t.paragraphs
    assert [row[0] for row in t.rows] == ["Counter", "page-faults:u", "elapsed", "user", "system"], t.rows
PY
# shellcheck disable=SC2046
python3 check.py "$old" "$new" $([ ! -e stat.md ] || echo stat) || fail "names are not text: $(cat diff.md stat.md)"
