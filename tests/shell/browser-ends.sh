# the browser leaves the terminal as it found it: q, Ctrl-C, signals, Ctrl-Z and fg; a recording that comes through a pipe
# timeout: 120
. "$PERF_SRC/tests/lib.sh"
need_terminal
need_command tmux pgrep
"$PERF" version --build-options | grep -q 'ncursesw: \[ on' || skip "perf was built without ncursesw"
own_tmux
cp "$PERF_SRC/tests/data/browser/shapes.data" .

type_line() {
	tm send-keys -t s -l "$1"
	tm send-keys -t s Enter
}

# The shell's modes of the terminal, and what it has shown, are there again.
await_shell() { # WORDS of the line after the browser
	await_text "$1"
	grep -q "the line before" screen || { cat screen && fail "the shell's screen is gone after: $1"; }
	type_line "stty -a | grep -c '[^-]icanon'; echo ic''anon: \$?"
	await_text "icanon: 0"
	type_line "clear; echo the line before"
	await_text "the line before"
}

tm new-session -d -s s -x 80 -y 24 "exec env PS1='$ ' ENV= sh -i"
type_line "stty -a >/dev/null; PS1='> '; clear; echo the line before"
await_text "the line before"
for signal in SEGV TERM HUP ABRT; do
	type_line "'$PERF' report -i shapes.data"
	await_text "functions"
	pid=$(pgrep -P "$(tm display-message -p -t s '#{pane_pid}')") # not the browser of another test
	kill -s $signal "$pid"
	await_text "the line before"
	type_line "echo 'after '$signal"
	await_shell "after $signal"
done
type_line "'$PERF' report -i shapes.data; echo 'after '\$?"
await_text "functions"
tm send-keys -t s q
await_shell "after 0"
type_line "'$PERF' report -i shapes.data; echo 'after '\$?"
await_text "functions"
tm send-keys -t s C-c
await_shell "after 0"

# Ctrl-Z gives the shell its screen; fg brings the browser back, as it was.
type_line "'$PERF' report -i shapes.data; echo 'after '\$?"
await_text "functions"
tm send-keys -t s g
await_text "flame graph"
await_text "__clone3"
tm send-keys -t s C-z
await_text "topped"
type_line "fg"
await_text "|__clone3"
tm send-keys -t s q
await_text "> fg"
type_line "echo 'after '\$?"
await_shell "after 0"

# Keys come from the terminal where the recording comes through standard input.
type_line "cat shapes.data | '$PERF' report -i -; echo 'after '\$?"
await_text "functions"
tm send-keys -t s p
await_text "processes and threads"
tm send-keys -t s q
await_shell "after 0"
