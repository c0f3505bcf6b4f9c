# perf record and perf doctor under a seccomp filter: it is named, whatever it answers
. "$PERF_SRC/tests/lib.sh"
need_record
need_command "${CC:-cc}"

# ./filtered ACTION command...: ACTION is an errno, allow or kill: what becomes of perf_event_open
cat >filtered.c <<'C'
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static unsigned action(const char *word)
{
	if (!strcmp(word, "allow"))
		return SECCOMP_RET_ALLOW;
	return strcmp(word, "kill") ? SECCOMP_RET_ERRNO | (unsigned)atoi(word) : SECCOMP_RET_KILL;
}

int main(int argc, char **argv)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action(argv[1])),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

	if (argc < 3 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0))
		return 99;
	execvp(argv[2], argv + 2);
	return 98;
}
C
"${CC:-cc}" -o filtered filtered.c || skip "the compiler knows no seccomp filters"
./filtered allow true || skip "no seccomp filters here"

row() { # NAME: its verdict in out
	awk -v row="$1" '$2 == row { print $1; exit }' out
}

expect_status 0 ./filtered allow "$PERF" record -e cpu-clock:u -o a.data true
expect_status 0 ./filtered allow "$PERF" doctor
[ "$(row seccomp)" = ok ] || fail "a filter that lets it through is blamed: $(cat out)"
expect_text out "a seccomp filter is in force and allows perf_event_open"

# EPERM is Docker's answer, ENOSYS podman's, EACCES could be the kernel's own
for n in 1:'Operation not permitted' 38:'Function not implemented' 13:'Permission denied'; do
	expect_status 1 ./filtered "${n%%:*}" "$PERF" record -e cpu-clock -o a.data true
	expect_lines err 2
	expect_text err "perf: error: cannot open 'cpu-clock': a seccomp filter answers perf_event_open with \"${n#*:}\""
	expect_text err "--cap-add PERFMON or --security-opt seccomp=unconfined"
	[ ! -e a.data.old ] || fail "the old file was moved away for nothing"
	expect_status 1 ./filtered "${n%%:*}" "$PERF" record -a -o a.data true
	expect_text err "a seccomp filter"
	expect_status 1 ./filtered "${n%%:*}" "$PERF" doctor
	[ "$(row seccomp)" = blocks ] || fail "the filter is not blamed: $(cat out)"
	[ "$(grep -c '^blocks' out)" = 1 ] || fail "others are blamed, too: $(cat out)"
	expect_text out "answers perf_event_open with \"${n#*:}\""
	grep -Eq '^  no   programs of this user.*\(seccomp\)' out || fail "the filter does not stand behind what it prevents: $(cat out)"
	expect_text out "perf record PROGRAM does not work"
done

# One that kills: the doctor outlives it.
expect_status 1 ./filtered kill "$PERF" doctor
[ "$(row seccomp)" = blocks ] || fail "the filter is not blamed: $(cat out)"
expect_text out "a seccomp filter kills processes that call perf_event_open"
exit 0
