# perf report: a debug file whose binary is gone gives right names and lines, whatever linker and tool made it
# timeout: 600
. "$PERF_SRC/tests/lib.sh"
need_record
need_command gcc objcopy strip readelf nm

cat >work.c <<'EOF'
volatile unsigned long x;
__attribute__((noinline)) void before(void) { x++; }
__attribute__((noinline)) void work(long n)
{
	before();
	for (long i = 0; i < n; i++)
		x += (unsigned long)i;
}
__attribute__((noinline)) void after(void) { x++; }
EOF
cat >main.c <<'EOF'
void work(long n);
void after(void);
int main(void)
{
	work(8000000);
	after();
	return 0;
}
EOF
HOME=$PWD/home
export HOME
root=$(readlink -f .)/root

check() { # WHAT OPTION...
	what=$1
	shift
	"$PERF" report --stdio -g none -s sym "$@" 2>err | grep -v '^#' | awk 'NF { print $NF; exit }' >name
	[ "$(cat name)" = work ] || fail "$what: the function is '$(cat name)': $(cat err)"
	"$PERF" report --stdio -g none -s srcline "$@" 2>err | grep -v '^#' | awk 'NF { print $2; exit }' >line
	grep -qx 'work.c:[67]' line || fail "$what: the line is '$(cat line)': $(cat err)"
}

# Of the debug file alone, from all places where one is found by build-id; of other tools, from one place.
places() { # WHAT DEBUGFILE ID TOOL
	what=$1 file=$2 tool=$4 folder=.build-id/$(echo "$3" | cut -c 1-2) rest=$(echo "$3" | cut -c 3-)
	for data in stored.data bare.data; do
		for place in "root/usr/lib/debug/$folder/$rest.debug" "root/usr/lib/debug$PWD/$bin.debug" \
			"home/.debug/$folder/$rest/debug"; do
			rm -rf root home
			mkdir -p "$(dirname "$place")"
			cp "$file" "$place"
			case $place in root*) set -- "--symfs=$root" ;; *) set -- --stdio ;; esac
			check "$what, $place, $data" "$@" -i $data
			[ "$tool" = objcopy ] || break
		done
	done
}

debug_file_of() { # TOOL BINARY
	case $1 in
	objcopy) objcopy --only-keep-debug "$2" debugfile ;;
	llvm-objcopy) llvm-objcopy --only-keep-debug "$2" debugfile ;;
	eu-strip) cp "$2" copy && eu-strip -f debugfile copy ;;
	esac 2>err
}

for pic in -fno-pie -fPIE -fPIC; do
	gcc -g -O1 $pic -c -o work$pic.o work.c && gcc -O1 $pic -c -o main$pic.o main.c || skip "gcc cannot compile here"
done
nr=0
try() { # WHAT COMPILER OPTION...: the kinds of binaries by one linker
	linker=$1
	shift
	for kind in pie no-pie shared; do
		rm -rf prog libwork.so gone && mkdir gone
		case $kind in
		shared)
			bin=libwork.so
			"$@" -shared -Wl,--build-id=sha1 -o libwork.so work-fPIC.o 2>err &&
				gcc -o prog main-fPIC.o ./libwork.so 2>>err || continue
			;;
		*)
			bin=prog pie=-fPIE
			[ $kind = pie ] || pie=-fno-pie
			"$@" -$kind -Wl,--build-id=sha1 -o prog main$pie.o work$pie.o 2>err || continue
			;;
		esac
		id=$(readelf -n $bin 2>err | sed -n 's/.*Build ID: //p')
		[ -n "$id" ] || continue
		./prog || fail "$linker, $kind: the program does not run"
		"$PERF" record -q -o stored.data -e cpu-clock:u ./prog 2>err
		"$PERF" record -q --no-embed -o bare.data -e cpu-clock:u ./prog 2>err
		for tool in objcopy llvm-objcopy eu-strip; do
			command -v $tool >tool.out 2>&1 || continue
			rm -f debugfile
			cp $bin gone/$bin
			debug_file_of $tool gone/$bin || continue
			mv $bin gone/moved
			places "$linker, $kind, $tool" debugfile "$id" $tool
			mv gone/moved $bin
			nr=$((nr + 1))
		done
	done
}

# GNU ld: as it is, and with file offsets that are not the distance from the first segment.
try "GNU ld" gcc
try "GNU ld, .text elsewhere" gcc -Wl,--section-start=.text=0x891230
try "GNU ld, one segment" gcc -Wl,-z,noseparate-code
[ $nr -ge 3 ] || skip "no build-ids here"
for ld in gold lld mold; do
	command -v ld.$ld >tool.out 2>&1 || continue
	try $ld gcc -fuse-ld=$ld
	[ $ld != lld ] || try "lld, more segments" gcc -fuse-ld=lld -Wl,-z,separate-loadable-segments
done
echo "$nr debug files"
