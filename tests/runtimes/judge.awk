# Judges the chains of truth.*: perf script -F tid,time,ip,sym,dso | awk -f judge.awk
#	-v attached=1  the recording began while the program ran: tw_main, which ran already, has no name
#	-v leaf=1      the runtime has no frames: all that is asked for is a name for compiled code
#	-v own=REGEX   functions of the runtime's scheduler, which no function of the program has called
#	-v list=N      print the first N chains of each kind that is not exact
# Of the threads that ever run a function tw_*, all samples from the first to the last one with such a function:
#	exact       the functions of the program are all there, in order, from the innermost one to tw_main
#	unnamed     none has a name
#	incomplete  some are missing, the rest is right
#	wrong       a function whose caller cannot be that: the name of other code, or a false frame
# Prints "ALL EXACT UNNAMED INCOMPLETE WRONG FRAMES". An allowed chain is one of these from some place on; tw_rec_c is there
# four times below another function.
BEGIN {
	RS = ""
	FS = "\n"
	path["a"] = "leaf_a d3_a d2_a d1_a main "
	path["b"] = "leaf_b cb_b d1_b main "
	path["c"] = "leaf_c rec_c rec_c rec_c rec_c d1_c main "
}
{
	split($1, head, " ")
	tid = head[1]
	names = ""
	nr = is_own = is_unnamed = 0
	for (i = 2; i <= NF; i++)
		if (match($i, /tw_[a-z0-9]+(_[abc])?/)) {
			names = names substr($i, RSTART + 3, RLENGTH - 3) " "
			nr++
		} else {
			is_own += own != "" && $i ~ own
			is_unnamed += $i ~ /\[unknown\] \((\/\/anon|\[|\/tmp|\/memfd)/
		}
	if (!nr && (!(tid in waiting) || (is_own && !is_unnamed)))
		next
	if (!nr) { # it counts if another one with a name comes after it
		waiting[tid]++
		held[tid] = $0
		next
	}
	all += 1 + waiting[tid]
	unnamed += waiting[tid]
	if (waiting[tid])
		show("unnamed", held[tid])
	waiting[tid] = 0
	frames += nr
	if (attached && names !~ /main $/)
		names = names "main "
	kind = leaf ? "exact" : judge(names)
	count[kind]++
	if (kind != "exact")
		show(kind, $0)
}
function show(kind, text) {
	if (shown_of[kind]++ < list)
		print kind ":\n" text "\n"
}
function judge(names,    letter, whole, at, parts) {
	if (names == "main ")
		return "exact"
	match(names, /_[abc] /)
	letter = substr(names, RSTART + 1, 1)
	whole = path[letter]
	if (names ~ /^rec_c (rec_c )*d1_c main $/ && split(names, parts, " ") <= 6)
		return "exact"
	at = length(whole) - length(names) + 1
	if (at > 0 && substr(whole, at) == names && (at == 1 || substr(whole, at - 1, 1) == " "))
		return "exact"
	return is_part(names, whole) ? "incomplete" : "wrong"
}
# Are the words of names among those of whole, in this order?
function is_part(names, whole,    n, w, nr, nw, i, k) {
	nr = split(names, n, " ")
	nw = split(whole, w, " ")
	k = 1
	for (i = 1; i <= nw && k <= nr; i++)
		if (w[i] == n[k])
			k++
	return k > nr
}
END {
	printf "%d %d %d %d %d %d\n", all, count["exact"], unnamed, count["incomplete"], count["wrong"], frames
}
