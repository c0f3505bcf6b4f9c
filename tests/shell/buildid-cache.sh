# perf buildid-cache: add, list, remove, purge, update, missing; never outside of the cache
. "$PERF_SRC/tests/lib.sh"
need_command readelf
HOME=$(pwd -P)/home
export HOME
mkdir "$HOME"
cache=$HOME/.debug
dir=$(pwd -P)

id_of() {
	readelf -n "$1" | sed -n 's/.*Build ID: //p'
}

link_of() { # an id
	echo "$cache/.build-id/$(echo "$1" | cut -c 1-2)/$(echo "$1" | cut -c 3-)"
}

echo 'int main(void) { return 0; }' >a.c
echo 'int main(void) { return 1; }' >b.c
"$CC" -Wl,--build-id=sha1 -o a a.c
"$CC" -Wl,--build-id=sha1 -o b b.c
a=$(id_of a)
b=$(id_of b)
chmod u+s b

# Nothing there yet.
expect_status 0 "$PERF" buildid-cache --list
expect_empty out
[ ! -e "$cache" ] || fail "--list made the cache"

# Copies, in stock's layout; never hard links, and without the set-user-id bit.
expect_status 0 "$PERF" buildid-cache --add ./a,b
expect_empty err
expect_status 0 "$PERF" buildid-cache -l
printf '%s\n' "$a $dir/a" "$b $dir/b" | sort >want
diff want out
[ "$(readlink "$(link_of "$a")")" = "../..$dir/a/$a" ] || fail "link: $(readlink "$(link_of "$a")")"
cmp a "$cache$dir/a/$a/elf"
[ "$(stat -c %h a)" = 1 ] || fail "the copy is a hard link"
[ ! -u "$cache$dir/b/$b/elf" ] || fail "the copy is set-user-id"
[ -z "$(find "$cache" -name '.*' -type f)" ] || fail "temporary files are left: $(find "$cache" -name '.*' -type f)"

# What is there is not written again; --update does so, and only if it is there.
echo damage >"$cache$dir/a/$a/elf"
expect_status 0 "$PERF" buildid-cache -l
expect_lines out 1 # what is not of its build is not listed
expect_status 0 "$PERF" buildid-cache -u a
cmp a "$cache$dir/a/$a/elf"
expect_status 0 "$PERF" buildid-cache -r ./a
expect_status 0 "$PERF" buildid-cache -r ./a
[ ! -e "$cache$dir/a" ] && [ ! -h "$(link_of "$a")" ] || fail "something of a is left"
expect_status 0 "$PERF" buildid-cache -u ./a
expect_status 0 "$PERF" buildid-cache -l
expect_line out "$b $dir/b"
expect_lines out 1

# By path: all its builds, also when the file is gone.
cp a c
expect_status 0 "$PERF" buildid-cache -a c
rm c
cp b c
"$PERF" buildid-cache -r b
expect_status 0 "$PERF" buildid-cache -a c
expect_status 0 "$PERF" buildid-cache -l
expect_lines out 2
expect_status 0 "$PERF" buildid-cache -p c
expect_status 0 "$PERF" buildid-cache -l
expect_empty out
expect_status 0 "$PERF" buildid-cache -a a -a b
expect_status 0 "$PERF" buildid-cache --purge-all
[ -z "$(find "$cache" -mindepth 1)" ] || fail "left: $(find "$cache")"

# Other folders.
expect_status 0 "$PERF" --buildid-dir "$dir/other" buildid-cache -a a
[ -f "$dir/other$dir/a/$a/elf" ] || fail "--buildid-dir is not followed"
expect_status 0 env PERF_BUILDID_DIR="$dir/other" "$PERF" buildid-cache -l
expect_line out "$a $dir/a"
expect_status 129 "$PERF" --buildid-dir

# What is no ELF file, has no id, is no file: told, and nothing is waited for.
mkfifo fifo
"$CC" -Wl,--build-id=none -o none a.c
for file in a.c none missing fifo /dev/zero .; do
	expect_status 1 timeout 600 "$PERF" buildid-cache -a $file
	expect_lines err 1
	expect_text err "Couldn't add $file: "
done
# A file of a size that no binary has is not copied. (Like /proc/kcore, it takes no room here.)
cp a huge
truncate -s 9G huge 2>/dev/null && {
	expect_status 1 timeout 600 "$PERF" buildid-cache -a huge
	expect_text err "too large"
	rm huge
}
expect_status 129 "$PERF" buildid-cache
expect_status 129 "$PERF" buildid-cache -l -a a
expect_status 129 "$PERF" buildid-cache word

# Links that lead elsewhere are neither read nor followed by a removal.
rm -rf "$cache" outside
mkdir -p outside/x/"$a"
cp a outside/x/"$a"/elf
for target in "../../../outside/x/$a" "$dir/outside/x/$a" "../../x/../../../outside/x/$a" "../../link/$a" "../../link/x/$a"; do
	rm -rf "$cache"
	mkdir -p "$(dirname "$(link_of "$a")")"
	ln -s "$dir/outside" "$cache/link"
	ln -s "$target" "$(link_of "$a")"
	for options in -l "-r a" "-p $dir/a" -P; do
		"$PERF" buildid-cache $options >out 2>&1 || :
		! grep -q "$a" out || [ "$options" != -l ] || fail "an entry outside is listed: $target"
		[ -f outside/x/"$a"/elf ] || fail "'buildid-cache $options' deleted a file outside: $target"
	done
done
# A folder of the cache that is a link: nothing is put behind it.
rm -rf "$cache"
mkdir "$cache"
ln -s "$dir/outside" "$cache/$(echo "$dir" | cut -d / -f 2)"
expect_status 1 "$PERF" buildid-cache -a a
expect_text err "what should be a folder is something else"
[ "$(find outside | wc -l)" -eq 4 ] || fail "written outside: $(find outside)"
rm -rf "$cache"
# A copy that is a link or a fifo.
mkdir -p "$cache$dir/a/$a" "$(dirname "$(link_of "$a")")"
ln -s "../..$dir/a/$a" "$(link_of "$a")"
ln -s "$dir/a" "$cache$dir/a/$a/elf"
expect_status 0 "$PERF" buildid-cache -l
expect_empty out
rm "$cache$dir/a/$a/elf"
mkfifo "$cache$dir/a/$a/elf"
expect_status 0 timeout 600 "$PERF" buildid-cache -l
expect_empty out
expect_status 0 timeout 600 "$PERF" buildid-cache -a a
cmp a "$cache$dir/a/$a/elf"

# What a recording needs and the cache lacks.
need_record
rm -rf "$cache"
echo 'int main(void) { volatile int x = 0; for (int i = 0; i < 100000000; i++) x++; return 0; }' >m.c
"$CC" -Wl,--build-id=sha1 -o m m.c
"$PERF" record -N -e cpu-clock:u -F 500 -o m.data ./m 2>/dev/null
expect_status 0 "$PERF" buildid-cache -M m.data
expect_line out "$(id_of m) $dir/m"
"$PERF" buildid-cache -a m
expect_status 0 "$PERF" buildid-cache -M m.data
! grep "$dir/m\$" out || fail "what is in the cache is missing"

# Stock perf uses our cache, and we use stock's.
need_stock
rm -rf "$cache"
"$PERF" buildid-cache -a a,b
"$STOCK" buildid-cache -l >out 2>/dev/null
printf '%s\n' "$a $dir/a" "$b $dir/b" | sort | diff - out
"$STOCK" buildid-cache -r a 2>/dev/null
expect_status 0 "$PERF" buildid-cache -l
expect_lines out 1
rm -rf "$cache"
"$STOCK" buildid-cache -a a,b 2>/dev/null
expect_status 0 "$PERF" buildid-cache -l
printf '%s\n' "$a $dir/a" "$b $dir/b" | sort | diff - out
"$PERF" buildid-cache -r a
"$STOCK" buildid-cache -l >out 2>/dev/null
expect_line out "$b $dir/b"
expect_lines out 1
