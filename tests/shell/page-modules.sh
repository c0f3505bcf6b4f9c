# The modules of the page: unit tests in node, one script without names that are declared twice, imports that point one way
. "$PERF_SRC/tests/lib.sh"
need_command basenc sha256sum awk
sh "$PERF_SRC/tools/join-page" "$PERF_SRC/web" joined || fail "join-page"
mkdir twice
cp "$PERF_SRC"/web/* twice
echo 'export function shown() {}' >>twice/state.js
expect_status 1 sh "$PERF_SRC/tools/join-page" twice joined2
expect_text err "declared in two modules: shown"
for module in $(grep -v '^#' "$PERF_SRC/web/modules"); do
	[ -f "$PERF_SRC/web/$module" ] || fail "no module $module"
done
[ "$(ls "$PERF_SRC"/web/*.js | wc -l)" = "$(grep -vc '^#' "$PERF_SRC/web/modules")" ] || fail "a module is not in the list"

# A module imports, also in types, only from those above it in the list.
circles() { # FOLDER
	above=
	for module in $(grep -v '^#' "$1/modules"); do
		for from in $(grep -o "['\"]\./[a-z]*\.js['\"]" "$1/$module" | sed 's|.*/\(.*\).$|\1|' | sort -u); do
			case " $above " in *" $from "*) ;; *) echo "$module imports $from" ;; esac
		done
		above="$above $module"
	done
}
[ -z "$(circles "$PERF_SRC/web")" ] || fail "a module imports one below it: $(circles "$PERF_SRC/web")"
echo "/** @typedef {import('./main.js').Page} Page */" >>twice/text.js
[ "$(circles twice)" = "text.js imports main.js" ] || fail "the check of imports finds nothing: $(circles twice)"
need_command node
node --check joined/page.js
node --test "$PERF_SRC"/tests/web/unit/*.test.mjs >out 2>&1 || { cat out; fail "unit tests of the modules"; }
