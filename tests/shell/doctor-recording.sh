# perf doctor FILE and the last lines of report: which binaries lack symbols, why, and advice that works when it is followed
. "$PERF_SRC/tests/lib.sh"
need_record
need_command gcc strip
own_folder # not below /tmp/perf-*, which is taken for JIT code
HOME=$PWD/home
export HOME
unset DEBUGINFOD_URLS
mkdir home build

cat >spin.c <<'END'
volatile unsigned long x;
static __attribute__((noinline)) void hidden_name(void) { for (long i = 0; i < 300000000; i++) x += STEP; }
int main(void) { hidden_name(); return 0; }
END
gcc -g -O1 -Wl,--build-id -DSTEP=1 -o build/full spin.c
gcc -g -O1 -Wl,--build-id -DSTEP=2 -o build/other spin.c
gcc -g -O1 -Wl,--build-id=none -DSTEP=3 -o build/anonymous spin.c
strip -o prog build/full
strip -o nameless build/anonymous
record() { # FILE PROGRAM OPTION...
	f_=$1 p_=$2
	shift 2
	"$PERF" record "$@" -o "$f_" -e cpu-clock:u "./$p_" >record.out 2>&1
	grep -q '([1-9][0-9][0-9]* samples)' record.out || skip "no samples on this busy machine: $(cat record.out)"
}
record perf.data prog --no-embed
record stored.data prog
record n.data nameless --no-embed

# doctor FILE REASON ADVICE: the first binary's, with most samples
doctor() {
	expect_status 0 "$PERF" doctor "$1"
	expect_empty err
	grep -Eq '^No symbol for [0-9]+ of [0-9]+ samples: [1-9]' out || fail "no numbers: $(cat out)"
	sed -n 2p out | grep -Eq '^ *[1-9][0-9]*  ' || fail "no number in the first row: $(cat out)"
	sed -n 2p out | grep -qF -e "$2" || fail "the first row is not '$2': $(cat out)"
	sed -n 's/^ *-> //p' out | head -n 1 >advice
	grep -qF -e "$3" advice || fail "the advice is not '$3': $(cat out)"
}

add='perf buildid-cache --add FILE, where FILE is the same build with symbols'
doctor perf.data "'$PWD/prog': stripped, no debug file" "$add"
system=$(grep -c "'/\(usr\|lib\)" out || :) # libraries, on a system without debug symbols
expect_status 0 "$PERF" report --stdio -g none
expect_line out "# Why each binary has none: perf doctor perf.data"
[ "$(grep -c '^# No symbol for .* samples: [1-9][0-9]* have made-up names' out)" = 1 ] || fail "no numbers: $(cat out)"
[ "$system" != 0 ] || ! grep debuginfod out || fail "a server of the system's packages for a program of the user's own"
mv prog prog.away
doctor perf.data "no such file: '$PWD/prog'" "$add"
cp build/other prog
doctor perf.data "'$PWD/prog' is not the recorded file: it has another build-id" "$add"
doctor stored.data "'$PWD/prog' was changed: its symbols were not here when it was recorded" "$add"
# The advice works.
"$PERF" buildid-cache --add build/full
expect_status 0 "$PERF" doctor perf.data
! sed '/^Profiles of/,$d' out | grep -q prog || fail "the program has symbols now: $(cat out)"
expect_status 0 "$PERF" report --stdio -g none
expect_text out hidden_name
! grep 'perf doctor' out || fail "advice, although all have symbols: $(cat out)"
rm -r home/.debug
mv prog.away prog

doctor n.data "'$PWD/nameless': stripped, no debug file" "build it without -s and strip, and record again"
mkdir -p "root$PWD"
mv nameless away
doctor n.data "no such file: '$PWD/nameless'" "perf report --symfs FOLDER -i n.data, where FOLDER has the recorded file at that path"
cp build/anonymous "root$PWD/nameless"
expect_status 0 "$PERF" report --symfs root --stdio -g none -i n.data
expect_text out hidden_name

# The most samples come first; a name with a blank can be typed.
"$PERF" record --no-embed -o 'two files' -e cpu-clock:u sh -c './prog; ./prog; ./away' >record.out 2>&1
doctor 'two files' "'$PWD/prog': stripped" "$add"
expect_text out "'$PWD/away': stripped"
"$PERF" report --stdio -g none -i 'two files' >out
expect_line out "# Why each binary has none: perf doctor 'two files'"

# ---- files that may not be read ----
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null 2>&1; then
	chmod 755 . # the recording may be read, the program may not
	chmod 644 perf.data
	chmod 700 prog
	cp "$PERF" perf
	setpriv --reuid 65534 --regid 65534 --clear-groups ./perf doctor perf.data >out 2>err || fail "$(cat err)"
	expect_text out "permission denied: '$PWD/prog'"
	expect_line out "          -> sudo perf report"
fi

# ---- a binary of the system's packages: the usual server, or those of DEBUGINFOD_URLS ----
server=
for f in sha1sum cksum sort; do
	p=$(readlink -f "$(command -v $f)") || continue
	case $p in /usr/bin/* | /bin/*) ;; *) continue ;; esac
	! command -v readelf >/dev/null 2>&1 || ! readelf -SW "$p" | grep -q ' \.symtab ' || continue
	head -c 200000000 /dev/zero | "$PERF" record --no-embed -o system.data -e cpu-clock:u "$p" >record.out 2>&1
	grep -q '([1-9][0-9][0-9]* samples)' record.out || continue
	"$PERF" doctor system.data >out
	grep -q "'.*/$f': stripped" out || continue
	server=$(sed -n 's/^ *-> export DEBUGINFOD_URLS=//p' out | head -n 1)
	[ -n "$server" ] || fail "no server: $(cat out)"
	expect_line out "             perf report --debuginfod -i system.data"
	"$PERF" report --stdio -g none -i system.data >out
	expect_line out "#   export DEBUGINFOD_URLS=$server"
	expect_line out "#   perf report --debuginfod -i system.data"
	DEBUGINFOD_URLS=http://127.0.0.1:1 "$PERF" report --stdio -g none -i system.data >out
	expect_line out "#   perf report --debuginfod -i system.data"
	! grep 'export DEBUG' out || fail "DEBUGINFOD_URLS is set already"
	break
done
case $(. /etc/os-release 2>/dev/null && echo "$ID") in
debian) [ -z "$server" ] || [ "$server" = https://debuginfod.debian.net ] || fail "$server is not Debian's" ;;
esac

# ---- usage; what is not a recording ----
expect_status 129 "$PERF" doctor perf.data two
expect_lines err 1
expect_status 129 "$PERF" doctor -v perf.data
expect_lines err 1
expect_status 1 "$PERF" doctor build/full
expect_text err "is not a perf.data file"
exit 0
