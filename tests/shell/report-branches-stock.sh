# branches in reports: --total-cycles, ipc_lbr, --branch-history and --stitch-lbr, against stock perf and the program's way
# timeout: 300
. "$PERF_SRC/tests/lib.sh"
own_folder # stock perf has no symbols for programs in /tmp/perf-*
[ "$(uname -m)" = x86_64 ] || skip "the recordings are made by single steps on x86-64"
need_command "${CC:-cc}" awk
program trace progs/trace_branches -O1
cat >deep.c <<'CODE'
static volatile long sum;

__attribute__((noinline)) static void leaf(long n)
{
	for (long i = 0; i < n; i++)
		sum += i;
}

#define LEVEL(n, next, again)                                \
	__attribute__((noinline)) static void f##n(long k)   \
	{                                                    \
		next(k);                                     \
		if (again)                                   \
			leaf(k + n);                         \
		sum++;                                       \
		if (again)                                   \
			next(k / 2);                         \
	}

LEVEL(12, leaf, 1) LEVEL(11, f12, 1) LEVEL(10, f11, 1) LEVEL(9, f10, 1) LEVEL(8, f9, 0) LEVEL(7, f8, 0)
LEVEL(6, f7, 0) LEVEL(5, f6, 0) LEVEL(4, f5, 0) LEVEL(3, f4, 0) LEVEL(2, f3, 0) LEVEL(1, f2, 0)

int main(void)
{
	__asm__ volatile("int3");
	for (;; sum++)
		f1(9);
}
CODE
build() { # PROGRAM SOURCE
	"${CC:-cc}" -O1 -g -fno-omit-frame-pointer -no-pie -DTRACED -o "$1" "$2" || skip "no compiler"
}
build branches "$PERF_SRC/tests/progs/blocks.c"
build deep deep.c
./trace b.data 0 400 497 ./branches >out 2>&1 && ./trace lbr.data 8 400 97 ./deep >out 2>&1 || skip "no single steps: $(cat out)"
ours() {
	"$PERF" report --stdio --no-inline "$@" >out 2>err || fail "report $*: $(cat err)"
	sed -e '/^# Completeness/,$d' -e 's/ *$//' out
}

# ---- --total-cycles: the sums of each branch's cycles, by what -D shows ----
"$PERF" report -D -i b.data 2>/dev/null | awk '
/^\.\.\.\.\. *[0-9]+: [0-9a-f]+ -> [0-9a-f]+ [0-9]+ cycles/ { sum[$3] += $6; nr[$3]++ }
END { for (i in sum) print sum[i], int(sum[i] / nr[i]) }' | sort -n >expected
[ "$(wc -l <expected)" -ge 10 ] || fail "few branches: $(cat expected)"
ours --total-cycles -i b.data >cycles
awk '/%/ && !/^#/ { n = $2; if (sub(/K$/, "", n)) n *= 1000; print n, $4 }' cycles | sort -n >found
paste -d ' ' expected found | awk '{ d = $1 - $3; if (d > 50 || d < -50 || $2 != $4) exit 1 }' ||
	fail "cycles: $(paste expected found) $(cat cycles)"
grep -q '\[blocks.c:6 -> blocks.c:6\] *branches$' cycles || fail "no lines: $(cat cycles)"
ours --total-cycles -i b.data -S inner | grep -q '\[blocks.c:6' && fail "-S keeps other functions"
cp branches ./stripped && strip -g ./stripped && ./trace n.data 0 50 497 ./stripped >out
ours --total-cycles -i n.data | grep -q '\[leaf+[0-9]* -> leaf+[0-9]*\] *stripped$' || fail "no offsets: $(cat out)"
ours --total-cycles -i b.data --threads 3 | cmp - cycles || fail "other blocks with three threads"

# ---- ipc_lbr: the instructions between branches, by objdump, over their cycles, by what -D shows ----
ours -b -s symbol,ipc_lbr -i b.data >ipc
if command -v objdump >/dev/null && ! grep -q 'ipc_lbr: no code' err; then
	# x: mawk takes 401e06 for a number
	objdump -d branches | sed -n 's/^ *\([0-9a-f]*\):\t[^\t]*\t.*/i x\1/p' >insns
	"$PERF" report -D -i b.data 2>/dev/null |
		sed -n 's/^\.\.\.\.\. *\([0-9]*\): 0*\([0-9a-f]*\) -> 0*\([0-9a-f]*\) \([0-9]*\) cycles.*/b \1 x\2 x\3 \4/p' >taken
	nm -S branches | sed -n 's/^0*\([0-9a-f]*\) 0*\([0-9a-f]*\) [tT] \(leaf\|inner\|idle\)$/\1 \2 \3/p' |
		while read -r start size name; do
			cat insns taken | awk -v first="x$start" -v end="x$(printf %x $((0x$start + 0x$size)))" '
			$1 == "i" { if ($2 >= first && $2 < end) { at[nr_insns++] = $2; own[$2] } next }
			$2 && before in own && $4 in own && $4 <= before { # leads to the code before the branch before
				if (!(before in start) || $4 < start[before]) {
					start[before] = $4
					cycles[before] = nr[before] = 0
				}
				if ($4 == start[before]) {
					cycles[before] += took
					nr[before]++
				}
			}
			{ before = $3; took = $5 }
			END {
				for (e in start)
					for (i = 0; i < nr_insns; i++)
						if (at[i] >= start[e] && at[i] <= e) {
							executed += nr[e]
							covered[i]
						}
				for (e in start)
					all += cycles[e]
				for (i in covered)
					nr_covered++
				printf "%.2f [%.1f%%]\n", executed / all, 100 * nr_covered / nr_insns
			}' >expected
			found=$(sed -n "s/.* $name  *\([0-9.]*\)  \[ *\([0-9.]*%\)\]\$/\1 [\2]/p" ipc)
			[ "$found" = "$(cat expected)" ] || echo "ipc_lbr of $name: '$found', really $(cat expected)"
		done >wrong
	[ ! -s wrong ] || fail "$(cat wrong)"
fi

# ---- --branch-history: each loop once, then the callers ----
ours --branch-history --no-children -i b.data >history
for text in 'leaf blocks.c:[67]* (.*cycles:[0-9]* iter:[0-9]* avg_cycles:[0-9]*)' \
	'[(]predicted:[0-9.]*%' 'abort:[0-9.]*%' 'inner blocks.c:[0-9]* (.*cycles:[0-9]*' ' main blocks.c:3[0-9]$'  \
	'^# Overhead  Source:Line *Symbol *Shared Object *Predicted  Abort  Cycles$' \
	'\[\.\] leaf *branches *[0-9.]*% *[0-9]* *[0-9]*$'; do
	grep -q -e "$text" history || fail "no $text: $(head -n 60 history)"
done
[ "$(awk '/leaf blocks.c.*iter/ { a = 1; next } { if (a && /leaf blocks.c:6 .*iter/) print; a = 0 }' history | wc -l)" = 0 ] ||
	fail "a loop follows itself: $(cat history)"
ours --branch-history --children -i b.data -g none -s sym -F overhead_children,overhead,sym >symbols
awk '/^ *[0-9]/ && $1 + 0 > 100 { exit 1 }' symbols || fail "more than all samples: $(cat symbols)"
grep -q '^ *100.00% *[0-9.]*% *\[\.\] main$' symbols || fail "main is not in all: $(cat symbols)"

# ---- --stitch-lbr: callers that are no longer in the ring of 8 ----
nr_callers() { # OPTION...
	ours -i lbr.data --children -g none -F sample,overhead_children,sym "$@" |
		awk '/\] f[1-7]$/ { sum += $(NF - 2) } END { print sum + 0 }'
}
[ "$(nr_callers --stitch-lbr | tr -d .)" -gt "$(nr_callers | tr -d .)" ] || fail "no callers are added: $(nr_callers)"

for option in --total-cycles --branch-history; do
	expect_status 1 "$PERF" report --stdio -i lbr.data $option
	expect_line err "perf: error: $option: 'lbr.data' has no branch stacks; record with -b to have them"
done

need_stock
rows() { # of a report, without what is left out where nothing is known
	sed -e '/^# (Tip: /,$d' -e '/^# Completeness/,$d' -e 's/ *$//' "$1" | grep -v '^#*$'
}
for options in "--children -g none" "--no-children --percent-limit 2" "--children --percent-limit 2"; do
	# shellcheck disable=SC2086
	"$STOCK" report --stdio --stitch-lbr -i lbr.data $options >stock.txt 2>/dev/null || continue
	# shellcheck disable=SC2086
	ours --stitch-lbr -i lbr.data $options >ours.txt
	rows stock.txt >stock
	rows ours.txt | diff stock - >out || fail "--stitch-lbr $options: $(head -n 30 out)"
done
for options in "-b -s srcline_from,srcline_to" "-b -s srcline_to" "-b -s srcfile" "-b -s mispredict" \
	"-b -s dso_from,dso_to" "-b -s symbol_from" "-b -s symbol_to,mispredict"; do
	# shellcheck disable=SC2086
	"$STOCK" report --stdio -i b.data $options >stock.txt 2>/dev/null || continue
	# shellcheck disable=SC2086
	ours -i b.data $options >ours.txt
	# it adds instructions per cycle to keys of symbols
	rows stock.txt | sed -n '/%/s/  *\([0-9.]* *\[ *[0-9.]*%\]\|-\)$//;/%/s/ *$//p' >stock
	rows ours.txt | grep '%' | diff stock - >out || fail "$options: $(head -n 30 out)"
done
# 6.1 crashes; later ones add averages up once if rows are of symbols. Equal rows have no order.
if "$STOCK" report --stdio --total-cycles -F sym -i b.data >stock.txt 2>/dev/null && grep -q 'branches$' stock.txt; then
	rows stock.txt | sort >stock
	rows cycles | sort | diff stock - >out || fail "--total-cycles: $(cat out)"
fi
# Before 6.12 stock perf crashes; from then on it adds the column to the key "symbol". Coverage is not compared.
if "$STOCK" report --stdio -b -s symbol -i b.data >stock.txt 2>/dev/null && grep -q 'IPC' stock.txt; then
	rows stock.txt | sed 's/ *\[ *[0-9.]*%\]$//' >stock
	rows ipc | sed 's/ *\[ *[0-9.]*%\]$//' | diff stock - >out || fail "ipc_lbr: $(cat out)"
fi
# Of other versions the callers are not compared.
if "$STOCK" --version | grep -q '^perf version 6\.1\.'; then
	"$STOCK" report --stdio --branch-history --no-children -i b.data 2>/dev/null | awk '/^ *[0-9.]+% / { print $1, $2, $4, $5 }' |
		sort >stock
	awk '/^ *[0-9.]+% / { print $1, $2, $4, $5 }' history | sort | diff stock - >out || fail "--branch-history: $(cat out)"
fi
