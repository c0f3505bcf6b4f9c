# the options of every command's -h are those of its man page, both ways
. "$PERF_SRC/tests/lib.sh"

# An option's entry is, in a section OPTIONS or OPTIONS: WHATEVER, a .TP (or .TQ) and a line with its spellings:
#	.TP
#	.BR \-o ", " \-\-output =\fIfile\fR
# Options that the page documents as the opposite of another (--no-children beside --children)
# are no entries of the table: "--no-X" counts as X unless the table has a "no-X".
page_options() {
	awk '
	/^\.SH/ { options = /^\.SH OPTIONS/ }
	options && tag && /^\./ {
		line = $0
		gsub(/\\-/, "-", line)
		gsub(/\\f[BIRP]/, "", line)
		gsub(/["=,\[\]<>]/, " ", line)
		n = split(line, words, " ")
		for (i = 1; i <= n; i++)
			if (words[i] ~ /^-/)
				print words[i]
	}
	{ tag = /^\.T[PQ]/ }
	' "$1" | sort -u
}

bad=
for c in $("$PERF" --list-cmds); do
	page=$PERF_SRC/Documentation/perf-$c.1
	[ -f "$page" ] || fail "Documentation/perf-$c.1 is missing"
	[ "$(grep '^\.SH' "$page" | sed -n 3p)" = '.SH EXAMPLES' ] || fail "examples do not follow the synopsis of $page"
	grep -q "perf.-$(echo "$c" | sed 's/-/.-/g')" "$PERF_SRC/perf.1" || fail "perf.1 does not name perf-$c"
	"$PERF" "$c" --list-opts=all | awk -F'\t' '{ print $1; print $2 }' | grep -v '^-$' | sort -u >table || :
	page_options "$page" | grep -vx -e -h >raw || :
	awk 'FILENAME == "table" { table[$0]; next }
		!($0 in table) && /^--no-/ && ("--" substr($0, 6)) in table { $0 = "--" substr($0, 6) }
		{ print }' table raw | sort -u >page
	grep -vx -e -h table >t || :
	comm -23 t page | sed "s|^|perf $c -h has, its man page lacks: |" >diff
	comm -13 t page | sed "s|^|perf $c -h lacks, its man page has: |" >>diff
	if [ -s diff ]; then
		cat diff
		bad=1
	fi
done
[ -z "$bad" ]

# The pages are well-formed.
for page in "$PERF_SRC"/perf.1 "$PERF_SRC"/Documentation/*.1; do
	if command -v groff >/dev/null 2>&1 && command -v man >/dev/null 2>&1; then
		groff -man -Tascii -ww -wall "$page" 2>&1 >/dev/null | grep . && fail "groff complains about $page"
	fi
	if command -v mandoc >/dev/null 2>&1; then
		mandoc -T lint -W error "$page" || fail "mandoc complains about $page"
	fi
done

# Macros of two fonts (.BR, .IB ...) join their arguments: words that are not in quotes run together. So each word that
# is seen must be one of the source, but for rNNN and its like.
if command -v mandoc >/dev/null 2>&1; then
	render() { mandoc -T ascii -O width=200 "$1" | sed "s/.$(printf '\b')//g"; }
elif command -v groff >/dev/null 2>&1; then
	render() { groff -man -Tascii -P-cbou -rHY=0 -rLL=200n "$1"; }
else
	skip "neither mandoc nor groff is installed: the pages were not rendered"
fi
words() { tr -cs 'A-Za-z' '\n' | sort -u; }
for page in "$PERF_SRC"/perf.1 "$PERF_SRC"/Documentation/*.1; do
	render "$page" | words >rendered
	[ "$(wc -l <rendered)" -gt 20 ] || fail "$page is not rendered"
	{
		sed 's/\\f[A-Z]/ /g; s/\\(aq/ /g; s/\\(../ /g; s/\\[&c]//g' "$page" | words
		sed 's/\\f[A-Z]//g; s/\\[&c]//g' "$page" | words # a letter of a word in bold
	} | sort -u >source
	comm -23 rendered source | grep -x '[A-Za-z][a-z][a-z]*' >together || :
	[ ! -s together ] || fail "words that run together in $page: $(tr '\n' ' ' <together)"
done
exit 0
