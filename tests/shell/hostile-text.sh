# control characters of a recording, of binaries and of maps never reach the terminal, whatever shows them
. "$PERF_SRC/tests/lib.sh"

recordings=$PERF_BUILD/tests/hostile/recordings

# no_controls FILE: but newlines and tabs, also none of the C1 controls, in 8 bits and in UTF-8
no_controls() {
	tr -d '\n\t' <"$1" | LC_ALL=C grep -q '[[:cntrl:]]' && cat -v "$1" && fail "control characters: $command"
	if LC_ALL=C tr '\200-\237' '\033' <"$1" | LC_ALL=C grep -q "$(printf '\033')"; then
		cat -v "$1" && fail "C1 controls: $command"
	fi
	# A name does not make a line of its own: what follows its newline is not at the start of one.
	if LC_ALL=C grep -q '^?*1m\|^perf: error: b' "$1"; then
		cat -v "$1" && fail "a line made by a name: $command"
	fi
}

show() { # command...
	command=$*
	"$@" >out 2>err || true
	no_controls out
	no_controls err
}

mkdir plain hostile
"$recordings" plain
"$recordings" hostile control
for f in file file-swapped pipe pipe-swapped packed packed-2; do
	r=hostile/$f
	show "$PERF" report -i $r -g -s comm,dso,sym,srcline,trace --no-branch-stack
	[ $f != file ] || { expect_text out "comm"; expect_text out "function"; expect_text out "program"; }
	show "$PERF" report -i $r -s pid,dso_from,symbol_from,srcline_to -b
	show "$PERF" report -i $r -v -s trace_fields,sym --no-branch-stack --header -I
	show "$PERF" report -i $r -t '|' -F overhead,comm,dso,sym -g folded,caller
	show "$PERF" report -i $r -D
	expect_text out "PERF_RECORD_CGROUP"
	show "$PERF" report -i $r -D --disable-order --header
	show "$PERF" report -i $r --header-only -I
	expect_text out "# cmdline : "
	for o in --stats --tasks --mmaps --stack-stats; do
		show "$PERF" report -i $r $o
	done
	show "$PERF" report -i $r -vvv
	show "$PERF" doctor $r
	show "$PERF" annotate -v -l -i $r
	show "$PERF" annotate --stdio2 -P --no-group -i $r
	show "$PERF" evlist -v --trace-fields -i $r
	show "$PERF" evlist -g -i $r
	show "$PERF" buildid-list -i $r
	show "$PERF" buildid-list -H -i $r
	show "$PERF" buildid-cache -v -M $r
	show "$PERF" archive -v $r
	show "$PERF" inject -v -b -i $r -o again
	show "$PERF" inject --jit -i $r -o again
done

# On a terminal names are cut, and lines are broken.
if command -v script >/dev/null && command -v stty >/dev/null && script -qec true /dev/null </dev/null >/dev/null 2>&1; then
	need_terminal
	for o in "-s comm,dso,sym,srcline,trace" "-g callee" "-g flat" "--header -I" "--full-names"; do
		command="report $o on a terminal"
		on_terminal "$PERF report --no-tui -i hostile/file --no-branch-stack --percent-limit 0 --stdio-color never $o"
		[ -s screen ] || fail "nothing is shown: $command"
		no_controls screen
	done
fi

# Arguments, too: what an option was given may come from a recording.
esc=$(printf '\033]0;x\a')
for o in --comms --dsos --symbols --symbol-filter --sort --fields --pid --tid --cpu --time --percentage \
	--call-graph --max-stack --percent-limit --symfs --vmlinux --kallsyms --debuginfod --input; do
	show "$PERF" report -i plain/file --stdio "$o" "$esc"
	show "$PERF" report -i plain/file --stdio "$o=$esc,b"
done
for o in "--no-such$esc" "-x$esc" "--stats=$esc"; do
	show "$PERF" report -i plain/file "$o"
done

# The same lines as without such names: none of them has made any.
for o in --header-only --stats --tasks --mmaps '-D --disable-order'; do
	# shellcheck disable=SC2086
	"$PERF" report -i plain/file $o >plain.out 2>/dev/null
	# shellcheck disable=SC2086
	"$PERF" report -i hostile/file $o >hostile.out 2>/dev/null
	case $o in -D*) for f in plain hostile; do sed -i '/^\. /d' $f.out; done ;; esac # raw bytes
	[ "$(wc -l <plain.out)" = "$(wc -l <hostile.out)" ] || fail "other lines with $o"
done

# A recording by such a name, and damage in it.
esc=$(printf 'a\033[2J\nperf: error: b')
head -c 3000 hostile/file >"$esc"
show "$PERF" report -i "$esc"
show "$PERF" report -i "$esc" -D
show "$PERF" report -i "no$esc"
show "$PERF" archive "$esc"
show "$PERF" buildid-cache -a "$esc"
show "$PERF" doctor -e "$esc"
show "$PERF" list "$esc"
show "$PERF" report -i plain/file -s "$esc"
show "$PERF" record -e "$esc" true

# Symbols of a binary, of a JIT compiler's map, and what a real recording has of its machine.
need_record
need_command "$CC"
printf '%s\n' 'void QQQQfn(void) { for (volatile long i = 0; i < 300000000; i++); }' \
	'int main(void) { QQQQfn(); return 0; }' >a.c
"$CC" -g -O0 -o QQQQprog a.c
LC_ALL=C sed -i "s/QQQQ/$(printf '\033[m\302')/g" QQQQprog
mv QQQQprog "$(printf 'p\033[mrog')"
timeout 5 "$PERF" record -q -g -F 500 -e cpu-clock/name=xyzzy/ -o real "./$(printf 'p\033[mrog')" >/dev/null 2>&1 || true
LC_ALL=C sed -i "s/xyzzy/$(printf 'x\033[my')/g" real
show "$PERF" report -i real
expect_text out '?[m'
show "$PERF" report -i real -v --header
show "$PERF" report -i real -D
show "$PERF" evlist -i real
expect_text out '?[my'
show "$PERF" buildid-list -i real
