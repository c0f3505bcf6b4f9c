# perf archive: what is packed here gives the same report elsewhere; other builds and other places are refused
. "$PERF_SRC/tests/lib.sh"
need_record
need_command tar bzip2 readelf
"$PERF" version --build-options | grep -q 'on .*HAVE_LIBARCHIVE' || skip "built without libarchive"
own_folder

id_of() {
	readelf -n "$1" | sed -n 's/.*Build ID: //p'
}

home() { # a new, empty one
	HOME=$dir/home$((n_homes = n_homes + 1))
	export HOME
	mkdir "$HOME" "$HOME/.debug"
}

rows() { # of a recording
	"$PERF" report --stdio -g none --no-children -s comm,dso,sym -i "$1" 2>/dev/null | grep '%' || :
}

cat >main.c <<'C'
int work(unsigned n);
int main(void)
{
	volatile unsigned x = 0;

	for (unsigned i = 0; i < 100000000; i++)
		x += i;
	return work(100000000) == 1;
}
C
cat >lib.c <<'C'
static int __attribute__((noinline)) inner_work(unsigned n)
{
	volatile unsigned x = 0;

	for (unsigned i = 0; i < n; i++)
		x += i;
	return x;
}
int work(unsigned n)
{
	return inner_work(n) + 1;
}
C
"$CC" -g -O0 -shared -fPIC -Wl,--build-id=sha1 -o libwork.so lib.c
"$CC" -g -O0 -Wl,--build-id=sha1 -o prog main.c ./libwork.so
home
# Without call chains: these end in the C library, and to pack that, too, takes seconds each time.
# On one CPU, so that mappings are before the samples, and are not cut off below.
cpu=$(taskset -cp $$ | sed 's/.*: *//; s/[,-].*//')
taskset -c "$cpu" "$PERF" record --no-embed -e cpu-clock:u -F 4000 -o a.data ./prog 2>/dev/null
rows a.data >want
grep -q inner_work want || fail "no rows: $(cat want)"
mkdir home0
HOME=$dir/home0 expect_status 0 "$PERF" archive a.data
expect_line out "$ tar xvf a.data.tar.bz2 -C ~/.debug"
tar tf a.data.tar.bz2 >list
# Damage: what could be read is packed.
head -c $(($(wc -c <a.data) * 3 / 4)) a.data >damaged.data
HOME=$dir/home0 expect_status 1 "$PERF" archive damaged.data
grep -q "^perf: error: 'damaged.data': the file ends at" err || fail "$(cat err)"
tar tf damaged.data.tar.bz2 >cut.list # the first sample of the C library may be cut off
grep -q . cut.list || fail "the archive of a damaged recording is empty"
"$PERF" report --stdio -s dso -i damaged.data 2>/dev/null >cut.rows || :
if grep -q libwork.so cut.rows && ! grep -q libwork.so cut.list; then
	fail "the archive of a damaged recording: $(cat cut.list)"
fi
[ -z "$(grep -vxFf list cut.list)" ] || fail "the archive of a damaged recording has more: $(cat cut.list)"
expect_line list ".build-id/$(id_of prog | cut -c 1-2)/$(id_of prog | cut -c 3-)"
expect_line list "${dir#/}/prog/$(id_of prog)/elf"
expect_line list "${dir#/}/libwork.so/$(id_of libwork.so)/elf"
# Where nothing is left, the reason is said, too.
head -c 700 a.data >damaged.data
HOME=$dir/home0 expect_status 1 "$PERF" archive damaged.data
expect_text err "after the end of the file at 700"

# Elsewhere: the binaries are gone, the cache is empty.
mkdir kept
mv prog libwork.so kept/
home
rows a.data >got
! grep inner_work got || fail "there are names without binaries"
tar xf a.data.tar.bz2 -C "$HOME/.debug"
rows a.data | diff want - || fail "the report is another one (tar)"
home
expect_status 0 "$PERF" archive --unpack a.data.tar.bz2
rows a.data | diff want - || fail "the report is another one (--unpack)"
"$PERF" buildid-cache -l >list
expect_line list "$(id_of kept/prog) $dir/prog"
# And from that cache, with nothing else here.
expect_status 0 "$PERF" archive a.data
tar tf a.data.tar.bz2 | grep -q "$(id_of kept/prog)/elf" || fail "what is in the cache was not packed"

# bzip2 by blocks of 100 KB, which take a fifth less time than those of 900 KB; or zstd, with the same content.
[ "$(head -c 4 a.data.tar.bz2)" = BZh1 ] || fail "the blocks are large"
expect_status 0 "$PERF" archive --zstd a.data
expect_line out "$ tar xvf a.data.tar.zst -C ~/.debug"
printf '\050\265\057\375' >magic
head -c 4 a.data.tar.zst | cmp - magic || fail "not zstd"
home
expect_status 0 "$PERF" archive --unpack a.data.tar.zst
rows a.data | diff want - || fail "the report is another one (--zstd)"
expect_status 0 "$PERF" archive --all --zstd a.data
mkdir all-zstd
mv perf.all-*.tar.zst all-zstd/
home
(cd all-zstd && expect_status 0 "$PERF" archive --unpack && cmp perf.data ../a.data) || fail "--all --zstd"
rows a.data | diff want - || fail "the report is another one (--all --zstd)"
head -c $(($(wc -c <a.data.tar.zst) / 2)) a.data.tar.zst >cut.tar.zst
expect_status 1 "$PERF" archive --unpack cut.tar.zst
rm a.data.tar.zst cut.tar.zst

# Everything in one file; perf.data is not overwritten.
expect_status 0 "$PERF" archive --all a.data
mkdir all
mv perf.all-*.tar.bz2 all/
home
cd all
expect_status 0 "$PERF" archive --unpack
cmp perf.data ../a.data
rows perf.data | diff ../want - || fail "the report is another one (--all)"
expect_status 1 "$PERF" archive --unpack
expect_text err "File exists"
touch perf.x.tar
expect_status 1 "$PERF" archive --unpack
expect_text err "2 files"
cd ..

# Other builds, fifos and devices are no replacement.
home
sed 's/+ 1/+ 2/' lib.c >lib2.c
"$CC" -g -O0 -shared -fPIC -Wl,--build-id=sha1 -o libwork.so lib2.c
mkfifo prog
rm a.data.tar.bz2
status=0
timeout 600 "$PERF" archive a.data >out 2>err || status=$?
[ $status -le 1 ] || fail "exit status $status"
expect_text err "no file of the recorded build of '$dir/libwork.so' is here"
expect_text err "no file of the recorded build of '$dir/prog' is here"
if [ -e a.data.tar.bz2 ]; then # the loader may have had samples
	! tar tf a.data.tar.bz2 | grep "^${dir#/}" || fail "another build was packed"
fi
rm prog libwork.so
cp -p kept/libwork.so .

# A name that leads elsewhere.
length=$(printf %s "$dir/prog" | wc -c)
evil=$(printf '/%*s' $((length - 1)) ../../../x | tr ' ' x)
LC_ALL=C sed "s|$dir/prog|$evil|g" a.data >evil.data
expect_status 0 timeout 600 "$PERF" archive evil.data
! tar tf evil.data.tar.bz2 | grep -F .. || fail "a name with .. was packed"

# Hostile archives: nothing outside of the cache is written.
home
mkdir -p tree/in/x/1111111111111111111111111111111111111111 tree/.build-id/11
cp kept/prog tree/in/x/1111111111111111111111111111111111111111/elf # not of this build
ln -s "$dir/target" tree/link
mkdir "$dir/target"
id=$(id_of kept/prog)
mkdir -p "tree/out/$id"
cp kept/prog "tree/out/$id/elf"
tar cjf evil.tar.bz2 -C tree in link
tar cjf evil2.tar.bz2 -P -C tree --transform "s|^out|../../../..$dir/target|" "out/$id/elf"
tar cjf evil3.tar.bz2 -P -C tree --transform "s|^out|link/x|" link "out/$id/elf"
tar cjf evil4.tar.bz2 -P -C tree --transform "s|^out/.*|.build-id/xx/elf|" "out/$id/elf"
tar cjf evil5.tar.bz2 -P -C tree --transform "s|^out/|.build-id/xx/|" "out/$id/elf"
for n in "" 2 4 5; do
	expect_status 1 "$PERF" archive --unpack evil$n.tar.bz2
done
# "link" is not made, so this is an entry as any other.
expect_status 0 "$PERF" archive --unpack evil3.tar.bz2
[ ! -h "$HOME/.debug/link" ] || fail "a link was unpacked"
[ -z "$(find "$dir/target" -mindepth 1)" ] || fail "written outside: $(find "$dir/target")"
[ "$("$PERF" buildid-cache -l | wc -l)" = 1 ] || fail "entries: $("$PERF" buildid-cache -l)"
# An archive that is small and holds very much: what was before it is kept, no more than the limit is ever written.
home
mkdir -p big/1/x/1111111111111111111111111111111111111111 "big/out/$id"
cp kept/prog "big/out/$id/elf"
elf=big/1/x/1111111111111111111111111111111111111111/elf
# 300 MB of zeros: packed once as 10 MB, whose block of bzip2 may follow itself. They begin behind all headers, which take
# as much as they do with an empty file, without the two blocks at the end.
: >$elf
tar cf empty.tar -b 1 -C big out 1
headers=$(($(stat -c %s empty.tar) - 1024))
truncate -s 300M $elf
tar cf - -C big out 1 2>/dev/null | head -c $headers | bzip2 >big.tar.bz2
head -c 10485760 /dev/zero | bzip2 >zeros.bz2
for _ in $(seq 31); do # the last one has the end of the archive
	cat zeros.bz2 >>big.tar.bz2
done
expect_status 1 "$PERF" archive --unpack big.tar.bz2
expect_lines err 2
expect_text err "more than 256 MiB"
expect_text err "--any-size"
[ "$("$PERF" buildid-cache -l | wc -l)" = 1 ] || fail "what was in front of it: $("$PERF" buildid-cache -l)"
[ "$(du -sm "$HOME/.debug" | cut -f1)" -lt 10 ] || fail "it stays on the disk"
expect_status 0 "$PERF" archive --unpack --any-size big.tar.bz2
expect_text err "1 files of 'big.tar.bz2' are not what their names say"

# Damage is told.
head -c $(($(wc -c <evil.data.tar.bz2) / 2)) evil.data.tar.bz2 >cut.tar.bz2
expect_status 1 "$PERF" archive --unpack cut.tar.bz2
bzip2 -dc evil2.tar.bz2 | head -c 1000 >cut.tar
expect_status 1 "$PERF" archive --unpack cut.tar
expect_status 1 "$PERF" archive --unpack a.data
expect_status 1 "$PERF" archive --unpack missing
expect_status 1 "$PERF" archive missing
expect_status 129 "$PERF" archive a b
expect_status 129 "$PERF" archive --all --unpack

# Stock perf finds the same in what was unpacked; and we unpack what it packs.
need_stock
home
rm -f prog libwork.so
cp -p kept/* .
"$PERF" archive a.data >/dev/null
rm prog libwork.so
"$PERF" archive --unpack a.data.tar.bz2 2>/dev/null
# It aborts now and then, on its own files too: nine chances.
for chance in 1 2 3 4 5 6 7 8 9; do
	"$STOCK" report --stdio -g none --no-children -s sym -i a.data >stock.report 2>/dev/null && break
done
grep -q inner_work stock.report || fail "stock perf has no names from our archive"
"$STOCK" archive a.data >/dev/null 2>&1 || skip "stock perf cannot archive"
home
"$PERF" archive --unpack a.data.tar.bz2 2>/dev/null
rows a.data | diff want - || fail "the report is another one (stock's archive)"
