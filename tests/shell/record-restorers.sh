# perf record -g: chains continue through the code that signal handlers return to, also without CFI
. "$PERF_SRC/tests/lib.sh"
need_record
case $(uname -m) in x86_64 | aarch64) ;; *) skip "not on this machine" ;; esac

# At least 9 of 10 chains of in_handler must have all of these functions, from the leaf on.
check() { # WHAT DATA PROGRAM...
	what=$1 data=$2
	shift 2
	: >others
	"$PERF" script -F ip,sym -i "$data" "$@" >chains 2>err || fail "$what: $(cat err)"
	awk -v RS= '{ chain = ""; for (i = 2; i <= NF; i += 2) chain = chain " " $i }
		chain ~ /^ in_handler/ { n++; if (chain ~ /^ in_handler handler [^ ]+ interrupted outer main( |$)/) whole++; else print chain >"others" }
		END { print n + 0, whole + 0 }' chains >counts
	read -r n whole <counts
	[ "$n" -ge 10 ] || fail "$what: $n samples in the handler"
	[ $((whole * 10)) -ge $((n * 9)) ] || {
		sort others | uniq -c | sort -rn | head -20
		cat err.record
		fail "$what: $whole of $n chains are whole"
	}
}

# not in step with the signals, of which there are 1000 in a second
program restorer progs/restorer -O1 -g
"$PERF" record -g -e cpu-clock:u -F 1733 -o d.data ./restorer 2>err.record
check "the C library's" d.data
for form in 0 1 2 3; do
	"$PERF" record -g -e cpu-clock:u -F 1733 -o d.data ./restorer $form 2>err.record
	check "form $form" d.data
	# Stack copies, unwound by report.
	"$PERF" record --call-graph dwarf,8192 -e cpu-clock:u -F 1733 -o copies.data ./restorer $form 2>err.record
	check "form $form, stack copies" copies.data
done

command -v musl-gcc >musl.out 2>&1 || exit 0
for option in -static -static-pie -dynamic; do
	musl-gcc $option -O1 -g -o musl "$PERF_SRC/tests/progs/restorer.c" 2>err || continue
	./musl || continue
	"$PERF" record -g -e cpu-clock:u -F 1733 -o d.data ./musl 2>err.record
	check "musl, $option" d.data
done
