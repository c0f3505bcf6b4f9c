# completion of commands, options, events, sort keys and files in bash, on a terminal
# timeout: 200
. "$PERF_SRC/tests/lib.sh"
need_command bash
. "$PERF_SRC/tests/completion/lib.sh"
printf '%s\n' "PS1='type> '" "bind 'set bell-style none'" ". '$PERF_SRC/tools/completion/perf.bash'" >rc
start "bash --noprofile --rcfile '$PWD/rc' -i"
complete_all
completes '../bin/perf buildid-l' '../bin/perf buildid-list'
completes 'perf record -operl' 'perf record -operl.data'
completes "perf record -e '{cpu-clock,page-f" "perf record -e '{cpu-clock,page-faults'"
completes 'true; perf buildid-l' 'true; perf buildid-list'
completes 'perf record ../bin/pe' 'perf record ../bin/perf'
completes 'perf record -- perf report -i perl' 'perf record -- perf report -i perl.data' # files, without bash-completion
