# Sort keys that only stock perf 7.x has, on recordings that have such data.
# check_keys STOCK prints a line for each set of keys whose rows are not those of this stock perf into the file "failures".

rows_of() { # PROGRAM OPTION...: without headers, whose words differ, and leading zeros of addresses, as differences.md says
	program_=$1
	shift
	"$program_" report --stdio --no-inline --symfs empty --kallsyms /dev/null "$@" 2>/dev/null </dev/null |
		sed -e 's/ *$//' -e 's/0x0*/0x/' | grep '^ *[0-9.]*%'
}

ours_of() { # OPTION...
	rows_of "$PERF" --no-made-up-names "$@"
}

check_keys() { # STOCK
	: >failures
	mkdir -p empty
	"$CC" -O1 -o fill "$src/tests/progs/fill_samples.c" || return
	busy='work() { i=0; while [ $i -lt $1 ]; do i=$((i+1)); done; }; work 30000 & work 60000 & work 15000; wait'
	"$1" record -B -o weights.data -F 5000 -e cpu-clock -d -W --phys-data --data-page-size -- sh -c "$busy" >/dev/null 2>&1
	./fill weights.data >/dev/null || echo "no samples to fill" >>failures
	"$1" record -B --latency -o latency.data -F 2000 -e cpu-clock -- sh -c "$busy" >/dev/null 2>&1
	while read -r options; do
		# shellcheck disable=SC2086
		rows_of "$1" $options >stock.rows
		# shellcheck disable=SC2086
		ours_of $options >ours.rows
		[ -s stock.rows ] || echo "report $options: no rows of stock perf" >>failures
		cmp -s stock.rows ours.rows || echo "report $options: $(diff stock.rows ours.rows | head -n 4)" >>failures
	done <<-'END'
		-i weights.data -F overhead,weight1,weight2,weight3,comm
		-i weights.data -F overhead,weight1,sym
		-i weights.data -s symoff
		-i weights.data -s local_retire_lat
		-i weights.data -s retire_lat -n
		-i weights.data -s local_p_stage_cyc
		-i weights.data -s p_stage_cyc -n
		-i weights.data -s tgid,dso
		-i weights.data -s comm_nodigit
		-i weights.data --mem-mode -F overhead,op,cache,memory,dtlb,comm
		-i weights.data --mem-mode -F overhead,op,dso
		-i latency.data --latency
		-i latency.data -s latency,comm
		-i latency.data -F overhead,latency,parallelism,comm
		-i latency.data -F overhead,parallelism,sym
	END
}
