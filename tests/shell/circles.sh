# no two source files call each other, but those that are one module: they share a private header
. "$PERF_SRC/tests/lib.sh"
need_command nm tsort
cd "$PERF_BUILD"
[ -f perf.o ] && [ -d util ] || skip "no object files in $PERF_BUILD"
own_files() { find util -name '*.o' && ls perf.o builtin*.o; }

# The module of each object file: the first private header that it includes, or the file itself. The browsers' two
# headers are private ones, but the commands begin with them, too.
own_files | awk -v from="$PERF_SRC/" '{
	module = substr($0, 1, length($0) - 2)
	source = from module ".c"
	header = line = ""
	if ((getline line <source) < 0)
		next # of a source that is gone
	do
		if (line ~ /^#include ".*_private\.h"/ || line ~ /^#include "browser\/(report|compare)_browser\.h"/) {
			header = line
			gsub(/^#include "|\.h".*/, "", header)
		}
	while (header == "" && (getline line <source) > 0)
	close(source)
	if (header ~ /^browser\// && $0 !~ /^util\/browser\//)
		header = ""
	if (header ~ /^profile\/hists\//) # has two
		header = "profile/hists"
	print $0, header == "" ? module : header
}' >"$OLDPWD/modules"
nm -A $(cut -d ' ' -f 1 "$OLDPWD/modules") >"$OLDPWD/symbols"
cd "$OLDPWD"

# edges: "MODULE USED-MODULE" for each call. Tables of data do not count: what uses one calls what is in it.
awk 'FILENAME == "modules" { module[$1] = $2; next }
	{ sub(/:/, " ") }
	NF == 4 && $3 == "T" { of[$4] = module[$1] }
	NF == 3 && $2 == "U" { from[++n] = module[$1]; name[n] = $3 }
	END {
		for (i = 1; i <= n; i++)
			if (name[i] in of && of[name[i]] != from[i] && !seen[from[i], of[name[i]]]++)
				print from[i], of[name[i]]
	}' modules symbols >edges
[ "$(wc -l <edges)" -gt 1000 ] || fail "only $(wc -l <edges) uses were found"
tsort edges >order 2>loops || :
expect_empty loops
# The check sees a circle.
{ cat edges && echo "util/base/memory/mem perf"; } >more
! tsort more >order 2>loops || fail "a circle is not seen"
