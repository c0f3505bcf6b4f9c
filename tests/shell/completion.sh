# perf --complete: every command's options and values, without doing anything; no other command runs
. "$PERF_SRC/tests/lib.sh"
# Completion ends where options are parsed: what they have taken until then is not freed.
export ASAN_OPTIONS="${ASAN_OPTIONS-}:detect_leaks=0"

complete_to() { # FILE-OF-EXPECTED-WORDS WORD...: all words that are offered, without help
	expected=$1
	shift
	"$PERF" --complete "$@" >out 2>err || fail "exit status $?: $*"
	expect_empty err
	[ "$(cut -f 1 out | tr '\n' ' ')" = "$expected" ] || fail "for '$*': $(cat out)"
}

complete_to 'record report ' re
complete_to "$("$PERF" --list-cmds | sed 's/  *$/ /')" ''
complete_to '' nonsense ''
complete_to '--version ' --vers
complete_to ':folder 0 ' --buildid-dir ''
complete_to 'report ' --buildid-dir x --no-pager rep
complete_to ':folder 0 ' report --symfs ''
complete_to ':file 8 ' report --input=x
complete_to ':file 3 ' report -vix
complete_to ':file 0 ' report --no-children -i ''
complete_to ':command 2 ' record ''
complete_to ':command 2 ' record ls -e ''
complete_to ':command 5 ' record -F 99 -- ls
complete_to ':command 3 ' record -g '' # the value of -g must be attached
complete_to 'sys node cpu ' record --affinity ''
complete_to '--no-inherit ' record --no-inh
complete_to '--no-children ' report --no-chil
complete_to 'comm,symbol_from ' report -s comm,symbol_f
complete_to '+srcline_from ' report -s +srcline_f
complete_to 'cpu-clock,task-clock ' record -e cpu-clock,task-c
complete_to '{cpu-clock,task-clock ' record -e '{cpu-clock,task-c'
complete_to '' record -e cpu/task-c
complete_to 'caller,percent ' report -g caller,perc
complete_to 'relative absolute ' report --percentage ''
complete_to 'convert ' data ''
complete_to 'report ' help rep
complete_to ':file 0 ' doctor ''
complete_to ':file 0 ' merge ''
complete_to ':file 0 ' diff a.data ''
complete_to 'tracepoint ' list tracep
"$PERF" --complete record --pid $$ | grep -q "^$$" || fail "this shell is not offered: $("$PERF" --complete record --pid $$)"
"$PERF" --complete record --off-cpu= | grep -qx -e --off-cpu=locks || fail "the detail of waits is not offered"
"$PERF" --complete report --sor >out
expect_text out "$(printf -- '--sort\t')"

# Every option of every command: its value can be asked for, and nothing is done. In an empty folder, with a closed input.
mkdir empty
cd empty
for c in $("$PERF" --list-cmds); do
	"$PERF" "$c" --list-opts=all | cut -f 2 | grep -v '^-$' >../options || :
	while read -r o; do
		timeout 600 "$PERF" --complete "$c" "$o" '' </dev/null >../out 2>../err || fail "exit status $?: $c $o"
		expect_empty ../err
		timeout 600 "$PERF" --complete "$c" "$o=" </dev/null >../out 2>../err || fail "exit status $?: $c $o="
		expect_empty ../err
		grep -v -e "^$o=" -e "^:[a-z]* [0-9]*$" ../out | head -n 3 >../bad
		expect_empty ../bad
		"$PERF" --complete "$c" "$o" | cut -f 1 | grep -qx -e "$o" || fail "$o is not offered for $c"
	done <../options
done
[ -z "$(find . -mindepth 1)" ] || fail "files were written: $(find . -mindepth 1)"
