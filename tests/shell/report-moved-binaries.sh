# perf report: binaries that are deleted, replaced, only in memory, or only in the process's own mount namespace
. "$PERF_SRC/tests/lib.sh"
need_record
need_command gcc unshare mount
[ "$(id -u)" = 0 ] || skip "only root can make namespaces and look into /proc/PID/map_files"

cat >spin.c <<'EOF'
#include <stdio.h>
#include <unistd.h>
volatile unsigned long x;
__attribute__((noinline)) void NAME(void) { for (;;) x += STEP; }
int main(void)
{
	printf("ready\n");
	fflush(stdout);
	alarm(60);
	NAME();
	return 0;
}
EOF
# The code must differ: build-ids do not depend on names.
gcc -O1 -DNAME=right_name -DSTEP=1 -o right spin.c
gcc -O1 -DNAME=wrong_name -DSTEP=2 -o wrong spin.c
gcc -O1 -DNAME=right_name -DSTEP=1 -Wl,--build-id=none -o right-no-id spin.c
gcc -O1 -DNAME=wrong_name -DSTEP=2 -Wl,--build-id=none -o wrong-no-id spin.c
cat >memfd.c <<'EOF'
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
int main(int argc, char **argv, char **env)
{
	int in = open(argv[1], O_RDONLY), fd = memfd_create("from-memory", 0);
	char buf[65536], *args[] = { "from-memory", 0 };
	long n;

	while ((n = read(in, buf, sizeof(buf))) > 0)
		if (write(fd, buf, n) != n)
			return 1;
	return argc < 2 ? 1 : fexecve(fd, args, env);
}
EOF
gcc -O1 -o memfd memfd.c

pids=
trap 'for p in $pids; do kill $p 2>/dev/null || true; done' EXIT
begin() { # command...: runs it, and waits until it is ready; sets pid
	: >ready
	"$@" >ready &
	pid=$!
	pids="$pids $pid"
	for i_ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		grep -q ready ready && break
		sleep 0.1
	done
	grep -q ready ready || fail "does not run: $*"
}

end() {
	kill "$pid" 2>/dev/null || true
	wait "$pid" 2>/dev/null || true
}

record() { # of process $pid; on a busy machine it may take a while to get some time
	for time_ in 0.3 1 3 10; do
		"$PERF" record --no-embed -o p.data -e cpu-clock:u -F 500 -p "$pid" sleep $time_ >record.out 2>&1 ||
			fail "record: $(cat record.out)"
		! grep -q '([1-9][0-9]* samples)' record.out || return 0
	done
}

names() { # OPTION...: what is shown as symbols
	"$PERF" report -v --stdio -g none -F sym -i p.data "$@" >out 2>err || fail "report: $(cat err)"
	grep -v '^#\|^$' out >names || true
}

expect_right() { # WHAT
	grep -q right_name names || { cat out err && fail "$1: no right name"; }
	! grep -q wrong_name names || fail "$1: a wrong name"
}

expect_none() { # WHAT REASON
	! grep -q '_name' names || { cat out && fail "$1: a name from somewhere"; }
	grep -q "$2" err || { cat out err && fail "$1: no reason '$2'"; }
}

# Deleted: the process still has it. When that has ended, nobody does.
for kind in right right-no-id; do
	cp $kind gone
	begin ./gone
	rm gone
	record
	names
	expect_right "deleted binary ($kind)"
	end
	names
	expect_none "deleted binary of an ended process ($kind)" "no such file: .*gone"
done

# Replaced by another program: before the recording, and after it.
for id in "" -no-id; do
	cp right$id prog
	begin ./prog
	cp wrong$id new && mv new prog
	record
	names
	expect_right "binary replaced before the recording ($id)"
	end
	names
	expect_none "replaced binary of an ended process ($id)" "'.*prog.*'"

	cp right$id prog2
	begin ./prog2
	record
	cp wrong$id new && mv new prog2
	names
	expect_right "binary replaced after the recording ($id)"
	end
	names
	expect_none "binary replaced after the recording, process ended ($id)" "prog2' is not the recorded file"
done

# A program that never had a name.
begin ./memfd right
record
names
expect_right "program in memory"
end
names
expect_none "program in memory, ended" "memfd:from-memory"

# Its own mount namespace: the binary does not exist outside; outside is another one; its debug file is inside, too.
if unshare -m true 2>/dev/null; then
	mkdir inside
	cat >in.sh <<'EOF'
mount -t tmpfs none inside && cp "$1" inside/app && { [ ! -e "$1.debug" ] || cp "$1.debug" inside; } && exec inside/app
EOF
	for kind in right right-no-id; do
		begin unshare -m sh in.sh $kind
		[ ! -e inside/app ] || fail "the mount is not private"
		record
		names
		expect_right "own mount namespace ($kind)"
		cp wrong${kind#right} inside/app
		names
		expect_right "own mount namespace, another file outside ($kind)"
		end
		names
		expect_none "own mount namespace, ended, another file outside ($kind)" "inside/app' is not the recorded file"
		rm inside/app
		names
		expect_none "own mount namespace, ended ($kind)" "no such file: .*inside/app"
	done
	if command -v objcopy >/dev/null && command -v strip >/dev/null; then
		objcopy --only-keep-debug right stripped.debug
		strip -s -o stripped right
		objcopy --add-gnu-debuglink=stripped.debug stripped
		begin unshare -m sh in.sh stripped
		record
		names
		expect_right "debug file in its own mount namespace"
		end
	fi
fi
