# For tests/shell/completion-*.sh: keys typed into a real shell on a terminal, and the line that it shows then.
need_terminal
need_command tmux
own_folder
trap 'tm kill-server 2>/dev/null || :; rm -rf "$dir"' EXIT
tm() { tmux -f /dev/null -S "$PWD/tmux" "$@"; }

# start SHELL-COMMAND: in a folder with a recording and two folders; its prompt must be "type> ", and perf on its PATH
start() {
	mkdir bin work work/folder work/folder/deep
	touch work/perl.data work/notes.txt
	ln -s "$PERF" bin/perf
	tm new-session -d -s screen -x 120 -y 40 "cd '$PWD/work' && env -i LC_ALL=C.UTF-8 TERM=xterm HOME='$PWD/work' \
		PATH='$PWD/bin:$PATH' $1"
	await '' || fail "no prompt: $(tm capture-pane -p -t screen)"
}

await() { # LINE: the last line with a prompt has this text
	for _ in $(seq 200); do
		line=$(tm capture-pane -p -t screen | sed -n 's/^type> //p; s/^type>$//p' | tail -n 1 | sed 's/ *$//')
		[ "$line" = "$1" ] && tm capture-pane -p -t screen | grep -q '^type>' && return
		sleep 0.1
	done
	return 1
}

clear_line() {
	tm send-keys -t screen C-u
	await '' || fail "the line '$line' is not deleted"
}

# completes TEXT RESULT: after TEXT and Tab, the line is RESULT (without blanks at the end)
completes() {
	tm send-keys -t screen -l "$1"
	await "$(printf '%s' "$1" | sed 's/ *$//')" || fail "the shell shows '$line' for '$1'"
	tm send-keys -t screen Tab
	await "$2" || fail "'$1' became '$line', expected '$2'"
	clear_line
}

# lists TEXT KEYS WORD...: after TEXT and the keys, each word is somewhere on the screen
lists() {
	tm send-keys -t screen -l "$1"
	# shellcheck disable=SC2086
	tm send-keys -t screen $2
	shift 2
	for word; do
		for _ in $(seq 200); do
			tm capture-pane -p -t screen | grep -qwF -e "$word" && continue 2
			sleep 0.1
		done
		fail "'$word' is not listed: $(tm capture-pane -p -t screen)"
	done
	tm send-keys -t screen C-c
	tm send-keys -t screen C-u
	tm send-keys -t screen C-l
	await '' || fail "the line '$line' is not left"
}

# What all shells can do.
complete_all() {
	completes 'perf buildid-c' 'perf buildid-cache'
	completes 'perf record --all-cg' 'perf record --all-cgroups'
	completes 'perf record -e cpu-cl' 'perf record -e cpu-clock'
	completes 'perf record -e cpu-clock,page-f' 'perf record -e cpu-clock,page-faults'
	completes 'perf report --sort=comm,srcline_t' 'perf report --sort=comm,srcline_to'
	completes 'perf report -s cgroup,srcline_t' 'perf report -s cgroup,srcline_to'
	completes 'perf report -i perl' 'perf report -i perl.data'
	completes 'perf report --input=perl' 'perf report --input=perl.data'
	completes 'perf report perl' 'perf report perl.data'
	completes 'perf report --symfs fo' 'perf report --symfs folder/'
	completes 'perf record --affinity=n' 'perf record --affinity=node'
	completes 'perf report --slower p99.' 'perf report --slower p99.9'
	completes 'perf help buildid-l' 'perf help buildid-list'
	completes 'perf --no-pager buildid-l' 'perf --no-pager buildid-list'
	lists 'perf export --format ' 'Tab Tab' pprof speedscope
	if "$PERF" --complete list sched:sched_wak | grep -q .; then
		completes 'perf record -e sched:sched_wakeup_n' 'perf record -e sched:sched_wakeup_new'
	fi
}
