# perf without a command, help, version, unknown commands and options
. "$PERF_SRC/tests/lib.sh"

expect_status 1 "$PERF"
expect_text out "usage: perf"
expect_status 0 "$PERF" help
expect_text out "   version "
expect_status 0 "$PERF" --help
expect_text out "usage: perf"

expect_status 0 "$PERF" --version
grep -q '^perf version [0-9]' out || fail "no version: $(cat out)"
cp out version
expect_status 0 "$PERF" -v
cmp out version
expect_status 0 "$PERF" version
cmp out version
expect_status 0 "$PERF" version --build-options
expect_text out "HAVE_LIBELF"
expect_text out "HAVE_LIBZSTD"

expect_status 1 "$PERF" versoin
expect_line err "perf: 'versoin' is not a perf command. Did you mean 'version'?"
expect_empty out
expect_status 1 "$PERF" qqqqqq
expect_line err "perf: 'qqqqqq' is not a perf command. See 'perf --help'."
expect_status 129 "$PERF" --versoin
expect_text err "did you mean '--version'?"
expect_status 129 "$PERF" version --build-optoins
expect_line err "did you mean '--build-options'?"
expect_status 129 "$PERF" version word
expect_lines err 1

# Every command: -h on stdout and the status of stock perf; help falls back on it without man.
mkdir nothing
for c in $("$PERF" --list-cmds); do
	expect_status 129 "$PERF" "$c" -h
	expect_text out " Usage: perf $c"
	expect_empty err
	expect_status 0 env PATH="$PWD/nothing" "$PERF" help "$c"
	expect_text out " Usage: perf $c"
	expect_status 130 "$PERF" "$c" --list-opts
	expect_lines out 1
	# -h has each option once; the options of a long list are under headings
	"$PERF" "$c" --list-opts=all | cut -f 1,2 | tr '\t' ' ' | sed 's/^- //; s/ -$//' | sort >listed || :
	"$PERF" "$c" -h | awk '/^    (    --|-.)/ { w = $1; if (sub(/,$/, "", w)) w = w " " $2; sub(/\[.*/, "", w); print w }' | sort >shown
	diff listed shown || fail "perf $c -h has other options than its table"
	"$PERF" "$c" -h | awk '/^ [A-Z].*:$/ { heading = 1 } /^    (    --|-.)/ && !heading { bare++ } END { exit bare > 0 }' ||
		[ "$(wc -l <listed)" -le 12 ] || fail "perf $c -h: a long list without headings"
	"$PERF" help | grep -q "^   $c  *[A-Z]" || fail "'perf help' has no line for $c"
done

expect_status 1 "$PERF" help nonsense
expect_lines err 1

# A command of stock perf that we lack: its own line to type, if a perf that has it is on this machine. A copy or a link of
# ours is passed over, as is a perf that fails.
mkdir link copy broken
ln -s "$PERF" link/perf
cp "$PERF" copy/perf
ln -s "$(command -v false)" broken/perf
(
	PATH=$PWD/link:$PWD/copy:$PWD/broken:$PWD/nothing:$PATH
	expect_status 1 "$PERF" trace -e cycles sh -c "echo 'a b'"
	expect_empty out
	expect_lines err 2
	expect_line err "perf: error: this perf has no command 'trace'; the perf of the kernel sources has it"
	sed -n 's/^type: //p' err >line
	if [ -s line ]; then
		stock=$(sed 's/ trace .*//' line)
		[ "$(sh -c "set -- $(sed "s|^$stock ||" line); printf '%s.' \"\$@\"")" = "trace.-e.cycles.sh.-c.echo 'a b'." ] ||
			fail "other words: $(cat line)"
		"$stock" --list-cmds | grep -qw trace || fail "$stock has no trace"
	else
		expect_text err "none was found on this machine"
		! sh -c 'PATH=$1:/usr/bin; perf --list-cmds' sh "${PATH#"$PWD/link:$PWD/copy:$PWD/broken:"}" 2>/dev/null | grep -qw trace ||
			fail "there is one: $(cat err)"
	fi
	for c in annotate c2c ftrace sched script top trace; do
		"$PERF" --list-cmds | grep -qw "$c" && continue
		expect_status 1 "$PERF" $c
		expect_text err "no command '$c'"
		expect_status 1 "$PERF" help $c
		expect_text err "no command '$c'"
	done
)
for c in $("$PERF" --list-cmds); do
	! grep -qw "\"$c\"" "$PERF_SRC/util/base/command/stock_perf.c" || fail "$c is a command; take it out of stock_perf.c"
	! sed -n '/^## Commands that are not there/,/status 1/p' "$PERF_SRC/Documentation/differences.md" | grep -q "\`$c\`" ||
		fail "$c is a command; take it out of differences.md"
done

if [ -c /dev/full ]; then
	status=0
	"$PERF" version >/dev/full 2>err || status=$?
	[ $status = 1 ] || fail "exit status $status after a failed write"
	expect_lines err 1
fi
