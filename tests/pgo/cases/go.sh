# go build -pgo takes the pprof export, and finds in it the hot calls that it finds in profiles of Go's own runtime.
. "$PERF_SRC/tests/pgo/lib.sh"
need_record
suite sid golang-go

# go: the root's, in this folder. It reads /proc.
go() {
	unshare --mount sh -ec 'mount -t proc proc "$1/proc"
		mount --bind . "$1/mnt"
		root=$1
		shift
		exec chroot "$root" env -C /mnt -i PATH=/usr/bin:/bin HOME=/mnt GOCACHE=/mnt/cache GOTOOLCHAIN=local CGO_ENABLED=0 go "$@"' \
		sh "$root" "$@"
}
# hot PROFILE: its calls (caller, callee, distance in lines) that have 99% of the weight, as the compiler takes them, but for
# runtime.asyncPreempt: where a signal that preempts a goroutine comes at the same time as that of Go's profiler, this one is
# handled there. No code calls it.
hot() {
	go tool preprofile -i "$1" -o edges || fail "go does not take $1"
	awk 'NR == 1 { next }
		NR % 3 == 2 { caller = $0 }
		NR % 3 == 0 { callee = $0 }
		NR % 3 == 1 { edge[++n] = caller "\t" callee "\t" $1; weight[n] = $2; total += $2 }
		END { for (i = 1; i <= n && (i == 1 || sum <= total * 0.99); i++) { print edge[i]; sum += weight[i] } }' edges | grep -v 'runtime\.asyncPreempt' | sort >"$1.hot"
	# what it does with them
	go build -pgo="$1" -gcflags='all=-m=1 -d=pgodebug=1' -o "with-$1" . >log 2>&1 || { tail log; fail "cannot build with $1"; }
	sed -n -e 's/^\(hot-budget check allows .*\) (cost [0-9]*)\(.*\)/\1\2/p' -e '/PGO devirtualizing/p' log | sort -u >"$1.done"
}
# compare KIND WHAT: what both of Go's own profiles give, ours must give, too
compare() {
	comm -12 "own1.pprof.$1" "own2.pprof.$1" >both
	comm -12 both "ours.pb.gz.$1" >found
	all=$(wc -l <both) nr=$(wc -l <found)
	figure "$2: $nr of the $all that two of Go's own profiles have in common; of their $(wc -l <"own1.pprof.$1") and $(wc -l <"own2.pprof.$1")"
	[ "$all" -ge 50 ] || fail "only $all $2"
	[ $((nr * 100)) -ge $((all * 90)) ] || fail "$2 that are missing: $(comm -23 both found | head -n 20)"
}

cp "$PERF_SRC/tests/pgo/progs/calls.go" main.go
printf 'module calls\n\ngo 1.21\n' >go.mod
go build -o calls . || fail "cannot build"
figure "$(go version)"
for i in 1 2; do
	./calls -n 2000 -cpuprofile own$i.pprof >/dev/null
done
"$PERF" record -q -g -e cpu-clock:u -F 999 -o calls.data -- ./calls -n 2000 >/dev/null
mv calls gone # the recording has all that the export needs
"$PERF" export -i calls.data -o ours.pb.gz
mv gone calls
for f in own1.pprof own2.pprof ours.pb.gz; do
	hot $f
done
compare hot "hot calls"
compare 'done' "calls inlined or made direct"
# Wrappers of methods would be the callees, and never be found.
! grep '(\*Rect)\.Area' ours.pb.gz.hot || fail "there are wrappers"

printf '#!/bin/sh\nexec ./with-ours.pb.gz -n 500\n' >ours
printf '#!/bin/sh\nexec ./with-own1.pprof -n 500\n' >own
printf '#!/bin/sh\nexec ./calls -n 500\n' >plain
chmod +x ours own plain
for what in ours own; do
	"$PERF" stat -e task-clock -r 10 --repeat-with ./$what -- ./plain >stat.out 2>&1 || { cat stat.out; fail "stat"; }
	figure "without a profile, with $what: $(sed -n 's/^ *task-clock *//p' stat.out)"
done
