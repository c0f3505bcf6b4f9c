# For tests of browsers: . "$PERF_SRC/tests/browser/screens.sh", after lib.sh. They show screens after keys, on terminals of
# several sizes, and compare them with files. Changes to a folder of its own.
need_terminal
need_command tmux awk
"$PERF" version --build-options | grep -q 'ncursesw: \[ on' || skip "perf was built without ncursesw"
own_folder

# Each file begins with "# COLUMNSxROWS ARGUMENTS", then maybe "# env VARIABLE=VALUE ...". A line "> KEYS" has keys as
# tmux names them; lines with "| " or "* " are the screen after them. UPDATE=1 writes them anew,
# UPDATE='zoom tree' those files.
nr=0
tm() { tmux -f /dev/null -S "$PWD/tmux$nr" "$@"; }
trap 'tm kill-server 2>/dev/null || :' EXIT

screen() { # "* " begins lines with something in reverse: what is selected
	tm capture-pane -e -p -t screen | awk '
		{
			mark = /\033\[([0-9;]*;)?7[;m]/ ? "* " : "| "
			gsub(/\033\[[0-9;]*m|\017/, "")
			sub(/ *$/, "")
			sub(/captured on    : .*/, "captured on    : ...")
			line[NR] = mark $0
			if (line[NR] != "| ")
				last = NR
		}
		END { for (i = 1; i <= last; i++) print line[i] }'
}

open_browser() { # FILE
	head=$(sed -n '1s/^# //p' "$1")
	size=${head%% *}
	env=$(sed -n '2s/^# env //p' "$1")
	tm new-session -d -s screen -x "${size%x*}" -y "${size#*x}" \
		"cd '$PERF_SRC/tests/data/$data' && env LC_ALL=C.UTF-8 $env '$PERF' $command ${head#* } 2>'$PWD/err'; echo \"left with status \$?\"; sleep 60"
	for _ in $(seq 100); do
		[ -z "$(screen)" ] || return 0
		sleep 0.1
	done
}

settled() { # the screen, when it stays the same
	now=
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		before=$now
		sleep 0.1
		now=$(screen)
		[ -n "$now" ] && [ "$now" = "$before" ] && break
	done
	printf '%s\n' "$now"
}

# Wait up to 10 s for the screen that is expected: a busy machine may be slow.
await() {
	for _ in $(seq 100); do
		screen >seen
		cmp -s expected seen && return
		sleep 0.1
	done
	return 1
}

run_file() { # FILE
	open_browser "$1"
	number=0
	keys_of=$(grep -c '^>' "$1")
	while [ $number -lt "$keys_of" ]; do
		number=$((number + 1))
		awk -v n=$number '/^>/ { at++ } at == n && /^[|*]/' "$1" >expected
		keys=$(awk -v n=$number '/^>/ && ++at == n { sub(/^> ?/, ""); print }' "$1")
		for key in $keys; do
			case $key in
			resize=*) tm resize-window -t screen -x "$(echo "${key#*=}" | cut -dx -f1)" -y "$(echo "${key#*=}" | cut -dx -f2)" ;;
			click=*) click "${key#*=}" ;;
			*) tm send-keys -t screen "$key" ;;
			esac
			[ "$key" != Escape ] || sleep 0.2
		done
		if [ -n "${UPDATE:-}" ]; then
			{ echo "> $keys" && settled; } >>new
		elif ! await; then
			diff expected seen | head -n 40
			fail "$(basename "$1"): another screen after '$keys' (screen $number)"
		fi
	done
}

# COLUMN,ROW from 0, below 90: as xterm has always reported a click. The bytes are all printable.
click() {
	x=$(printf '\\0%o' $((${1%,*} + 33))) y=$(printf '\\0%o' $((${1#*,} + 33)))
	tm send-keys -t screen -l "$(printf '\033[M %b%b\033[M#%b%b' "$x" "$y" "$x" "$y")"
}

# run_files COMMAND DATA FILE...: the screens of "perf COMMAND" in each file, for recordings in tests/data/DATA
run_files() {
	command=$1 data=$2
	shift 2
	"$PERF" version --build-options | grep -q 'on .*HAVE_CAPSTONE' || no_code=1
	for f; do
		case " ${UPDATE:-} " in
		"  " | " 1 " | *" $(basename "$f" .txt) "*) ;;
		*) continue ;;
		esac
		if [ -n "${no_code:-}" ] && grep -q 'source and assembly$' "$f"; then
			echo "left out, there is no libcapstone: $(basename "$f")"
			continue
		fi
		if [ -n "${UPDATE:-}" ]; then
			grep '^#' "$f" >new
			run_file "$f"
			cp new "$f"
		else
			run_file "$f"
		fi
		tm kill-server
		nr=$((nr + 1))
	done
}
