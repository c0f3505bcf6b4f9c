# perf report: stacks and names of Go programs, stripped or not, as the installed go builds them
# timeout: 300
. "$PERF_SRC/tests/lib.sh"
need_record
need_command go nm strip awk
export GOCACHE="$PWD/cache" GOPATH="$PWD/path" HOME="$PWD" GOFLAGS=-mod=mod GOTOOLCHAIN=local
printf 'module program\n\ngo 1.18\n' >go.mod
cat >main.go <<'EOF2'
package main

import (
	"runtime"
	"syscall"
	"time"
)

//go:noinline
func spin() (n int) {
	for i := 0; i < 30000; i++ {
		n += i ^ n
	}
	return n
}

// The runtime walks the stack on the stack of the thread, where it got by systemstack.
//
//go:noinline
func stacks(n int) int {
	var buf [8192]byte

	if n > 0 {
		return stacks(n-1) + 1
	}
	return runtime.Stack(buf[:], false)
}

// Processor time: a busy machine has as many samples.
func used() time.Duration {
	var r syscall.Rusage

	syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

func main() {
	done := make(chan int)
	go func() {
		for used() < 700*time.Millisecond {
			spin()
			for i := 0; i < 20; i++ {
				stacks(10)
			}
		}
		done <- 1
	}()
	<-done
}
EOF2
CGO_ENABLED=0 go build -o plain . 2>build.err || skip "go cannot build here: $(head -n 1 build.err)"
CGO_ENABLED=0 go build -ldflags='-s -w' -o unnamed .
cp plain stripped && strip stripped

# By nm of the program before it was stripped, for each user chain: the function in which it ends, and how often
# main.stacks is in chains that are in runtime.Stack's function for the system stack.
judge() { # FILE TWIN
	"$PERF" report -D -i "$1" 2>/dev/null | awk '
		/PERF_RECORD_SAMPLE/ { n++; user = 0 }
		/^\.\.\.\.\. *[0-9]+: fffffffffffffe00/ { user = 1; next }
		/^\.\.\.\.\. *[0-9]+: [0-9a-f]+$/ && user { print $NF, n }' >ips
	nm "$2" | awk 'NF == 3 { print $1, "! " $3 }' | LC_ALL=C sort - ips | awk '
		$2 == "!" { name = $3; next }
		{ print $2, name }' | LC_ALL=C sort -s -k 1,1n >frames
	# Frames of a chain are in the order of addresses now: look for names, not for places.
	awk '{ in_chain[$1 " " $2] = 1; if (!($1 in seen)) { seen[$1]; nr++ } }
		END {
			for (c in seen) {
				outermost = 0
				for (i = split("goexit mstart mcall morestack rt0_go sigtramp gogo clone", names, " "); i; i--)
					outermost += (c " runtime." names[i]) in in_chain || (c " runtime." names[i] ".abi0") in in_chain
				whole += outermost > 0
				if ((c " runtime.Stack.func1") in in_chain) {
					on_system++
					from_main += (c " main.stacks") in in_chain && \
						((c " runtime.goexit.abi0") in in_chain || (c " runtime.goexit") in in_chain)
				}
			}
			printf "%d %d %d %d\n", nr, whole, on_system, from_main
		}' frames
}

# A chain that is cut because of load, or whose thread has just begun, is none of what is tested.
most() { # PART ALL WHAT
	[ "$2" -ge 8 ] || skip "only $2 chains: the machine is too busy"
	[ $(($1 * 100)) -ge $(($2 * 85)) ] || fail "$3: $1 of $2"
}

look() { # PROGRAM TWIN
	"$PERF" record -q -g -e cpu-clock:u -F 1000 -o "$1.data" -- "./$1" >record.out 2>&1
	set -- "$1" $(judge "$1.data" "$2")
	most "$3" "$2" "$1: chains that reach an outermost frame"
	most "$5" "$4" "$1: chains from the system stack back to main.stacks and goexit"
	expect_status 0 "$PERF" report --stdio --no-children -g none -s sym -i "$1.data"
	expect_text out main.spin
	! grep -q '\[\.\] 0x' out || { cat out; fail "$1: functions without names"; }
	expect_status 0 "$PERF" report --stack-stats -i "$1.data"
	complete=$(sed -n 's/.*, \([0-9]*\)\.[0-9]% complete.*/\1/p' out)
	[ "${complete:-0}" -ge 85 ] || { cat out; fail "$1: chains are not complete"; }
}

look plain plain
look stripped plain
look unnamed plain
# Linked by the C compiler's linker: the code begins with functions of C.
if CGO_ENABLED=1 go build -ldflags=-linkmode=external -o external . 2>build.err; then
	cp external external-stripped && strip external-stripped
	look external-stripped external
else
	echo "not tested: external linking: $(tail -n 1 build.err)"
fi
# At an address that differs from run to run: addresses say nothing here, names do.
if CGO_ENABLED=0 go build -buildmode=pie -ldflags='-s -w' -o pie . 2>build.err; then
	"$PERF" record -q -g -e cpu-clock:u -F 1000 -o pie.data -- ./pie >record.out 2>&1
	expect_status 0 "$PERF" report --stdio --children -g none -s sym -i pie.data
	for name in main.spin main.stacks runtime.goexit; do
		expect_text out "$name"
	done
fi
