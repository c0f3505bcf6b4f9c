# perf report: each place of symbols of a stripped binary gives the names that nm shows; of another build it gives none
. "$PERF_SRC/tests/lib.sh"
need_record
need_command gcc objcopy strip nm readelf xz

cat >spin.c <<'EOF'
volatile unsigned long x;
static __attribute__((noinline)) void hidden_name(void) { for (long i = 0; i < 300000000; i++) x += STEP; }
int main(void) { hidden_name(); return 0; }
EOF
HOME=$PWD/home
export HOME
mkdir -p root
root=$(readlink -f root)
gcc -g -O1 -DSTEP=1 -o full spin.c
gcc -g -O1 -DSTEP=2 -o other spin.c
cp full prog
"$PERF" record --no-embed -o p.data -e cpu-clock:u ./prog >record.out 2>&1
id=$(readelf -n full | sed -n 's/.*Build ID: //p')
[ -n "$id" ] || skip "the compiler leaves no build-ids"
folder=.build-id/$(echo "$id" | cut -c 1-2)
rest=$(echo "$id" | cut -c 3-)
rm prog

# The address that nm has must be in the symbol that report shows: its name, with the samples in its range.
nm -S full | grep -q ' t hidden_name$' || fail "nm does not know the function"
names() { # OPTION...
	"$PERF" report -v --stdio -g none -F sym -i p.data "$@" >out 2>err || fail "report: $(cat err)"
	grep -v '^#\|^$' out >names || true
}
strip_to() { strip -s -o "$2" "$1" && chmod 755 "$2"; }
debug_to() { mkdir -p "$(dirname "$2")" && objcopy --only-keep-debug "$1" "$2"; }
yes() { # WHAT OPTION...
	what=$1
	shift
	names "$@"
	grep -q 'hidden_name' names || { cat out err && fail "no name from $what"; }
}
no() { # WHAT OPTION...
	what=$1
	shift
	names "$@"
	! grep -q 'hidden_name' names || fail "a name from $what"
}
clean() { rm -rf root home prog .debug prog.debug && mkdir -p root; }

no "nothing"
expect_text err "no such file: '$PWD/prog'"

cp full prog && yes ".symtab"
cp other prog && no "another build"
expect_text err "'$PWD/prog' is not the recorded file"

strip_to full prog && no "a stripped file alone"
expect_text err "'$PWD/prog': stripped, no debug file"
"$PERF" report --stdio --no-made-up-names -g none -F sym -i p.data >out 2>err
expect_text out "# Why each binary has none: perf doctor p.data"

# Stripped binary, or none at all: the debug file by build-id, by path, and from the cache.
for binary in stripped none; do
	for place in "root/usr/lib/debug/$folder/$rest.debug" "root/usr/lib/debug$PWD/prog.debug" "root/usr/lib/debug$PWD/prog" \
		"home/.debug/$folder/$rest/debug" "home/.debug/$folder/$rest/elf"; do
		clean
		case $place in
		root/*) prog="root$PWD/prog" at="--symfs=$root" ;;
		*) prog=prog at=--stdio ;;
		esac
		mkdir -p "$(dirname "$prog")"
		[ $binary = none ] || strip_to full "$prog"
		debug_to full "$place"
		case $place in */elf) cp full "$place" ;; esac
		yes "$place ($binary)" "$at"
		[ $prog != prog ] || no "the cache in spite of --symfs ($place)" --symfs "$root"
		debug_to other "$place"
		case $place in */elf) cp other "$place" ;; esac
		no "another build's $place ($binary)" "$at"
	done
done

# .gnu_debuglink: beside it, in .debug, below /usr/lib/debug; with another CRC it is refused.
for place in "root$PWD/prog.debug" "root$PWD/.debug/prog.debug" "root/usr/lib/debug$PWD/prog.debug"; do
	clean
	mkdir -p "root$PWD"
	debug_to full prog.debug
	strip_to full "root$PWD/prog"
	objcopy --add-gnu-debuglink=prog.debug "root$PWD/prog"
	mkdir -p "$(dirname "$place")"
	# Without a build-id of its own, so that nothing but the link can lead to it.
	objcopy --remove-section .note.gnu.build-id prog.debug "$place"
	no "a link with another CRC ($place)" --symfs "$root"
	objcopy --remove-section .gnu_debuglink "root$PWD/prog"
	objcopy --add-gnu-debuglink="$place" "root$PWD/prog"
	yes "the link to $place" --symfs "$root"
done

# .gnu_debugdata: a packed ELF file with the functions that .dynsym lacks, as Fedora makes it.
clean
objcopy --only-keep-debug full mini
strip -g -o mini.stripped mini 2>/dev/null || cp mini mini.stripped
objcopy -S --keep-symbol=hidden_name mini.stripped mini.small
xz -k -c mini.small >mini.xz
strip_to full prog
objcopy --add-section .gnu_debugdata=mini.xz prog
if "$PERF" version --build-options | grep -q 'on .*HAVE_LIBLZMA'; then
	yes ".gnu_debugdata"
fi
head -c 60 mini.xz >cut.xz
strip_to full prog
objcopy --add-section .gnu_debugdata=cut.xz prog
no "a damaged .gnu_debugdata"

# A pair made by elfutils, whose debug file keeps the sections' names and sizes only.
if command -v eu-strip >/dev/null; then
	clean
	mkdir -p "root/usr/lib/debug/$folder"
	cp full prog && eu-strip -f "root/usr/lib/debug/$folder/$rest.debug" prog
	mkdir -p "root$PWD" && mv prog "root$PWD/prog"
	yes "eu-strip's debug file" --symfs "$root"
fi
