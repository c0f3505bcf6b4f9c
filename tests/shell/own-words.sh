# no text of -h, of the list of commands or of a man page is one of stock perf's: option names are shared, words are not
. "$PERF_SRC/tests/lib.sh"
need_stock

# Print the texts of standard input, one on each line: in lower case, letters, digits and blanks only.
plain() { tr 'A-Z\t' 'a-z ' | sed "s/[^a-z0-9 ]//g; s/  */ /g; s/^ //; s/ \$//" | sort -u; }

# The text of an option is at column 27 of its own line, or of the lines after it. Some of stock's continue after tabs.
option_texts() { # PROGRAM COMMAND...
	program_=$1
	shift
	for c_; do
		"$program_" "$c_" -h 2>&1 | expand | awk '/^ +-/ && substr($0, 25, 2) != "  " { next }
			/^     *-/ || /^               / { print substr($0, 25) }' || :
	done
	"$program_" help 2>&1 | awk '/^   [a-z]/ { $1 = ""; print }'
}

# The sentences of a man page without its name, synopsis and references; "roff" is its source.
sentences() {
	awk '/^\.SH/ { skip = /NAME|SYNOPSIS|SEE ALSO/ }
		skip || /^\.(TH|SH|SS|\\")/ || /^[^.]*\\"/ { next }
		/^\.(TP|TQ|PP|sp|IP|RS|RE|nf|fi|in|ie|el|if)/ { print "."; next }
		{ sub(/^\.[A-Z]+ /, ""); print }' |
		sed 's/\\f[A-Z]//g; s/\\(../ /g; s/\\[&c]//g; s/\\//g; s/"//g' |
		tr '\n' ' ' | sed 's/[.;:] /\n/g'
}

commands=$("$PERF" --list-cmds)
option_texts "$STOCK" $commands | plain >stock
option_texts "$PERF" $commands | plain >ours
[ "$(wc -l <stock)" -gt 150 ] || fail "stock's -h is not understood: $(wc -l <stock) texts"
[ "$(wc -l <ours)" -gt 150 ] || fail "our -h is not understood: $(wc -l <ours) texts"
comm -12 stock ours | awk 'NF > 3' >equal
if [ -s equal ]; then
	cat equal
	fail "$(wc -l <equal) help texts are stock perf's"
fi

pages=/usr/share/man/man1
[ -f $pages/perf-report.1.gz ] || skip "stock perf's man pages are not installed: compared -h only"
for page in $pages/perf.1.gz $pages/perf-*.1.gz; do
	gzip -dc "$page" | sentences
done | plain >stock
for page in "$PERF_SRC"/perf.1 "$PERF_SRC"/Documentation/*.1; do
	sentences <"$page"
done | plain >ours
[ "$(wc -l <stock)" -gt 1000 ] || fail "stock's man pages are not understood: $(wc -l <stock) sentences"
comm -12 stock ours | awk 'NF > 5' >equal
if [ -s equal ]; then
	cat equal
	fail "$(wc -l <equal) sentences of the man pages are stock perf's"
fi
