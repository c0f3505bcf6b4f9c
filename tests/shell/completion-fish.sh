# completion of commands, options, events, sort keys and files in fish, on a terminal
# timeout: 200
. "$PERF_SRC/tests/lib.sh"
need_command fish
. "$PERF_SRC/tests/completion/lib.sh"
printf '%s\n' "function fish_prompt; echo -n 'type> '; end" "set fish_greeting" "set -g fish_autosuggestion_enabled 0" \
	"source '$PERF_SRC/tools/completion/perf.fish'" >rc.fish
start "fish --no-config -C 'source \"$PWD/rc.fish\"'"
complete_all
completes 'perf record -operl' 'perf record -operl.data'
completes 'perf record -- perf buildid-l' 'perf record -- perf buildid-list'
lists 'perf re' 'Tab' 'Show where the time went'
