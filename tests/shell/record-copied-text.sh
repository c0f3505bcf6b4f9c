# perf record: code that was copied from its file to memory at the same addresses keeps the file's names
. "$PERF_SRC/tests/lib.sh"
need_record
need_command gcc mkfifo
program copied_text progs/copied_text -O1 -fno-toplevel-reorder

shares() { # FILE: percent of samples in spin(), percent without a name
	"$PERF" report --stdio -g none -F overhead,sym -i "$1" 2>err | awk '!/^#/ && /%/ {
		sub("%", "", $1)
		if (/\] spin$|\] spin /)
			named += $1
		else if (/0x[0-9a-f][0-9a-f][0-9a-f]/)
			unnamed += $1
	} END { printf "%d %d\n", named, unnamed }'
}
check() { # HOW FILE
	shares "$2.data" >got
	read -r named unnamed <got
	if [ "$1" = other ]; then
		[ "$named" = 0 ] && [ "$unnamed" -ge 80 ] || fail "$1, $2: names of other code: $(cat got)"
	else
		[ "$named" -ge 80 ] || fail "$1, $2: no names: $(cat got)"
	fi
}
for how in same moved other; do
	"$PERF" record -e cpu-clock:u -o started.data ./copied_text $how >record.out 2>&1 || fail "record: $(cat record.out)"
	check $how started
done
"$PERF" record -g -e cpu-clock:u -o chains.data ./copied_text same >record.out 2>&1 || fail "record -g: $(cat record.out)"
check same chains
"$PERF" script -F ip,sym -i chains.data | awk -v RS= '/ spin/ { nr++; whole += / main/ } END { exit whole < 0.9 * nr }' ||
	fail "chains have no callers"
mkfifo go
for how in same other; do # the kernel reported the memory before
	: >ready
	./copied_text $how >ready <go &
	pid=$!
	exec 7>go
	await grep -q ready ready || fail "copied_text $how does not begin"
	attach -e cpu-clock:u -o attached.data -p $pid 7>&-
	exec 7>&-
	wait $pid || fail "copied_text $how"
	wait $recorder || fail "record -p: $(cat err)"
	check $how attached
done
