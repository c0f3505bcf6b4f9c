# the pages are spelled as aspell's English dictionary, or Documentation/words, has it
. "$PERF_SRC/tests/lib.sh"
need_command aspell
export LC_ALL=C.UTF-8
aspell dump dicts | grep -qx en || skip "aspell has no English dictionary"

# The prose of a page: no code, no addresses, no names with capitals, digits or marks inside.
prose() { # PAGE
	case $1 in
	*.md) awk '/^ *```/ { block = !block; next } !block' "$1" | sed 's/`[^`]*`//g; s/\](\([^)]*\))//g; s/<[^>]*>//g' ;;
	*) awk '/^\.nf/ { block = 1 } /^\.fi/ { block = 0; next } /^\.(B|I|BI|BR|IB|IR|RB|RI|TH|SH NAME|SM) / { next } !block' "$1" |
		sed 's/\\f[BI][^\\]*\\f[RP]//g; s/\\(aq/'\''/g; s/\\-/-/g; s/\\[&c]//g; s/\\(../ /g; s/^\.[A-Z]*//' ;;
	esac | sed "s|https*://[^ ]*||g; s/’/'/g" | tr ' \t|(),;:"*' '\n' |
		sed "s/[.?!]*\$//; s/'s\$//; s/^['-]*//; s/['-]*\$//" | grep -xE "[A-Z]?[a-z]+(['-][a-z]+)*" | tr '-' '\n'
}

for page in "$PERF_SRC"/*.md "$PERF_SRC"/*.1 "$PERF_SRC"/Documentation/*.md "$PERF_SRC"/Documentation/*.1; do
	prose "$page" | sort -u >words
	[ "$(wc -l <words)" -gt 20 ] || fail "$page has no words"
	sed "s|^|$(basename "$page"): |" words
done >all
sed 's/.*: //' all | sort -u | aspell list --encoding=utf-8 -l en --ignore=2 | sort -u |
	grep -vxiFf "$PERF_SRC/Documentation/words" >misspelled || :
awk 'NR == FNR { misspelled[$0]; next } $NF in misspelled' misspelled all >unknown
[ ! -s unknown ] || { cat unknown; fail "misspelled, or missing in Documentation/words"; }
