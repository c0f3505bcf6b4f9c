# Are the functions of a stripped binary in the report those of the binary with symbols, as readelf reads
# it? Source this file. The current folder gets files NAME.*; NAME.wrong lists what is wrong.
#
# build_samples CC FOLDER: compile samples.c of this folder.
#
# borders NAME ORIGINAL STRIPPED: report one sample in each 16 bytes of each function. The binary does not
# run. Print "NAME FUNCTIONS BORDERS% SAMPLES SAME%": functions that have an FDE (a frame description),
# how many of them begin in the report where they begin in ORIGINAL, samples, and how many are in the same
# function.
#
# real_samples NAME BINARY STRIPPED COMMAND...: record a command that runs BINARY, and report it before
# and after BINARY is replaced by STRIPPED. Print "NAME SAMPLES SAME% FUNCTIONS ROWS": samples in BINARY,
# how many are in the same function, functions with samples, and rows of STRIPPED.
#
# Both fail if less than 99% of the borders or 99.5% of the samples are right, and if a sample is missing.
#
# three_runs NAME COMMAND...: record three runs of an installed program in one recording. Address
# randomization loads it at other addresses each time. Print "NAME SAMPLES BARE% BARE-CALLERS% ROWS
# BRANCHES": samples, how many have an address in place of the function, or of a caller. Fail if more than
# 0.5% have no function, if an address has an FDE, or if a row, or a branch of a row, is shown twice.

build_samples() {
	"$1" -O2 -o samples "$2/samples.c"
}

# functions for awk
awk_of_borders='
function hex(digits,  i, n) {
	digits = tolower(digits)
	sub(/^0x/, "", digits)
	for (i = 1; i <= length(digits); i++)
		n = n * 16 + index("0123456789abcdef", substr(digits, i, 1)) - 1
	return n + 0
}
function percent(part, all) {
	return sprintf("%.2f", all ? 100 * part / all : 0)
}
function plain(name) { # names are compared without blanks, level and version
	gsub(/^ +| +$/, "", name)
	sub(/^\[.\] /, "", name)
	sub(/@+[A-Z].*$/, "", name)
	sub(/\[.*\]/, "[...]", name) # as in the table of functions that Go programs have
	sub(/\.abi0$/, "", name)
	return name
}
function made_up(name) { # the address in a made-up name, or -1
	return name ~ /@0x[0-9a-f]+$/ ? hex(substr(name, index(name, "@0x") + 3)) : -1
}
function is_function() { # a line of truth: sets start and name
	start = $1
	name = $0
	return sub(/^[0-9]+ f [0-9]+ /, "", name)
}'

# Lines "START f SIZE NAME" of functions and "START d END" of FDEs, in decimal, sorted.
truth() { # FILE
	{
		readelf -sW "$1" 2>/dev/null | awk "$awk_of_borders"'
			($4 == "FUNC" || $4 == "IFUNC") && $7 ~ /^[0-9]+$/ && $8 != "" {
				size = $3 ~ /^0x/ ? hex($3) : $3
				start = $2
				for (i = 1; i <= 7; i++)
					sub(/^ *[^ ]+ +/, "") # the name is left
				printf "%.0f f %.0f %s\n", hex(start), size, plain($0)
			}'
		readelf -wf "$1" 2>/dev/null | awk "$awk_of_borders"'
			/ FDE / && split($NF, pc, /=|\.\./) == 3 { # pc=START..END
				printf "%.0f d %.0f\n", hex(pc[2]), hex(pc[3])
			}'
	} | sort -u -k 1n,1 -k 2
}

# Lines "ADDRESS START KIND" of samples and their functions. KIND: "border": a function with an FDE starts
# there; "in": in such a function; "gap": in a function without FDE.
places() { # TRUTH
	awk '
		$2 == "d" { described = $3 > described ? $3 : described; next }
		$1 == last { next }
		{
			last = $1
			kind = $1 < described ? "in" : "gap"
			printf "%.0f %.0f %s\n", $1, $1, $1 < described ? "border" : "gap"
			for (at = 16; at < $3; at += 16)
				printf "%.0f %.0f %s\n", $1 + at, $1, kind
			if ($3 > 1)
				printf "%.0f %.0f %s\n", $1 + $3 - 1, $1, kind
		}' "$1"
}

borders() {
	rm -f "$1.wrong"
	truth "$2" >"$1.truth"
	places "$1.truth" >"$1.places"
	./samples "$3" <"$1.places" >"$1.data" || return 1
	"$PERF" report --stdio -q --no-demangle -i "$1.data" -s tid,sym -F tid,sym -t "$(printf '\t')" \
		>"$1.rows" 2>"$1.err" || return 1
	awk "$awk_of_borders"'
		FILENAME ~ /truth$/ {
			if (is_function()) {
				at[name, start]
				known[name]
			}
			next
		}
		FILENAME ~ /places$/ {
			place[FNR] = $1
			begin[FNR] = $2
			kind[FNR] = $3
			if ($3 == "border")
				described[$2]
			places++
			next
		}
		/\t/ { # TID [.] FUNCTION
			nr = $1 + 0
			name = plain(substr($0, index($0, "\t") + 1))
			kinds[kind[nr]]++
			# main must have its name.
			right = (name, begin[nr]) in at ||
				(made_up(name) == begin[nr] && !(("main", begin[nr]) in at))
			# Without an FDE, the start is unknown, but another function is wrong.
			if (kind[nr] == "gap" && !right)
				right = !(made_up(name) in described) && !(name in known)
			same[kind[nr]] += right
			if (!right)
				printf "%s: %x is in the function at %x, not in %s\n", kind[nr], place[nr],
					begin[nr], name >(NAME ".wrong")
		}
		END {
			all = kinds["border"] + kinds["in"] + kinds["gap"]
			right = same["border"] + same["in"] + same["gap"]
			print NAME, kinds["border"] + 0, percent(same["border"], kinds["border"]), all,
				percent(right, all)
			if (all != places)
				print NAME ": " places - all " samples are in no row" >(NAME ".wrong")
			exit !(all && all == places && same["border"] >= 0.99 * kinds["border"] &&
				right >= 0.995 * all)
		}' NAME="$1" "$1.truth" "$1.places" "$1.rows"
}

report_rows() { # NAME: "SAMPLES DSO [.] FUNCTION"
	"$PERF" report --stdio -q --no-demangle -g none -i "$1.data" -s dso,sym -F sample,dso,sym \
		-t "$(printf '\t')" 2>"$1.err"
}

real_samples() {
	case_=$1 binary_=$2 stripped_=$3
	shift 3
	rm -f "$case_.wrong"
	"$PERF" record -q -e cpu-clock:u -F 4000 --no-embed -o "$case_.data" -- "$@" \
		>"$case_.out" 2>"$case_.err" || return 1
	truth "$binary_" >"$case_.truth"
	report_rows "$case_" >"$case_.original" || return 1
	cp "$stripped_" "$binary_" # the same inode
	report_rows "$case_" >"$case_.stripped" || return 1
	awk "$awk_of_borders"'
		FILENAME ~ /truth$/ { # local functions of several files may have one name
			if (is_function())
				at[name] = at[name] " " start
			next
		}
		split($0, column, "\t") < 3 { next }
		{
			n = column[1] + 0
			sum[FILENAME] += n
			name = plain(column[3])
		}
		plain(column[2]) != BINARY { next }
		FILENAME ~ /original$/ { if (name in at) { had[name] += n; all += n; functions++ } next }
		{
			rows++
			if (made_up(name) >= 0)
				has[made_up(name)] += n
			else if (name in at) {
				split(at[name], v, " ")
				has[v[1]] += n
			}
		}
		END {
			for (name in had) {
				found = 0
				for (i = split(at[name], v, " "); i > 0; i--) {
					found += has[v[i]]
					delete has[v[i]]
				}
				same += found < had[name] ? found : had[name]
				if (found != had[name])
					printf "%s: %d samples, %d without symbols\n", name, had[name],
						found >(NAME ".wrong")
			}
			print NAME, all, percent(same, all), functions, rows
			exit !(all && sum[NAME ".original"] == sum[NAME ".stripped"] && same >= 0.995 * all)
		}' NAME="$case_" BINARY="$(basename "$binary_")" \
		"$case_.truth" "$case_.original" "$case_.stripped"
}

three_runs() {
	case_=$1
	shift
	program_=$(readlink -f "$(command -v "$1")")
	rm -f "$case_.wrong"
	"$PERF" record -q -g -e cpu-clock:u -F 2000 -o "$case_.data" -- \
		sh -c 'for run in 1 2 3; do "$@" || exit 1; done' sh "$@" \
		>"$case_.out" 2>"$case_.err" </dev/null || return 1
	"$PERF" report --stdio -q --no-demangle --no-children -g folded,0,caller,count -i "$case_.data" \
		-s dso,sym -F sample,dso,sym -c "$1" >"$case_.rows" 2>"$case_.err" || return 1
	truth "$program_" >"$case_.truth"
	awk "$awk_of_borders"'
		function wrong(text) {
			print text >(NAME ".wrong")
			bad++
		}
		FILENAME ~ /truth$/ {
			if ($2 == "d") {
				first[++described] = $1
				end[described] = $3
			}
			next
		}
		/^[0-9]/ { # COUNT FRAME;FRAME...
			branches++
			count = $1
			sub(/^[0-9]* /, "")
			if ($0 in branch)
				wrong(row " has this twice: " $0)
			branch[$0]
			if ($0 ~ /(^|;)0x[0-9a-f]/)
				bare_frames += count
			next
		}
		NF > 3 { # SAMPLES DSO [.] FUNCTION
			n = $1
			row = $2 " " $4
			rows++
			all += n
			split("", branch)
			if (row in seen)
				wrong("there twice: " row)
			seen[row]
			if ($4 !~ /^0x/)
				next
			bare += n
			at = hex($4)
			for (i = 1; i <= described && $2 == DSO; i++)
				if (at >= first[i] && at < end[i])
					wrong("an address of a function: " row)
		}
		END {
			print NAME, all, percent(bare, all), percent(bare_frames, all), rows, branches
			exit !(all && !bad && bare <= 0.005 * all)
		}' NAME="$case_" DSO="$(basename "$program_")" "$case_.truth" "$case_.rows"
}
