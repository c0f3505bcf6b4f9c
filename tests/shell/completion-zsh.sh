# completion of commands, options, events, sort keys and files in zsh, on a terminal
# timeout: 200
. "$PERF_SRC/tests/lib.sh"
need_command zsh
. "$PERF_SRC/tests/completion/lib.sh"
mkdir functions
cp "$PERF_SRC/tools/completion/perf.zsh" functions/_perf
printf '%s\n' "PS1='type> '" "fpath=('$PWD/functions' \$fpath)" "autoload -Uz compinit; compinit -u -d '$PWD/dump'" >.zshrc
start "ZDOTDIR='$PWD' zsh -d -i"
complete_all
completes 'perf record -operl' 'perf record -operl.data'
completes 'perf record -- perf buildid-l' 'perf record -- perf buildid-list'
lists 'perf re' 'Tab' 'Show where the time went in a recording'
