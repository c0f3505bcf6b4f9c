# The modules of the page: unit tests in node, and one script without names that are declared twice
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
need_command node
node --check joined/page.js
node --test "$PERF_SRC"/tests/web/unit/*.test.mjs >out 2>&1 || { cat out; fail "unit tests of the modules"; }
