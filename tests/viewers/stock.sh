# Runs each command of a stock perf on each kind of our recordings (kinds.sh), in the folder of record_kinds.
# check_stock PERF prints a line for each failure into the file "failures". Its own HOME keeps it out of the
# user's cache.

samples() { # FILE: as our dump counts them
	"$PERF" report -D -i "$1" 2>ours.err | grep -c PERF_RECORD_SAMPLE || :
}

has_features() { # FILE, or a data directory
	header_=$1
	[ ! -d "$1" ] || header_=$1/data
	[ -n "$(od -An -j72 -N32 -tx8 -v "$header_" | tr -d ' 0\n')" ]
}

failed() {
	echo "$kind: $*" >>failures
}

# Signals such as SIGSEGV; 255 and 129 are errors and usage.
is_crash() { # STATUS
	[ "$1" -ge 132 ] && [ "$1" -le 160 ]
}

runs() { # COMMAND...: ends with status 0
	status=0
	timeout 120 "$@" >stock.out 2>stock.err </dev/null || status=$?
	[ $status = 0 ] || failed "status $status: $*: $(grep . stock.err | head -n 2)"
}

survives() { # COMMAND...: may refuse; does not crash
	status=0
	timeout 120 "$@" >stock.out 2>stock.err </dev/null || status=$?
	! is_crash $status || failed "status $status: $*: $(grep . stock.err | head -n 2)"
}

# few_symbols FILE: one in 40 of the kernel's symbols, for --kallsyms, or nothing where its addresses are hidden. Stock perf
# reads /proc/kallsyms again in each run that has samples of the kernel: four fifths of its time.
few_symbols() {
	awk '$1 ~ /[1-9a-f]/ { shown = 1 } NR % 40 == 1 || $3 ~ /^_(s|e|)text$/ { few = few $0 "\n" } END { if (shown) printf "%s", few }' \
		/proc/kallsyms >"$1" 2>/dev/null || :
}

check_inject() { # STOCK OPTIONS...: its output has all samples, for us too, who find nothing stale in it
	stock=$1
	shift
	rm -rf injected.data
	runs "$stock" inject "$@" -i "$kind.data" -o injected.data
	[ -e injected.data ] || return 0
	nr=$(samples injected.data)
	[ "$nr" = "$want" ] || failed "inject $*: $nr samples, not $want"
	sed '/was not completed by its recorder/d' ours.err >left.err
	[ ! -s left.err ] || failed "inject $*: we say of its output: $(cat left.err)"
}

check_stock() { # STOCK
	: >failures
	mkdir -p home
	few_symbols few.kallsyms # but for the kind "plain"
	while read -r kind options; do
		f=$kind.data
		want=$(samples "$f")
		names=
		[ "$kind" = plain ] || [ ! -s few.kallsyms ] || names=--kallsyms=few.kallsyms
		# shellcheck disable=SC2086
		runs env HOME="$PWD/home" "$1" script $names --no-inline -F time -i "$f"
		nr=$(grep -c . stock.out || :)
		[ "$nr" = "$want" ] && [ "$nr" -gt 0 ] || failed "script: $nr samples, not $want ($options)"
		for c in "report $names --stdio --no-inline -I" evlist "evlist -v" buildid-list "diff $names $f"; do
			# shellcheck disable=SC2086
			case $c in
			diff*) runs env HOME="$PWD/home" "$1" $c "$f" ;;
			*) runs env HOME="$PWD/home" "$1" $c -i "$f" ;;
			esac
		done
		survives env HOME="$PWD/home" "$1" annotate --stdio -d ramp -i "$f"
		survives env HOME="$PWD/home" "$1" archive "$f"
		rm -rf converted.json converted.ctf
		# It crashes on files without features, as a killed recorder leaves them; on its own files, too.
		! has_features "$f" ||
			survives env HOME="$PWD/home" "$1" data convert --force -i "$f" --to-json=converted.json
		survives env HOME="$PWD/home" "$1" data convert --force --all -i "$f" --to-ctf=converted.ctf
		# shellcheck disable=SC2086
		check_inject "$1" $names
		# shellcheck disable=SC2086
		check_inject "$1" -b $names
	done <kinds
}
