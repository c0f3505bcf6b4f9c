# Judges what perf script --no-inline -F event,ip,sym prints of a recording of counted.c. Variables: name; has_chains: each
# sample must have its caller. Prints a line; fails if an event has not 300 samples where they belong.
BEGIN {
	split("page-faults uprobe mem syscalls", kinds, " ")
	want["page-faults"] = "^touches main "
	want["uprobe"] = "^called calls main "
	want["mem"] = "^writes main "
	want["syscalls"] = "^[_GI]*getppid asks main "
}

function done(   kind, pattern) {
	if (!event)
		return
	kind = event
	sub(/:.*/, "", kind)
	pattern = want[kind]
	if (!has_chains)
		sub(/ .*/, " $", pattern)
	all[kind]++
	right[kind] += chain ~ pattern
	event = ""
}

# Without chains, the address and the function follow the event.
$1 ~ /:$/ {
	done()
	event = $1
	chain = NF > 2 ? $3 " " : ""
	next
}

NF {
	chain = chain $2 " "
}

END {
	done()
	for (i = 1; i in kinds; i++) {
		kind = kinds[i]
		if (name !~ "-(" kind "|all)")
			continue
		text = text sprintf("  %s %d", kind, right[kind])
		if (kind != "page-faults") # there are others, as when the program starts
			text = text sprintf(" of %d", all[kind])
		# A call that is preempted while the kernel steps over the probe may hit it again.
		more = kind == "uprobe" ? 3 : 0
		failed += right[kind] < 300 || right[kind] > 300 + more || (kind != "page-faults" && all[kind] != right[kind])
	}
	printf "%-5s %-28s%s\n", failed || !text ? "FAIL" : "ok", name, text
	exit failed || !text
}
