# perf annotate: branch stacks: how control came and went, cycles and instructions per cycle, by what -D shows
. "$PERF_SRC/tests/lib.sh"
own_folder # stock perf has no symbols for programs in /tmp/perf-*
[ "$(uname -m)" = x86_64 ] || skip "the recordings are made by single steps on x86-64"
"$PERF" version --build-options | grep -q 'on .*HAVE_CAPSTONE' || skip "perf was built without libcapstone"
need_command "${CC:-cc}" awk
program trace progs/trace_branches -O1
program branches progs/blocks -O1 -g -no-pie -DTRACED
./trace b.data 0 400 497 ./branches >out 2>&1 || skip "no single steps: $(cat out)"

# Blocks of each function: instructions from where a branch led to, up to the next branch. Addresses are of one length.
"$PERF" report -D -i b.data 2>/dev/null | awk '
/^\.+ *[0-9]+: [0-9a-f]+ -> [0-9a-f]+ [0-9]+ cycles/ {
	if ($2 + 0) print substr($5, 11), from, cycles, predicted # to of this one, then from of the newer one
	from = substr($3, 11); cycles = $6; predicted = $8 ~ "P"
}' >blocks
[ "$(wc -l <blocks)" -gt 10000 ] || fail "few blocks: $(wc -l <blocks)"

for f in inner leaf; do
	expect_status 0 "$PERF" annotate --stdio -i b.data $f
	cp out text
	sed -n 's/^ *[0-9.]* : *\([0-9a-f]*\):.*/\1/p' text >addresses
	sed -n 's/^ *[0-9.]* : *\([0-9a-f]*\):[^%]*.*	# \([-+][^#]*%)*\).*/\1 \2/p' text | sed 's/ *$//' | sort >ours
	awk 'FILENAME == "addresses" { address[++nr] = $1; here[$1] = nr; next }
	($1 in here) && ($2 in here) && here[$1] <= here[$2] {
		in_[here[$1]]++; out[here[$2]]++; hit[here[$2]] += $4
		for (i = here[$1]; i <= here[$2]; i++) runs[i]++
	}
	END { for (i = 1; i <= nr; i++) {
		text = ""
		if (in_[i] / (runs[i] + !runs[i]) >= 0.001) text = text sprintf(" +%.2f%%", 100 * in_[i] / runs[i])
		if (out[i] / (runs[i] + !runs[i]) >= 0.001)
			text = text sprintf(" -%.2f%% (p:%.2f%%)", 100 * out[i] / runs[i], 100 * hit[i] / out[i])
		if (text) print address[i] text
	} }' addresses blocks | sort >expected
	[ "$(wc -l <expected)" -ge 3 ] || fail "few branches: $(cat expected)"
	diff expected ours || { cat text && fail "$f: other branches"; }

	# --stdio2: average cycles of the blocks that end with an instruction, instructions per cycle of the longest
	expect_status 0 "$PERF" annotate --stdio2 --no-source -i b.data $f
	sed -n 's/^ *[0-9.]*  *\([0-9]\.[0-9][0-9]\)  *\([0-9][0-9]*\) .*/\1 \2/p' out >ours
	awk 'FILENAME == "addresses" { address[++nr] = $1; here[$1] = nr; next }
	($2 in here) { e = here[$2]; n[e]++; sum[e] += $3 }
	($1 in here) && ($2 in here) && here[$1] <= here[$2] {
		insns = here[$2] - here[$1] + 1
		if (insns > longest[e]) { longest[e] = insns; times[e] = cycles[e] = 0 }
		if (insns == longest[e]) { times[e]++; cycles[e] += $3; }
	}
	END { for (i = 1; i <= nr; i++) if (n[i]) printf "%.2f %d\n", longest[i] * times[i] / cycles[i], sum[i] / n[i] }' \
		addresses blocks >expected
	# The oldest branch of a stack has cycles, but nobody knows where its block began: averages may differ by one.
	paste -d ' ' expected ours | awk '{ d = $2 - $4; if (NF != 4 || $1 != $3 || d > 1 || d < -1) exit 1 }' ||
		{ cat out && fail "$f: other cycles: $(paste expected ours)"; }
	expect_text out "(Average IPC: "
	expect_text out "IPC Coverage: "
done

# LBR call stacks are no branches in the order of their execution.
./trace lbr.data 8 100 97 ./branches >out
expect_status 0 "$PERF" annotate --stdio2 -i lbr.data
if grep -q IPC out; then fail "instructions per cycle of a call stack"; fi

# Stock 6.1 counts what enters a function's first instruction as a part of all its calls.
need_stock
"$STOCK" --version | grep -q '^perf version 6\.1\.' || exit 0
marks() {
	sed -n 's/^ *[0-9.]* : *\([0-9a-f]*\):.*	# \([-+][^#]*%)*\).*/\1 \2/p' "$1" | sed 's/ *$//'
}
"$STOCK" annotate --stdio -i b.data 2>/dev/null >stock.txt
"$PERF" annotate --stdio -i b.data >ours.txt
marks stock.txt >stock
marks ours.txt >ours
[ "$(sort stock ours | uniq -d | wc -l)" -ge $(($(wc -l <stock) * 8 / 10)) ] || fail "other branches than stock's: $(diff stock ours)"
