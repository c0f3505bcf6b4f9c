# as an unprivileged user, in 80 columns and 24 lines: the browsers of report, diff and top, annotate, and the pages
# timeout: 240
. "$PERF_SRC/tests/lib.sh"
need_terminal
need_command tmux pgrep "${CC:-cc}"
"$PERF" version --build-options | grep -q 'ncursesw: \[ on' || skip "perf was built without ncursesw"
nobody_id=$((61000 + $$ % 4000)) # top shows all processes of the user: they must be those of this test
need_nobody
program "$dir/prog" progs/stacks -O1 -g -fno-omit-frame-pointer -pthread
nobody ./perf record -q -e cpu-clock:u -g -o old.data ./prog 60 >out 2>&1 || skip "this user cannot record: $(head -n 1 out)"
expect_status 0 nobody ./perf record -q -e cpu-clock:u -g -o new.data ./prog 120
trap 'nobody tmux -S tmux kill-server 2>/dev/null || :; kill $prog 2>/dev/null || :; rm -rf "$dir"' EXIT
prog=
tm() { nobody tmux -f /dev/null -S tmux "$@"; }

press() { # KEY TEXT: that is on the screen then
	tm send-keys -t s "$1"
	await_text "$2"
}
type_line() {
	tm send-keys -t s -l "$1"
	tm send-keys -t s Enter
}

tm new-session -d -s s -x 80 -y 24 "exec env LC_ALL=C.UTF-8 PS1='$ ' ENV= sh -i"

# ---- report: a tree, views, code ----
type_line "./perf report -i new.data; echo left \$?"
await_text "?:all keys"
press Enter "saves_registers"
press g "flame graph"
press Escape "functions"
press c "callers and callees"
press Escape "functions"
press p "processes and threads"
press Escape "functions"
press i "Completeness"
press Escape "functions"
press a "source and assembly"
press Escape "functions"
press q "left 0"

# ---- diff ----
type_line "clear; ./perf diff old.data new.data; echo left \$?"
await_text "changes"
grep -q ' slower  *leaf' screen || { cat screen && fail "no function is slower"; }
press g '+leaf' # the sign of what is slower; the line of keys has "flame graph", too
press Escape "changes"
press c "callers and callees"
press Escape "changes"
press i "New recordings"
press Escape "changes"
press q "left 0"

# ---- top: a process of this user; without a process, all of this user's ----
# The process in the background is the shell that runs nobody: to end it would leave the program.
nobody sh -c 'echo $$ >prog.pid; exec ./prog 100017' &
await test -s "$dir/prog.pid" || fail "the program does not start"
prog=$(cat "$dir/prog.pid")
for what in "-p \$(pgrep -xf './prog 100017')" ""; do
	type_line "clear; ./perf top -g -d 1 -e cpu-clock:u $what; echo left \$?"
	await_text "samples/s"
	await_text "] leaf"
	press g "flame graph"
	press Escape "functions"
	press q "left 0"
done
# A user who may watch the whole machine does.
nobody ./perf record -q -a -e cpu-clock:u -o all.data true >out 2>&1 ||
	grep -q 'watching the processes of this user' screen || { cat screen && fail "no word on whom top watches"; }

# ---- text on the terminal; pages, which nobody else needs to read ----
type_line "clear; ./perf annotate -i new.data leaf 2>&1 | head -n 20; echo done"
await_text "leaf():"
expect_status 0 nobody ./perf report --html -o report.html -i new.data
expect_status 0 nobody ./perf diff --html=diff.html old.data new.data
for page in report diff; do
	grep -q '</html>' "$dir/$page.html" || fail "the page of $page is not whole"
done
type_line "exit"
