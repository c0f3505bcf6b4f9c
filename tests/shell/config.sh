# perf config, and what the values of configuration files change
. "$PERF_SRC/tests/lib.sh"

# ---- show and set ----
expect_status 0 "$PERF" config
expect_empty out
cat >"$HOME/.perfconfig" <<'END'
# mine
[report]
	percent-limit = 0.5 ; small rows
	sort_order = sym
[my own]
	x = " a b "
END
expect_status 0 "$PERF" config --list
expect_line out "report.percent-limit=0.5"
expect_line out "report.sort_order=sym"
expect_line out "my own.x= a b "
expect_empty err
expect_status 0 "$PERF" config report.sort_order no.such
expect_line out "report.sort_order=sym"
expect_lines out 1
expect_status 0 "$PERF" config --system
if grep -q percent-limit out; then fail "--system shows the user's file"; fi
expect_status 255 "$PERF" config word
expect_text err "is not SECTION.NAME or SECTION.NAME=VALUE"
expect_status 129 "$PERF" config --system --user
cp "$HOME/.perfconfig" before
for word in 'a]b.c=d' "$(printf 'a\nb.c=d')" 'a.b c=d' 'a.b#=d' "$(printf 'a.\033=d')"; do # what no file can hold
	expect_status 255 "$PERF" config "$word"
	expect_text err "is not SECTION.NAME or SECTION.NAME=VALUE"
done
cmp before "$HOME/.perfconfig" || fail "a wrong name was written"

# A change leaves the rest of the file alone, its mode and a symbolic link, too.
mv "$HOME/.perfconfig" real
ln -s "$PWD/real" "$HOME/.perfconfig"
chmod 600 real
expect_status 0 "$PERF" config report.sort_order=dso report.children=false "new.key=a;b"
printf '%s\n' '# mine' '[report]' '	percent-limit = 0.5 ; small rows' '	sort_order = dso' '	children = false' '[my own]' \
	'	x = " a b "' '[new]' '	key = "a;b"' >expected
cmp real expected
[ -L "$HOME/.perfconfig" ] || fail "the symbolic link is gone"
[ "$(stat -c %a real)" = 600 ] || fail "the mode is now $(stat -c %a real)"
rm "$HOME/.perfconfig"
expect_status 0 "$PERF" config a.b=c
expect_status 0 "$PERF" config a.b
expect_line out "a.b=c"
if command -v perf >/dev/null && [ "$(readlink -f "$(command -v perf)")" != "$(readlink -f "$PERF")" ]; then
	"$PERF" config report.x='1#2' 'a.c=d "e" \f' report.y=2
	"$PERF" config -l >ours
	perf config -l | diff - ours # stock perf reads what we write
fi
if [ "$(id -u)" != 0 ] && [ ! -w /etc ]; then
	expect_status 255 "$PERF" config --system a.b=c
	expect_text err "cannot write '/etc/perfconfig': Permission denied"
fi

# ---- which files ----
echo '[a]
b = other' >other
PERF_CONFIG=$PWD/other expect_status 0 "$PERF" config a.b
expect_line out "a.b=other"
PERF_CONFIG=/dev/null expect_status 0 "$PERF" config
expect_empty out
if [ "$(id -u)" = 0 ]; then
	chown 65534 "$HOME/.perfconfig" # somebody else's
	expect_status 0 "$PERF" config a.b
	expect_empty out
	expect_text err "belongs to another user (uid 65534); it is ignored"
	cp -p "$HOME/.perfconfig" before
	expect_status 255 "$PERF" config a.b=mine
	expect_text err "cannot change '$HOME/.perfconfig': it belongs to user id 65534"
	cmp before "$HOME/.perfconfig" || fail "somebody else's file was changed"
	[ "$(stat -c %u "$HOME/.perfconfig")" = 65534 ] || fail "the file has another owner"
	chown 0:65534 "$HOME/.perfconfig"
	expect_status 0 "$PERF" config a.b=mine
	[ "$(stat -c %g "$HOME/.perfconfig")" = 65534 ] || fail "the file has another group"
fi
rm "$HOME/.perfconfig"

# ---- what they change ----
need_record
config() { # SECTION LINE...
	{
		echo "[$1]"
		shift
		printf '%s\n' "$@"
	} >"$HOME/.perfconfig"
}
cat >busy.sh <<'END'
i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done
END
config call-graph 'record-mode = fp'
expect_status 0 "$PERF" record -q -g -e cpu-clock:u -o fp.data sh busy.sh
config call-graph 'record-mode = dwarf' 'dump-size = 4096'
expect_status 0 "$PERF" record -q -g -e cpu-clock:u -F 500 -o dwarf.data sh busy.sh
"$PERF" report --header-only -i dwarf.data >header
grep -q 'sample_stack_user = 4096' header || fail "no copies of 4096 bytes: $(grep '^# event' header)"
"$PERF" report --header-only -i fp.data >header
if grep -q sample_stack_user header; then fail "copies with record-mode = fp"; fi
config record 'build-id = skip'
expect_status 0 "$PERF" record -q -e cpu-clock:u -o ids.data sh busy.sh
"$PERF" buildid-list -i ids.data >ids
if grep -Eq '^[0-9a-f]{20,} ' ids; then fail "build-ids with build-id = skip: $(cat ids)"; fi

same() { # OPTION...: the file means the same
	"$PERF" report --stdio -i fp.data >got 2>&1
	PERF_CONFIG=/dev/null "$PERF" report --stdio -i fp.data "$@" >expected 2>&1
	diff expected got || fail "$* is not what the file means"
}
config report 'sort_order = dso' 'children = false' 'percent-limit = 3' 'queue-size = 1'
same -s dso --no-children --percent-limit 3
config call-graph 'order = callee' 'threshold = 20'
same -g callee,20
config hist 'percentage = absolute'
same --percentage absolute
# The command line wins.
config report 'sort_order = dso'
"$PERF" report --stdio -i fp.data -s comm >got
PERF_CONFIG=/dev/null "$PERF" report --stdio -i fp.data -s comm | diff - got

# ---- what is not right ----
config report 'children = maybe' 'percent-limit' 'sort_order = dso'
expect_status 0 "$PERF" report --stdio -i fp.data
expect_text err ".perfconfig, line 2, is ignored: option 'report.children' expects true or false"
expect_text err ".perfconfig, line 3: expected [SECTION] or NAME = VALUE; this line is ignored"
grep -v '^#' out | sed '/^$/d' >got
PERF_CONFIG=/dev/null "$PERF" report --stdio -i fp.data -s dso | grep -v '^#' | sed '/^$/d' | diff - got
