# every link between our pages leads to a file that is there, and to a heading that it has; every manual page that one
# names is there, as is every page of Documentation
. "$PERF_SRC/tests/lib.sh"

# Headings as web pages name them: lower case, without marks, blanks as hyphens.
anchors() { sed -n 's/^##* *//p' "$1" | tr 'A-Z ' 'a-z-' | sed 's/[^a-z0-9_-]//g'; }

nr=0
for page in "$PERF_SRC"/*.md "$PERF_SRC"/Documentation/*.md; do
	grep -o ']([^)]*)' "$page" | sed 's/^](//; s/)$//' | grep -v '^https*://' >links || continue
	while read -r link; do
		nr=$((nr + 1))
		file=${link%%#*}
		target=$page
		[ -z "$file" ] || target=$(dirname "$page")/$file
		[ -e "$target" ] || fail "$page: there is no $file"
		case $link in
		*\#*) anchors "$target" | grep -qx -e "${link#*#}" || fail "$page: $target has no heading '#${link#*#}'" ;;
		esac
	done <links
done
[ "$nr" -ge 30 ] || fail "only $nr links were found"

# Manual pages: those of perf that a page names, and pages in Documentation; each has others to see.
nr=0
for page in "$PERF_SRC"/perf.1 "$PERF_SRC"/Documentation/*.1; do
	sed 's/\\f[A-Z]//g; s/\\-/-/g; s/ *(\([1-8]\))/(\1)/g' "$page" >text
	awk '/^\.SH/ { see = /SEE ALSO/ } see && /\([1-8]\)/ { found = 1 } END { exit !found }' text ||
		fail "$page has no SEE ALSO"
	for name in $(grep -oE 'perf-[a-z-]+\(1\)|[a-zA-Z.-]+(\.md|-schema\.json)\>' text); do
		case $name in
		*"(1)") file=${name%"(1)"}.1 ;;
		*) file=${name##*/} ;;
		esac
		nr=$((nr + 1))
		[ -e "$PERF_SRC/Documentation/$file" ] || [ -e "$PERF_SRC/$file" ] || fail "$page: there is no $file"
	done
done
[ "$nr" -ge 60 ] || fail "only $nr names of pages were found"

# Other places are listed, one in a line; nothing is opened.
"$PERF_SRC/tools/list-external-links" "$PERF_SRC" >links
[ -s links ] && ! grep -vE '^[A-Za-z0-9./-]+:[0-9]+ https?://[^ ]+$' links || fail "not a list of links"
