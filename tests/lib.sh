# For the scripts of tests/shell/: . "$PERF_SRC/tests/lib.sh"
# They run under `set -e`: a command that fails ends the test, after fail or sh has printed its name.
# They may use PERF (the program under test), PERF_SRC, PERF_BUILD, and an empty working directory.
set -e

fail() {
	echo "failed: $*"
	exit 1
}

skip() { # the reason
	echo "$*"
	exit 77
}

# expect_status N command...: the command must exit with N; its output is in the files out and err
expect_status() {
	want_=$1
	shift
	got_=0
	"$@" >out 2>err || got_=$?
	[ "$got_" = "$want_" ] && return
	echo "--- stdout:" && cat out
	echo "--- stderr:" && cat err
	fail "exit status $got_, expected $want_: $*"
}

# expect_line FILE TEXT: FILE must have this line; expect_text: some line must contain it
expect_line() {
	grep -qxF -e "$2" "$1" && return
	echo "--- $1:" && cat "$1"
	fail "no line '$2' in $1"
}

expect_text() {
	grep -qF -e "$2" "$1" && return
	echo "--- $1:" && cat "$1"
	fail "'$2' is not in $1"
}

expect_lines() { # FILE N
	[ "$(wc -l <"$1")" -eq "$2" ] && return
	echo "--- $1:" && cat "$1"
	fail "$(wc -l <"$1") lines in $1, expected $2"
}

# Does kernel.kptr_restrict, or a missing privilege, hide the kernel's addresses from this user?
hides_kernel() {
	! grep -q -m1 '^0*[1-9a-f]' /proc/kallsyms 2>/dev/null
}

# What record and report say where the kernel's addresses are hidden does not count.
expect_empty() {
	[ ! -s "$1" ] && return
	! hides_kernel || sed -i '/^perf: warning: .*: kernel functions \(have no names$\|will not be named\)/d' "$1"
	[ ! -s "$1" ] && return
	echo "--- $1:" && cat "$1"
	fail "$1 is not empty"
}

need_command() { # names
	for c_; do
		command -v "$c_" >/dev/null 2>&1 || skip "'$c_' is not installed"
	done
}

# program FILE SOURCE FLAG...: FILE is tests/SOURCE.c, compiled with these flags. make builds it once for all tests that
# have the same line (see PROGRAMS in the Makefile), so SOURCE and FLAGS are plain words, without variables.
program() {
	file_=$1
	shift
	made_=$PERF_BUILD/tests/programs/$(echo "$*" | tr ' ' '~')
	if [ -x "$made_" ]; then
		cp "$made_" "$file_"
		return
	fi
	source_=$1
	shift
	need_command "${CC%% *}"
	# CC may be two words, such as "ccache gcc"; libraries come after the source
	# shellcheck disable=SC2086
	$CC -o "$file_" "$PERF_SRC/tests/$source_.c" "$@"
}

# Run a command with its output in out and err, and its status in the file status; print the peak of its memory in MiB.
peak() { # command...
	python3 - "$@" <<'P'
import resource, subprocess, sys
p = subprocess.run(sys.argv[1:], stdout=open("out", "w"), stderr=open("err", "w"), stdin=subprocess.DEVNULL)
open("status", "w").write(str(p.returncode))
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
P
}

# Skip unless this machine can record: cpu-clock needs no hardware, but perf_event_open must be permitted.
need_record() {
	may_record -e cpu-clock:u || skip "cannot record here: $(head -n 1 probe.out)"
}

# may_record OPTION...: may this user record so? The settings of the machine and its rights decide. Why not is in probe.out.
may_record() {
	"$PERF" record -o probe.data "$@" true >probe.out 2>&1 || return 1
	rm -f probe.data
}

# Skip unless this user may record who wakes whom (record --off-cpu=locks).
need_wakings() {
	may_record --off-cpu=locks -e cpu-clock || skip "switches cannot be recorded here: $(head -n 1 probe.out)"
	if grep -q 'holders of locks stay unknown' probe.out; then
		skip "wakings cannot be recorded here: $(grep -A 1 'holders of' probe.out)"
	fi
}

# May this user sample the kernel?
may_record_kernel() {
	"$PERF" record -o probe.data -e cpu-clock true >probe.out 2>&1 && ! grep -q 'recording user space only' probe.out
}

# record_enough NR FILE OPTION... PROGRAM: record "PROGRAM ROUNDS" into FILE with at least NR samples. The late timers of a
# virtual machine may take a tenth of the samples that a rate promises: then the program runs for more rounds.
record_enough() {
	least_=$1 file_=$2 rounds_=1
	shift 2
	while :; do
		"$PERF" record -o "$file_" "$@" $rounds_ >out 2>err || fail "perf record $* $rounds_: $(cat err)"
		"$PERF" report --stats -i "$file_" >out 2>err || fail "$(cat err)"
		nr_=$(awk '/ SAMPLE events:/ { print $3; exit }' out)
		[ "${nr_:-0}" -lt "$least_" ] || break
		[ $((rounds_ *= 3)) -lt 100 ] || fail "only ${nr_:-0} samples of $*"
	done
}

# attach OPTION...: run perf record on running processes, in the background; return once it records. Sets
# recorder to its pid; its output is in the files out and err.
attach() {
	rm -f ctl_ ack_
	mkfifo ctl_ ack_
	exec 8<>ctl_ 9<>ack_
	"$PERF" record --control fifo:ctl_,ack_ "$@" >out 2>err 8>&- 9>&- &
	recorder=$!
	echo ping >&8
	timeout 60 head -c 3 <&9 >/dev/null || fail "no answer of perf record $*: $(cat err)"
}

# await COMMAND...: wait until it succeeds, at most $await_seconds; a machine may be slow, so that only a test that is
# about to fail waits that long. Returns whether it did.
await_seconds=300
await() {
	end_=$(($(date +%s) + await_seconds))
	until "$@"; do
		[ "$(date +%s)" -le $end_ ] || return 1
		sleep 0.1
	done
}

# own_mounts, first of all in a test: go on with mounts of its own, if this user may have them. few_kernel_names [FILE]: from then
# on, /proc/kallsyms of such a test has the kernel's bounds, and functions whose names are words of FILE, with what follows each.
# For tests that run either perf many times: the kernel formats 5 MB each time otherwise.
own_mounts() {
	[ -z "${own_mounts_:-}" ] && [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null || return 0
	export own_mounts_=1
	exec unshare -m sh "$0"
}

few_kernel_names() {
	[ "${own_mounts_:-}" ] || return 0
	# words, then all symbols at their addresses and at those that follow
	{ echo _stext && grep -ohE '[A-Za-z_][A-Za-z0-9_.]*' "${1:-/dev/null}"; } | awk '!seen[$0]++' >kallsyms_words
	awk 'NR == FNR { want[$1]; next }
		FNR == 1 { file++ }
		file == 1 {
			if (next_too && $1 != at) { keep[$1]; next_too = 0 }
			if ($3 in want || $3 ~ /^(_text|_stext|_etext|_end|jiffies)$/) { keep[$1]; at = $1; next_too = 1 }
			next
		}
		$1 in keep' kallsyms_words /proc/kallsyms /proc/kallsyms >kallsyms_
	[ ! -s kallsyms_ ] || mount --bind kallsyms_ /proc/kallsyms 2>/dev/null || :
}

# Tracepoints need privileges, and a kernel that has them.
need_tracepoints() {
	"$PERF" record -o probe.data -e sched:sched_process_exec true >probe.out 2>&1 ||
		skip "no tracepoints here: $(head -n 1 probe.out)"
	rm -f probe.data probe.out
}

# An unprivileged user: user 65534, or $nobody_id, with a copy of the program as ./perf in a directory of its
# own. Sets dir and the function nobody, which runs a command there. Takes the EXIT trap: it must remove
# "$dir".
nobody_id=65534
need_nobody() {
	[ "$(id -u)" = 0 ] || skip "only root can become somebody else"
	need_command setpriv
	dir=$(mktemp -d /tmp/perf-user.XXXXXX)
	trap 'rm -rf "$dir"' EXIT
	cp "$PERF" "$dir/perf"
	chown "$nobody_id:$nobody_id" "$dir"
	chmod 755 "$dir" "$dir/perf"
	nobody ./perf version >/dev/null 2>&1 || skip "user $nobody_id cannot run a copy of perf in /tmp"
}

nobody() { # command...
	setpriv --reuid "$nobody_id" --regid "$nobody_id" --clear-groups --inh-caps=-all --bounding-set=-all \
		env HOME="$dir" sh -c 'cd "$1" && shift && exec "$@"' sh "$dir" "$@"
}

# Change to a directory that is not below /tmp/perf-*: stock perf takes such names for those of JIT maps. Sets
# dir; takes the EXIT trap: it must remove "$dir".
own_folder() {
	dir=$(mktemp -d /tmp/own.XXXXXX)
	trap 'rm -rf "$dir"' EXIT
	cd "$dir"
}

# Another perf than ours, for comparison; sets STOCK.
need_stock() {
	STOCK=$(command -v perf) || skip "no stock perf is installed"
	[ "$(readlink -f "$STOCK")" != "$(readlink -f "$PERF")" ] || skip "the installed perf is ours"
}

# stock_record OPTION...: records with stock perf. 6.1 aborts now and then (util/build-id.c:1010): five times at most.
stock_record() {
	for t_ in 1 2 3 4 5; do
		"$STOCK" record "$@" >stock-record.log 2>&1 && return
	done
	return 1
}

# Ours names what stubs of libraries call; stock 6.1 gives all of them the name "@plt". Of two symbols at the start of
# .bss, ours takes the one with a size. A filter for both.
same_stubs() {
	sed 's/[A-Za-z0-9_.:~<>, *&()]*@plt\(+0x\| (\|$\)/@plt\1/g; s/ __TMC_END__\>/ completed.0/g'
}

# Development data (see Documentation/howto-add-a-test.md); sets SHARED.
need_shared() {
	SHARED=${PERF_SHARED:-$PERF_SRC/../shared}
	[ -d "$SHARED" ] || skip "no shared folder of recordings (PERF_SHARED)"
	SHARED=$(readlink -f "$SHARED")
}

# Terminals: need_terminal skips the test where there is none. on_terminal COMMAND-LINE runs it on one of 80
# columns and 24 lines, or $columns and $lines; the text it got is in the file screen, without carriage returns.
# A command under timeout needs --foreground: in a background group, it would be stopped at the terminal's settings.
need_terminal() {
	need_command script stty
	script -qec true /dev/null </dev/null >screen 2>&1 || skip "no pseudo-terminal: $(head -n 1 screen)"
	unset COLUMNS LINES NO_COLOR
	export TERM=xterm PERF_PAGER=cat
}

on_terminal() {
	script -qec "stty cols ${columns:-80} rows ${lines:-24}; $1" /dev/null </dev/null 2>&1 | tr -d '\r' >screen || :
}

# own_tmux: an own_folder, with a server of tmux in it that belongs to the test. tm runs tmux; next_tmux ends the server, and
# tm starts another one.
own_tmux() {
	own_folder
	tmux_nr=0
	trap 'tm kill-server 2>/dev/null || :; rm -rf "$dir"' EXIT
}
tm() { tmux -f /dev/null -S "$dir/tmux$tmux_nr" "$@"; }
next_tmux() {
	tm kill-server 2>/dev/null || :
	tmux_nr=$((tmux_nr + 1)) # a server that ends takes its socket with it, some time later
}

# await_text TEXT: within await_seconds it is on the screen of session s of tmux, which tm() runs. That screen is in the
# file screen.
await_text() {
	for _ in $(seq $((await_seconds * 10))); do
		tm capture-pane -p -t s >screen
		! grep -qF -e "$1" screen || return 0
		sleep 0.1
	done
	cat screen
	fail "the screen has no '$1'"
}

# whole_chains FILE: per cent of the call chains that are complete or found, as the line "Call chains:" says
whole_chains() {
	awk '/Call chains: / {
		for (i = 1; i < NF; i++)
			if ($i ~ /%$/ && $(i + 1) ~ /^(complete|found)/)
				n += $i
		print n + 0
	}' "$1"
}
