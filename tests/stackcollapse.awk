# The rules of stackcollapse-perf.pl for the text of `perf script`, written from a description of them:
#	perf script --no-inline -i FILE | awk -f stackcollapse.awk [-v pid=1] [-v tid=1] [-v kernel=1] [-v jit=1] \
#		[-v only=EVENT] | LC_ALL=C sort
# A sample is a line "COMM TID ...: [PERIOD] EVENT:", a line for each frame, and an empty line.

function start_sample(line,    n, words, head) {
	# the comm is all before "TID " or "PID/TID "
	if (!match(line, /[ \t]+[0-9]+(\/[0-9]+)?[ \t]/))
		return
	head = substr(line, RSTART, RLENGTH)
	comm = substr(line, 1, RSTART - 1)
	sub(/^[ \t]+/, "", comm)
	gsub(/[ \t]/, "", head)
	if (split(head, words, "/") == 2) {
		sample_pid = words[1]
		sample_tid = words[2]
	} else {
		sample_pid = "?"
		sample_tid = head
	}
	period = 1
	event = ""
	if (match(line, /:[ \t]*[0-9]*[ \t]+[^ \t]+:[ \t]*$/)) {
		head = substr(line, RSTART + 1)
		n = split(head, words, " ")
		event = words[n]
		sub(/:$/, "", event)
		if (n > 1)
			period = words[1]
	}
	if (first_event == "")
		first_event = only == "" ? event : only
	in_sample = 1
	stack = ""
}

function is_go(name) {
	return name ~ /\.\(.*\)\./
}

function tidy(name,    from, out, at) {
	gsub(/;/, ":", name)
	if (!is_go(name)) {
		out = ""
		while ((at = index(name, "("))) { # the first that does not begin (anonymous namespace)
			if (substr(name, at, 21) != "(anonymous namespace)") {
				name = substr(name, 1, at - 1)
				break
			}
			out = out substr(name, 1, at + 20)
			name = substr(name, at + 21)
		}
		name = out name
	}
	gsub(/["']/, "", name)
	if (comm ~ /^java/ && name ~ /^L.*\//)
		sub(/^L/, "", name)
	return name
}

function add_frame(line,    module, name, at) {
	sub(/^[ \t]*[0-9a-f]+[ \t]+/, "", line)
	if (!match(line, /[ \t]\([^()]*(\([^()]*\))?[^()]*\)$/))
		return
	module = substr(line, RSTART + 2, RLENGTH - 3)
	name = substr(line, 1, RSTART - 1)
	sub(/\+0x[0-9a-f]+$/, "", name)
	if (name ~ /^\(/)
		return
	if (name == "[unknown]") {
		if (module != "[unknown]") {
			name = module
			sub(/^.*\//, "", name)
			name = "[" name "]"
		}
	}
	name = tidy(name)
	if (kernel && (module ~ /^\[/ || module ~ /vmlinux$/) && module !~ /unknown/)
		name = name "_[k]"
	if (jit && module ~ /^\/tmp\/perf-[0-9]+\.map$/)
		name = name "_[j]"
	stack = stack == "" ? name : name ";" stack
}

function end_sample(    root) {
	if (in_sample && event == first_event) {
		root = comm
		if (pid || tid)
			root = root "-" sample_pid
		if (tid)
			root = root "/" sample_tid
		gsub(/ /, "_", root)
		if (stack != "")
			root = root ";" stack
		sum[root] += period
	}
	in_sample = 0
}

/^#/ { next }
/^[ \t]*$/ { end_sample(); next }
!in_sample { start_sample($0); next }
{ add_frame($0) }
END {
	end_sample()
	for (s in sum)
		printf "%s %.0f\n", s, sum[s]
}
