# merge, inject, config: a full disk, a failure or kill -9 leaves the file that was there, and no other
# timeout: 120
. "$PERF_SRC/tests/lib.sh"
need_record

program prog progs/stacks -O2 -g -pthread
"$PERF" record -q -g -F 5000 -e cpu-clock:u -o a.data ./prog 100
"$PERF" record -q -g -F 5000 -e cpu-clock:u -o b.data ./prog 100

# ---- a file that may not be written stays, and one that is being recorded ----
"$PERF" inject -i a.data -o out.data
cp out.data want.data
"$PERF" merge -o merged.data a.data b.data 2>/dev/null
flock out.data sleep 5 &
locker=$!
while flock -n out.data true; do :; done
for command in "inject -b -i a.data" "merge a.data b.data"; do
	# shellcheck disable=SC2086
	expect_status 1 "$PERF" $command -o out.data
	expect_text err "another perf is writing it"
done
kill $locker
wait $locker 2>/dev/null || :
cmp out.data want.data

# ---- permissions: of the owner alone; an existing file's are not widened ----
for file in out.data merged.data; do
	[ "$(stat -c %a $file)" = 600 ] || fail "$file: $(stat -c %a $file)"
done

# ---- kill -9, while it waits for its input: the old file stays ----
mkdir killed
mkfifo input
echo old >killed/out.data
"$PERF" inject -i - -o killed/out.data <input 2>err &
pid=$!
{ head -c 20000 a.data; sleep 0.5; kill -9 $pid; } >input || :
wait $pid 2>/dev/null || :
[ "$(cat killed/out.data)" = old ] && [ "$(ls -A killed)" = out.data ] || fail "after kill -9: $(ls -lA killed)"

# ---- a full disk ----
cat >full.sh <<'END'
mount -t tmpfs -o size=8k none full || exit 77
old() {
	rm -rf full/* full/.[a-z]*
	echo old >"full/$1"
}
same() { # COMMAND NAME
	[ "$(cat "full/$2")" = old ] && [ "$(ls -A full)" = "$2" ] || { echo "$1:"; ls -lA full; cat err; }
	grep -q "cannot write '\(full/$2\|$HOME/$2\)': No space left on device" err || { echo "$1 tells:"; cat err; }
}
fill() { # the rest of the disk
	head -c 1M /dev/zero >full/rest 2>/dev/null
}
old out.data
fill
"$PERF" inject -b -i a.data -o full/out.data 2>err && echo "inject: status 0"
rm full/rest
same inject out.data
old out.data
fill
"$PERF" merge -o full/out.data a.data b.data 2>err && echo "merge: status 0"
rm full/rest
same merge out.data
HOME=$PWD/full
export HOME
old .perfconfig
fill
"$PERF" config "report.sort_order=$(head -c 4000 /dev/zero | tr '\0' x)" 2>err && echo "config: status 0"
rm full/rest
same config .perfconfig
END
mkdir full
status=0
unshare -m sh full.sh >said 2>&1 || status=$?
[ $status = 0 ] || skip "a full disk needs a tmpfs: $(cat said)"
[ ! -s said ] || fail "on a full disk: $(cat said)"
