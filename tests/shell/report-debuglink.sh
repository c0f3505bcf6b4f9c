# perf report: a symbol behind .gnu_debuglink is better than a made-up name, whenever and wherever it comes
. "$PERF_SRC/tests/lib.sh"
need_record
need_command gcc objcopy strip

cat >spin.c <<'EOF'
volatile unsigned long x;
#if STEP == 2
static __attribute__((noinline)) void another_name(void) { for (long i = 0; i < 60000000; i++) x += x * x; }
#define hidden_name another_name
#else
static __attribute__((noinline)) void hidden_name(void) { for (long i = 0; i < 60000000; i++) x += 1; }
#endif
int main(void) { hidden_name(); return 0; }
EOF
HOME=$PWD/home
export HOME

name_is() { # WANTED WHAT OPTION...
	want=$1 what=$2
	shift 2
	"$PERF" report --stdio -g none -s sym "$@" 2>err | grep -v '^#' | awk 'NF { print $NF; exit }' >name
	case $(cat name) in
	$want) ;;
	*) fail "$what: '$(cat name)', not '$want': $(cat err)" ;;
	esac
}
make_pair() { # STEP LINK-OPTION
	rm -f prog prog.debug
	gcc -g -O1 "-DSTEP=$1" "$2" -o prog spin.c
	objcopy --only-keep-debug prog prog.debug
	strip prog
	objcopy --add-gnu-debuglink=prog.debug prog
}
record() { "$PERF" record -q -e cpu-clock:u "$@" 2>err || fail "record: $(cat err)"; }

mkdir empty
for id in --build-id=none --build-id=sha1; do
	make_pair 1 -Wl,$id
	record -o with.data ./prog
	record -o killed.data --no-embed ./prog
	# The name is in the recording: elsewhere, and after the debug file is gone.
	name_is hidden_name "$id, recorded with it, here" -i with.data
	name_is hidden_name "$id, recorded with it, elsewhere" -i with.data --symfs empty
	mv prog.debug later
	name_is hidden_name "$id, recorded with it, later gone" -i with.data
	# It was not there: nothing but made-up names is stored.
	record -o without.data ./prog
	name_is 'prog@0x*' "$id, recorded without it" -i without.data
	"$PERF" merge -o merged.data without.data 2>err
	mv later prog.debug
	for data in without killed merged; do
		name_is hidden_name "$id, it came later, $data" -i $data.data
	done
	# Of two recordings, one has the name.
	for order in "with.data without.data" "without.data with.data"; do
		"$PERF" merge -o merged.data $order 2>err
		name_is hidden_name "$id, merged $order, elsewhere" -i merged.data --symfs empty
	done
	name_is 'prog@0x*' "$id, it came later, elsewhere" -i without.data --symfs empty
	mkdir -p "root$PWD"
	cp prog prog.debug "root$PWD"
	name_is hidden_name "$id, it came later, --symfs" -i without.data --symfs root
	rm -r root
done

# In the same file, the same inode: another build, whose functions begin elsewhere.
make_pair 1 -Wl,--build-id=none
rm prog.debug
record -o without.data ./prog
mv prog recorded
make_pair 2 -Wl,--build-id=none
mv prog new
mv recorded prog
cat new >prog
name_is 'prog@0x*' "another build in the same inode" -i without.data
