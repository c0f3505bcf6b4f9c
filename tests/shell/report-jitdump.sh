# perf report: names of compiled code from a jitdump, by time where the clocks agree
# timeout: 120
. "$PERF_SRC/tests/lib.sh"
need_record
need_command gcc
program jit progs/jit -O1
case $(uname -m) in x86_64 | aarch64 | riscv64) ;; *) skip "the test program knows little-endian machines" ;; esac

shares() { # OPTION...: "PERCENT NAME" lines
	"$PERF" report -v --stdio -g none -i p.data "$@" >out 2>err || fail "report: $(cat err)"
	"$PERF" report --stdio -g none -F overhead,dso,sym -t '|' -i p.data "$@" >out 2>err2 || fail "report: $(cat err2)"
	sed -n 's/^ *\([0-9]*\)\.[0-9]*% *|\([^|]*\)|\[\.\] \([a-z]*_code\).*/\1 \2 \3/p' out | sed 's/jit-[0-9]*\.dump/DUMP/' | grep DUMP >shares || true
}
expect_third() { # NAME: it has about a third of the samples
	awk -v n="$1" '$3 == n && $2 == "DUMP" && $1 > 20 && $1 < 46 { found = 1 } END { exit !found }' shares && return
	cat out && fail "$1 has no third of the samples"
}

"$PERF" record --no-embed -k mono -o p.data -e cpu-clock:u -F 1000 ./jit dump "$PWD" >record.out 2>&1
shares
expect_lines shares 3
expect_third first_code
expect_third second_code
expect_third moved_code

# What cannot be: bytes behind the end, a record that lies, somebody else's file, another file of that name.
dump=$(ls jit-*.dump)
cp "$dump" keep
printf 'garbage' >>"$dump"
shares
expect_lines shares 3
truncate -s 400 "$dump"
shares
expect_text out first_code
! grep -q second_code out || fail "names of what was cut off"
cat keep >"$dump"
if [ "$(id -u)" = 0 ]; then
	chown 65534 "$dump"
	shares
	expect_lines shares 0
	expect_text err "$dump' belongs to neither the process's user nor you nor root"
	shares --force
	expect_lines shares 3
	chown 0 "$dump"
fi
mv "$dump" moved && cp moved "$dump"
shares
expect_lines shares 0
expect_text err "$dump' is not the recorded file"
rm "$dump"

# Other clocks: the recording knows how they stand to the dump's, also in several files and under --threads
for o in "" "-k raw" "-k boottime" --switch-output -z; do
	rm -rf jit-*.dump p.data*
	# shellcheck disable=SC2086
	"$PERF" record --no-embed $o -o p.data -e cpu-clock:u -F 1000 ./jit dump "$PWD" >record.out 2>&1 || fail "$o: $(cat record.out)"
	[ -e p.data ] || mv p.data.* p.data
	shares
	for name in first_code second_code moved_code; do expect_third $name; done
done
rm jit-*.dump

# ... and the names that are stored in the recording are those of the time, when the dump is gone
rm -rf p.data
"$PERF" record -o p.data -e cpu-clock:u -F 1000 ./jit dump "$PWD" >record.out 2>&1
rm jit-*.dump
shares
for name in first_code second_code moved_code; do expect_third $name; done

# Maps and files of the code, for readers that do not know jitdumps
rm -rf p.data
"$PERF" record --no-embed -o p.data -e cpu-clock:u -F 1000 ./jit dump "$PWD" >record.out 2>&1
expect_status 0 "$PERF" inject --jit -i p.data -o i.data
rm jit-*.dump
"$PERF" report --stdio -g none -F overhead,sym -i i.data >out 2>err
for name in first_code second_code moved_code; do expect_text out "[.] $name"; done

# Not known, as in a pipe: the last code at an address has all of it.
"$PERF" record -o - -e cpu-clock:u -F 1000 ./jit dump "$PWD" 2>record.out >p.data
"$PERF" report -v --stdio -g none -F overhead,sym -i p.data >out 2>err
expect_text out second_code
! grep -q first_code out || fail "first_code, whose time is not known"
