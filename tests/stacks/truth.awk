# Judges the chains of perf script -F ip,sym,dso; see the script truth. Variables: kind, says ("samples complete found"),
# name, may, program (its functions are in the first file, and their names come from there).
#
# kind tree:   leaf0 to leaf4, mid, ten frames of top, main; functions that `may` matches may stand for callers.
# kind mixed:  the leaf leaf_X says which chain is right: the line "want X" of the table below.
# kind random: jC_K was called by jC_(K-1) and so on to jC_0, run, main.
# kind whole:  any chain that reaches the outermost frame counts as exact: nobody knows more.
# else:        a pattern that whole chains match; other chains are not judged, if their leaf is not the pattern's first word.
function want(leaf, pattern) { wanted[leaf] = "^" pattern }

function times(n, text,   all) {
	while (n--)
		all = all text
	return all
}

BEGIN {
	split(says, said, " ")
	# Debian's 32-bit C library has no names of its own functions; its handlers return to the vdso.
	unnamed = name ~ /-m32$/ ? "[[]unknown[]]" : "no_function"
	start = "(" unnamed " __libc_start_main |__libc_start_call_main |__libc_start_main[^ ]* |_start )+$"
	raise = "(__restore_rt|__kernel_(rt_)?sigreturn|__default_(rt_)?sa_restorer) (__kernel_vsyscall |__libc_do_syscall )?((__GI_)?_*(pthread_kill|raise|gsignal|kill)[^ ]* |" unnamed " )+"
	want("leaf_pointer", "leaf_pointer each_pointer pointers main ")
	want("leaf_sort", "leaf_sort ([^ ]*(msort|qsort|introsort)[^ ]* |" unnamed " )+sorts main ")
	want("leaf_tail", "leaf_tail (tail_jump )?tails main ")
	want("leaf_signal", "leaf_signal on_signal " raise "signals main ")
	want("leaf_alloca", "leaf_alloca " times(4, "variable ") "variables main ")
	want("leaf_stale", "leaf_stale stale main ")
	want("leaf_long", "leaf_long jumps_away never_returns noreturns main ")
	want("leaf_after", "leaf_after noreturns main ")
	want("leaf_case", "leaf_case switches main ")
	want("leaf_big", "leaf_big big main ")
	want("leaf_cleanup", "leaf_cleanup Guard::~Guard (throws )+catches main ")
	want("leaf_catch", "leaf_catch catches main ")
	want("leaf_rethrow", "leaf_rethrow (throws )+catches main ")
}

function hex(text,   i, v) {
	v = 0
	for (i = 1; i <= length(text); i++)
		v = v * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
	return v
}

FNR == NR && $1 == "F" {
	at[++nr_functions] = hex($2) - hex(substr($4, 3)) + hex(substr($3, 3))
	function_name[nr_functions] = $5
	next
}

function look_up(ip,   low, high, middle) {
	low = 1
	high = nr_functions
	while (low < high) {
		middle = int((low + high + 1) / 2)
		if (at[middle] <= ip)
			low = middle
		else
			high = middle - 1
	}
	sub(/@.*/, "", function_name[low])
	return function_name[low]
}

# The known part of a name: JS:*leaf0 t.js:1, T.leaf0, main.leaf0, truth__leaf0, camlTree.leaf0_12, leaf0_
function plain(text,   word) {
	if (text == "[unknown]" || kind != "tree") {
		gsub(/ /, "", text)
		return text
	}
	if (match(text, /(^|[^A-Za-z0-9])(leaf[0-4]|mid|top)($|[^A-Za-z0-9])/) ||
	    match(text, /(^|[^A-Za-z0-9])[mM]ain($|[^A-Za-z0-9])/)) {
		word = substr(text, RSTART, RLENGTH)
		gsub(/[^A-Za-z0-9]/, "", word)
		return tolower(word) == "main" ? "main" : word
	}
	gsub(/ /, "", text)
	return text
}

function is_exact(chain, leaf,   i, c, k, text) {
	if (kind == "tree") {
		text = chain
		gsub(/(runtime\.main|MAIN__)/, "main", text)
		if (may)
			return text ~ ("^" leaf " (mid|" may ") " times(10, "(top|" may ") ") "(main|" may ") ") && after_main(text)
		return index(text, leaf " mid top top top top top top top top top top main ") == 1 && after_main(text)
	}
	if (kind == "mixed") {
		return leaf in wanted && chain ~ wanted[leaf] start
	}
	if (kind == "random") {
		split(substr(leaf, 2), i, "_")
		c = i[1]
		text = ""
		for (k = i[2]; k >= 0; k--)
			text = text "j" c "_" k " "
		return index(chain, text "run main ") == 1
	}
	return kind == "whole" || chain ~ kind
}

# Behind main no function of the tree comes again.
function after_main(chain) {
	sub(/^.* (mid|top) /, "", chain)
	return chain !~ /(^| )(leaf[0-4]|mid|top) /
}

function is_judged(leaf, chain) {
	if (kind == "tree")
		return leaf ~ /^leaf[0-4]$/
	if (kind == "mixed")
		return leaf ~ /^leaf_/
	if (kind == "random")
		return leaf ~ /^j[0-9]+_[0-9]+$/
	if (kind == "whole")
		return 1
	text = kind
	sub(/^\^/, "", text)
	sub(/ .*/, "", text)
	return leaf ~ "^" text
}

function done(   chain, i, leaf) {
	if (!nr)
		return
	leaf = frame[1]
	chain = ""
	for (i = 1; i <= nr; i++)
		chain = chain frame[i] " "
	if (is_judged(leaf, chain)) {
		judged++
		whole = frame[nr] ~ /(^|[^a-z])_start$|^(__)?clone3?$|^thread_start$|^runtime\.goexit|^_dl_start_user$|normal_exit/ ||
			(frame[nr] == "[unknown]" && frame[nr - 1] ~ /^__libc_start_main/) # a stripped program's _start
		if (is_exact(chain, leaf) && whole)
			exact++
		else {
			if (whole)
				wrong++
			bad[(whole ? "false" : "incomplete") " " chain]++
		}
	}
	nr = 0
}

/^$/ {
	done()
	next
}

{
	ip = $1
	dso = $NF
	gsub(/[()]/, "", dso)
	text = $0
	sub(/^[ \t]*[0-9a-f]+ /, "", text)
	sub(/ \([^()]*\)$/, "", text)
	if (program && dso ~ ("/" substr(program, 3) "$"))
		text = look_up(hex(ip))
	else if (text == "[unknown]" && dso ~ /\/lib(crypto|x264)/)
		text = dso ~ /x264/ ? "[libx264]" : "[libcrypto]"
	else if (dso ~ /\/libopenblas/)
		text = "[libopenblas]"
	else if (text == "[unknown]" && dso ~ /\/perf-[0-9]+\.map$/)
		text = "[jit]"
	frame[++nr] = plain(text)
}

END {
	done()
	percent = judged ? 100 / judged : 0
	failed = wrong > said[3] || wrong * 200 > judged || !judged
	printf "%-5s %-40s %7d %7.2f %7.2f %7.2f   %8.2f %7.2f %7.2f\n", failed ? "FAIL" : "ok", name, judged, exact * percent,
		wrong * percent, (judged - exact - wrong) * percent, said[1] ? 100 * said[2] / said[1] : 0,
		said[1] ? 100 * said[3] / said[1] : 0, said[1] ? 100 * (said[1] - said[2] - said[3]) / said[1] : 0
	for (chain in bad)
		print bad[chain], chain >(name ".wrong")
	exit failed
}
