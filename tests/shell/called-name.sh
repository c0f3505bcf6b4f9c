# texts that say what to type have the name that the user called: perf-new, where it is installed as that
. "$PERF_SRC/tests/lib.sh"
need_record

mkdir bin
ln -s "$PERF" bin/perf-new
ln -s "$PERF" 'bin/perf-a b'
ln -s "$PERF" bin/other
new=$PWD/bin/perf-new

# says LINE COMMAND...: standard output and error of the command have the line
says() {
	line=$1
	shift
	"$@" >said 2>&1 </dev/null || :
	grep -qF -e "$line" said || { cat said; fail "not said: '$line'"; }
}

says "record something first: perf-new record COMMAND" "$new" report
says "perf-new list shows the events of this machine" "$new" record -e cpu-clok true
says "perf-new report -h lists the keys, under --sort" "$new" report -s dos -i "$PERF_SRC/tests/data/browser/shapes.data"
says "perf-new --help lists the commands" "$new" --versoin
says " usage: perf-new " "$new"
says " 'perf-new help COMMAND' says more about each option" "$new" record -h
says " Usage: perf-new record " "$new" record -h
says "    or: perf-new record " "$new" record -h
says "type: perf-new export -o profile.folded" "$new" script -s flamegraph
says "it is a program: 'perf-new record $PERF' records it" "$new" report -i "$PERF"

# The recording names the program as stock perf does.
"$new" record -q -e cpu-clock:u -o x.data true
"$new" report --header-only -i x.data >header
expect_text header "# cmdline : "

# Names that are not perf-SOMETHING, or that a shell would not take as one word, are not repeated.
says "record something first: perf record COMMAND" "$PERF" report
says "record something first: perf record COMMAND" bin/other report
says "record something first: perf record COMMAND" 'bin/perf-a b' report
