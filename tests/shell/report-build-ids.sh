# perf report finds debug files by build-ids of unusual sizes, and of those that end in zeroes
# timeout: 400
. "$PERF_SRC/tests/lib.sh"
need_record
need_command gcc objcopy strip readelf

cat >spin.c <<'EOF'
volatile unsigned long x;
static __attribute__((noinline)) void hidden_name(void) { for (long i = 0; i < 20000000; i++) x += i; }
int main(void) { hidden_name(); return 0; }
EOF
HOME=$PWD/home
export HOME
root=$(readlink -f .)/root

has() { # YES|NO WHAT OPTION...
	want=$1 what=$2
	shift 2
	"$PERF" report --stdio -g none -F sym "$@" >out 2>err || fail "$what: $(cat err)"
	got=NO
	! grep -q 'hidden_name' out || got=YES
	[ "$got" = "$want" ] || { cat out err && fail "$what: name: $got"; }
}

sha256=00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff
for id in 12345678 0123456789abcd00 0123456789abcdef0123456789ab0000 0123456789abcdef0123456789abcdef01234500 $sha256; do
	rm -rf root home prog prog.debug
	gcc -g -O1 -Wl,--build-id=0x$id -o full spin.c 2>err || skip "the linker takes no --build-id=0xHEX: $(cat err)"
	readelf -n full 2>err | grep -q "Build ID: $id\$" || skip "the linker makes another build-id: $(readelf -n full)"
	gcc -g -O1 -Wl,--build-id=0x$(echo $id | tr 1 2) -o other spin.c
	cp full prog
	# The kernel writes ids of up to 20 bytes in mmap records.
	options="--no-buildid-mmap --buildid-all"
	[ $id = $sha256 ] || options="$options --buildid-mmap"
	for option in $options; do
		"$PERF" record -q --no-embed $option -o p$option.data -e cpu-clock:u ./prog 2>err
	done
	rm prog
	rest=$(echo $id | cut -c 3-)
	for place in root/usr/lib/debug/.build-id home/.debug/.build-id; do
		folder=$place/$(echo $id | cut -c 1-2)
		case $place in
		root*) file=$folder/$rest.debug at="--symfs=$root" ;;
		*) file=$folder/$rest/debug at=--stdio ;;
		esac
		mkdir -p "$(dirname "$file")"
		for option in $options; do
			objcopy --only-keep-debug full "$file"
			has YES "$id in $place, $option" $at -i p$option.data
			objcopy --only-keep-debug other "$file"
			has NO "another build for $id in $place, $option" $at -i p$option.data
			rm "$file"
			has NO "nothing for $id, $option" $at -i p$option.data
		done
	done
done
