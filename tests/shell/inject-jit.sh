# perf inject --jit: the code of a jitdump becomes files and maps, which any report has names from
. "$PERF_SRC/tests/lib.sh"
need_record
need_command gcc readelf
case $(uname -m) in x86_64 | aarch64 | riscv64) ;; *) skip "the test program knows little-endian machines" ;; esac
own_folder
program jit progs/jit -O1
mkdir dumps

shares() { # FILE: "NAME PERCENT FILE" of compiled code
	"$PERF" report --stdio -g none -F overhead,dso,sym -t '|' -i "$1" 2>/dev/null |
		sed -n 's/^ *\([0-9]*\)\.[0-9]*% *|\([^| ]*\) *|\[\.\] \([a-z]*_code\).*/\3 \1 \2/p' | sort
}

"$PERF" record --no-embed -k mono -o p.data -e cpu-clock:u -F 1000 ./jit dump "$dir/dumps" >record.out 2>&1
dump=$(ls dumps/jit-*.dump)
pid=$(echo "$dump" | tr -dc 0-9)
expect_status 0 "$PERF" inject --jit -i p.data -o j.data
expect_empty err
ls dumps | grep -c 'jitted-.*\.so$' >count
expect_line count 3
[ -z "$(find dumps -name '*.so.*')" ] || fail "temporary files are left"
for so in dumps/jitted-"$pid"-*.so; do
	readelf -WSsn "$so" >out 2>err
	expect_empty err
	expect_text out "Build ID: "
	expect_text out "_code"
done

# A share for each (time is the clock's, on a busy machine), from the files: the dump is gone, and another machine could have packed them.
mv "$dump" kept
shares j.data >got
for name in first_code second_code moved_code; do
	awk -v n=$name '$1 == n && $2 > 7 && $3 ~ /^jitted-/ { found = 1 } END { exit !found }' got ||
		fail "$name has next to nothing: $(cat got)"
done
"$PERF" buildid-list -H -i j.data >list
[ "$(grep -c 'jitted-' list)" = 3 ] || fail "build-ids: $(cat list)"
! grep '^ .*jitted' list || fail "a file has no build-id"
mv kept "$dump"

# Without the files: their names and code are in the copy and in what is made of it, or in an archive.
"$PERF" inject --jit -i - -o from-pipe.data <p.data
"$PERF" merge -o merged.data j.data 2>/dev/null
"$PERF" inject -i j.data -o again.data
"$PERF" inject --jit --no-embed -i p.data -o bare.data
"$PERF" --buildid-dir "$dir/packed" archive bare.data >/dev/null
mkdir away
mv "$dump" dumps/jitted-* away
"$PERF" merge -o later.data j.data 2>/dev/null
for f in j from-pipe merged later again; do
	shares $f.data >without
	diff got without || fail "$f.data has no names without the files"
done
expect_status 0 "$PERF" annotate --stdio -i j.data first_code
shares bare.data >without
! grep jitted- without || fail "--no-embed stores names: $(cat without)"
(
	PERF_BUILDID_DIR=$dir/packed
	export PERF_BUILDID_DIR
	mkdir packed
	"$PERF" archive --unpack bare.data.tar.bz2 >/dev/null
	shares bare.data >without
	diff got without || fail "the archive has no names"
)
mv away/jit* dumps

# Through pipes.
"$PERF" inject -j <p.data | "$PERF" inject -o k.data
shares k.data | diff got -

# Again: files are replaced. A link of that name is replaced, too, not written through.
ln -sf "$dir/target" "dumps/jitted-$pid-0.so"
expect_status 0 "$PERF" inject --jit -i p.data -o k.data
[ ! -e target ] || fail "written through a link"
[ ! -h "dumps/jitted-$pid-0.so" ] || fail "the link is still there"
shares k.data | diff got -

# Damage: what is whole counts.
cp "$dump" whole
printf garbage >>"$dump"
expect_status 0 "$PERF" inject --jit -i p.data -o k.data
shares k.data | diff got -
head -c 400 whole >"$dump"
expect_status 0 "$PERF" inject --jit -i p.data -o k.data
"$PERF" report -D -i k.data | grep -c 'MMAP2.*jitted-' >count || :
expect_line count 1
head -c 20 whole >"$dump"
expect_status 1 "$PERF" inject --jit -i p.data -o k.data
expect_text err "is not a jitdump"
mv "$dump" recorded
cp whole "$dump"
expect_status 1 "$PERF" inject --jit -i p.data -o k.data
expect_text err "is not the recorded file"
rm "$dump"
mkfifo "$dump"
expect_status 1 timeout 600 "$PERF" inject --jit -i p.data -o k.data
rm "$dump"
expect_status 1 "$PERF" inject --jit -i p.data -o k.data
expect_lines err 1
mv recorded "$dump"
cat whole >"$dump"
if [ "$(id -u)" = 0 ]; then
	chown 65534 "$dump"
	expect_status 1 "$PERF" inject --jit -i p.data -o k.data
	expect_text err "belongs to neither"
	expect_status 0 "$PERF" inject --jit --force -i p.data -o k.data
	shares k.data | diff got -
	chown 0 "$dump"
fi

# A clock that is not known to the file, as in a pipe; no dump.
"$PERF" record -o - -e cpu-clock:u -F 1000 ./jit dump "$dir/dumps" 2>record.out >c.data
expect_status 1 "$PERF" inject --jit -i c.data -o k.data
expect_text err "record with -k mono"
"$PERF" record -k mono -o n.data -e cpu-clock:u true >record.out 2>&1
expect_status 0 "$PERF" inject --jit -i n.data -o k.data
expect_text err "has mapped a jitdump"

# Stock perf makes the same of the same dump, and reads ours.
need_stock
for chance in 1 2 3 4 5 6 7 8 9; do
	"$STOCK" report --stdio -g none -s sym -i j.data >stock.report 2>/dev/null && break
done
expect_text stock.report first_code
expect_text stock.report moved_code
"$STOCK" inject --jit -i p.data -o s.data 2>/dev/null || skip "stock perf cannot inject"
shares s.data | diff got - || fail "stock perf makes something else of the dump"
