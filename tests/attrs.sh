# What a recording passes to perf_event_open, for tests that compare it with stock. After need_stock:
# . "$PERF_SRC/tests/attrs.sh"; sets trace.
need_command strace awk
strace -f -o probe -e trace=perf_event_open true 2>/dev/null || skip "strace cannot trace here"
case $("$STOCK" --version) in
*" 6."*) ;;
*) skip "the table is of perf 6, this is $("$STOCK" --version)" ;;
esac

# attrs FILE: print one line for each event of an strace, as it was tried first: later tries leave out what
# the kernel refused. Justified differences are left out: size, build_id, IDENTIFIER for ID, events that only
# probe the kernel, cpu-clock in place of a missing event, data addresses next to stack copies, times of
# counters that are read at the end, and which of several events of a pattern comes first.
attrs() {
	awk -v text="$2" '
	!/perf_event_open\(\{/ { next }
	{
		group = $0
		sub(/.*\}, /, "", group)
		split(group, word, ", ")
		grouped = word[3] != "-1"
		sub(/.*perf_event_open\(\{/, "")
		sub(/\}, .*/, "")
		gsub(/ \/\*[^*]*\*\//, "")
		n = split($0, field, ", ")
		line = key = ""
		for (i = 1; i <= n; i++) {
			if (field[i] ~ /=0$/ || field[i] ~ /^(size|build_id)=/ || field[i] == "...")
				continue
			gsub(/PERF_SAMPLE_IDENTIFIER|PERF_SAMPLE_ID$/, "", field[i])
			gsub(/PERF_SAMPLE_ID\|/, "", field[i])
			gsub(/\|$|\|\|/, "", field[i])
			if (field[i] ~ /STACK_USER/)
				gsub(/PERF_SAMPLE_ADDR\||\|PERF_SAMPLE_DATA_SRC/, "", field[i])
			if (text ~ /[*]/ && field[i] ~ /^(mmap|mmap2|comm|comm_exec|task|ksymbol|bpf_event)=/)
				continue
			if (field[i] ~ /^(type|config[123]?|bp_[a-z]*)=/)
				key = key " " field[i]
			line = line " " field[i]
		}
		if (line !~ /inherit_stat=1|PERF_SAMPLE_READ/) # read at the end, and in no record
			gsub(/PERF_FORMAT_TOTAL_TIME_(ENABLED|RUNNING)\|/, "", line)
		if (line ~ /PERF_SAMPLE_READ/) # what is read is inherited here, as by 7.x, where the kernel takes it
			sub(/ inherit=1/, "", line)
		if (line ~ /SW_DUMMY sample_type=PERF_SAMPLE_TIME /) # reads the clock, and is in no recording
			next
		if (line !~ /sample_type=[A-Z]/ || (line ~ /SW_CPU_CLOCK/ && tolower(text) !~ /clock/))
			next
		in_group[key] = grouped # at last: a member may be tried alone first
		if (!(key in first)) {
			first[key] = line
			order[++nr] = key
		}
	}
	END { for (i = 1; i <= nr; i++) print first[order[i]] (in_group[order[i]] ? " grouped" : "") }' "$1" | sort
}

trace="strace -f -v -e trace=perf_event_open"
strace --seccomp-bpf -f -o probe true 2>/dev/null && trace="strace --seccomp-bpf -f -v -e trace=perf_event_open"
