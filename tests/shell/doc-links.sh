# every link between our pages leads to a file that is there, and to a heading that it has
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
