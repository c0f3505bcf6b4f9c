# perf record: leaves a copy of the kernel's symbols in the build-id cache, once
. "$PERF_SRC/tests/lib.sh"
need_record

mkdir home
HOME=$PWD/home
export HOME
copies() { find home -name kallsyms -type f | wc -l; }

record() { # options: records something that is in the kernel most of the time
	expect_status 0 "$PERF" record -o a.data -e cpu-clock -F 5000 "$@" -- sh -c 'i=0; while [ $i -lt 300 ]; do i=$((i + 1)); (:); done'
}

[ -r /sys/kernel/notes ] || skip "the kernel's build-id cannot be read"
grep -q -m1 '^0*[1-9a-f]' /proc/kallsyms || skip "kernel addresses are hidden"

for o in -N --no-buildid-cache -B --buildid-mmap; do
	record $o
	[ "$(copies)" = 0 ] || fail "a copy is left with $o"
done
[ "$(id -u)" != 0 ] || {
	chown 12345 home 2>/dev/null && record && [ "$(copies)" = 1 ] && fail "a copy is left in the home of another user"
	chown 0 home
}
env -u HOME "$PERF" record -o b.data -e cpu-clock true 2>/dev/null
HOME= record
[ "$(copies)" = 0 ] || fail "a copy is left without a home"

# nothing of the kernel is in this one
expect_status 0 "$PERF" record -o u.data -e cpu-clock:u true
[ "$(copies)" = 0 ] || fail "a copy is left for samples of user space"

record
"$PERF" report --stdio -i a.data -g none --no-children -s dso 2>/dev/null | grep -q 'kernel.kallsyms' ||
	skip "no samples of the kernel can be had here"
[ "$(copies)" = 1 ] || fail "$(copies) copies instead of one"
copy=$(find home -name kallsyms -type f)
id=$(basename "$(dirname "$copy")")
[ "$copy" = "home/.debug/[kernel.kallsyms]/$id/kallsyms" ] || fail "the copy is at $copy"
rest=${id#??}
[ "home/.debug/.build-id/${id%"$rest"}/$rest/kallsyms" -ef "$copy" ] || fail "there is no link by build-id $id"
[ "$(find home | wc -l)" = 8 ] || fail "more than that is left: $(find home)"
grep -q ' _text$' "$copy" || fail "_text is not in the copy"

# it stays as it is
echo "ffffffffffff0000 t appended" >>"$copy"
record
grep -q 'appended' "$copy" || fail "the copy was made again"
