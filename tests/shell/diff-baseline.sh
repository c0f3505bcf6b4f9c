# perf diff --baseline: a folder of earlier recordings is the old side; --baseline-add keeps the last ones in it
. "$PERF_SRC/tests/lib.sh"
need_command cc python3 nm
program many progs/many_functions -O1 -no-pie
recording() { # FILE SEED F0
	python3 "$PERF_SRC/tests/progs/function_samples.py" "$1" many "$2" "f0=~$3" f1=~3000 f2=~2000
}
for i in 1 2 3 4 5 6 7; do
	recording good$i.data $i 3000
	recording slow$i.data 1$i 6000
done
files() { # what is in the folder
	ls base | tr '\n' ' '
}
holds() { # FILE...
	[ "$(files)" = "$* " ] || fail "the folder has $(files), not $*"
	[ "$(ls -A base | grep -vcF -e .baseline-lock -e "$(ls base)")" = 0 ] || fail "something was left in the folder: $(ls -A base)"
}

# a folder that is missing, and one that is new
expect_status 1 "$PERF" diff --baseline base good1.data
expect_text err "cannot read the baseline 'base'"
expect_status 0 "$PERF" diff --baseline base --baseline-add 3 good1.data
expect_text err "'base' has no recordings yet"
holds baseline-00000001.data
cmp good1.data base/baseline-00000001.data
mkdir empty
expect_status 0 "$PERF" diff --baseline empty good1.data
expect_text err "'empty' has no recordings yet"
expect_status 125 "$PERF" diff --bisect --baseline empty good1.data

# The old side is all that is in the folder; without --baseline-add the folder stays as it is.
expect_status 0 "$PERF" diff --baseline base good2.data
expect_text out "# base/baseline-00000001.data -> good2.data"
holds baseline-00000001.data
expect_status 0 "$PERF" diff --baseline base --baseline-add 3 good2.data good3.data
holds baseline-00000001.data baseline-00000002.data
[ "$(wc -c <base/baseline-00000002.data)" -lt 10000 ] || fail "two recordings are not merged into a small file"
expect_status 0 "$PERF" diff --baseline base --baseline-add 3 good4.data
expect_text out "# base/baseline-00000001.data and 1 more -> good4.data"

# the same recording is not added twice
expect_status 0 "$PERF" diff --baseline base --baseline-add 3 good4.data
expect_text err "is the same already"
holds baseline-00000001.data baseline-00000002.data baseline-00000003.data

# the oldest goes
expect_status 0 "$PERF" diff --baseline base --baseline-add 3 good5.data
holds baseline-00000002.data baseline-00000003.data baseline-00000004.data

# what is slower is not added, unless that is of no interest
expect_status 2 "$PERF" diff --fail-on slower:10 --baseline base --baseline-add 3 slow1.data slow2.data
expect_text err "something is slower: nothing was added"
expect_status 0 "$PERF" diff --baseline base --baseline-add 3 slow1.data slow2.data
expect_text err "something is slower: nothing was added"
expect_status 1 "$PERF" diff --bisect -S f0 --baseline base slow1.data slow2.data
expect_status 0 "$PERF" diff --bisect -S f0 --fail-on slower:20 --baseline base good6.data good7.data
holds baseline-00000002.data baseline-00000003.data baseline-00000004.data
cp -r base kept
expect_status 0 "$PERF" diff --fail-on slower:300 --baseline kept --baseline-add 3 slow1.data slow2.data
[ -e kept/baseline-00000005.data ] || fail "nothing was added: $(ls kept)"

# Others' files are neither read nor removed; a recording put there is read. Links are not followed.
echo "not a recording" >base/notes
mkdir base/baseline-00000001.data
cp good7.data base/zz-mine.data
ln -s "$PWD/slow1.data" base/link.data
ln -s "$PWD/nothing" base/baseline-00000044.data
mkfifo base/fifo.data
expect_status 0 "$PERF" diff --baseline base --baseline-add 2 good6.data
expect_text out "# base/baseline-00000002.data and 3 more -> good6.data"
holds baseline-00000001.data baseline-00000004.data baseline-00000044.data baseline-00000045.data fifo.data link.data notes zz-mine.data
[ ! -e nothing ] || fail "a link was followed"
rm -r base/baseline-00000001.data base/baseline-00000044.data base/fifo.data base/link.data base/notes base/zz-mine.data

# what cannot be added leaves the folder as it is
echo garbage >garbage.data
head -c 100000 good7.data >half.data
for bad in garbage.data half.data missing.data; do
	expect_status 1 "$PERF" diff --baseline base --baseline-add 2 $bad
	expect_status 1 "$PERF" diff --baseline empty --baseline-add 2 $bad
	holds baseline-00000004.data baseline-00000045.data
	[ "$(ls empty)" = "" ] || fail "$bad was added: $(ls empty)"
done
rm base/.baseline-lock
ln -s "$PWD/nothing" base/.baseline-lock
expect_status 1 "$PERF" diff --baseline base --baseline-add 2 good7.data
expect_text err "cannot lock the baseline"
[ ! -e nothing ] || fail "the lock followed a link"
rm base/.baseline-lock
expect_status 1 "$PERF" diff --baseline garbage.data --baseline-add 2 good7.data
expect_status 1 "$PERF" diff --baseline base base/baseline-00000045.data
expect_text err "is in the baseline"
expect_status 129 "$PERF" diff --baseline base good7.data -- good6.data
expect_status 129 "$PERF" diff --baseline base --new good7.data
expect_status 129 "$PERF" diff --baseline base --stock good7.data
expect_status 129 "$PERF" diff --baseline-add 2 good6.data good7.data
expect_status 129 "$PERF" diff --baseline base --baseline-add 0 good7.data

# Several at once: each adds its own, none is lost but for the oldest.
rm -r base
for i in 1 2 3 4 5 6 7; do
	"$PERF" diff -q --baseline base --baseline-add 5 --fail-on slower:900 good$i.data >out.$i 2>err.$i &
	pids="$pids $!"
done
for pid in $pids; do
	wait "$pid" || fail "one of seven failed: $(cat err.*)"
done
holds baseline-00000003.data baseline-00000004.data baseline-00000005.data baseline-00000006.data baseline-00000007.data
for f in base/*; do
	"$PERF" diff -q "$f" good1.data >out 2>err || fail "$f: $(cat err)"
done
