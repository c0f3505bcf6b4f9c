# perf diff --bisect and perf stat --bisect: good, bad and cannot tell, of recordings with known numbers of samples
. "$PERF_SRC/tests/lib.sh"
need_command cc python3 nm
program many progs/many_functions -O1 -no-pie
seed=0
recordings() { # NAME FUNCTION=SAMPLES...: five runs
	name=$1
	shift
	for i in 1 2 3 4 5; do
		seed=$((seed + 1))
		python3 "$PERF_SRC/tests/progs/function_samples.py" "$name.$i.data" many $seed "$@"
	done
}
# 12,000 samples of f0 vary by 0.9% in a run, by 0.4% in the mean of five; the seeds are fixed.
rest='f1=10000 f2=8000 f3=6000 f4=3000 f6=300'
# shellcheck disable=SC2086
{
	recordings base f7=~100 f0=~12000 f5=1000 $rest
	recordings same f7=~100 f0=~12000 f5=1000 $rest
	recordings slow f7=~100 f0=~12960 f5=1000 $rest
	recordings fast f7=~100 f0=~10000 f5=1000 $rest
	recordings renamed f7=~100 f8=~12000 f5=1000 $rest
	recordings worse f7=~100 f8=~20000 f5=1000 $rest
	recordings small f0=~12000 f5=1000 f7=~108 $rest
	recordings grown f7=~100 f0=~12000 f5=2000 $rest
}
judged() { # STATUS NEW OPTION...: also says why
	want=$1 new=$2
	shift 2
	expect_status "$want" "$PERF" diff --bisect "$@" base.*.data -- "$new".*.data
	case $want in 0) word=good ;; 1) word=bad ;; *) word='cannot tell' ;; esac
	grep -q "^--bisect: $word: " err || fail "$new $*: not $word: $(cat err)"
}

# all functions that matter
judged 0 same
judged 0 fast
judged 1 slow
judged 1 slow --fail-on slower:4
judged 0 slow --fail-on slower:20
expect_text out "# base.1.data and 4 more -> slow.1.data and 4 more"
# f5 takes twice as long: that is 2.5% of the total
judged 1 grown --fail-on slower:4
judged 0 grown --fail-on slower:150
# f7 has 0.25% of the total
judged 0 small --fail-on slower:4

# named ones; the others tell what all functions share
judged 0 same -S f0
judged 1 slow -S f0
expect_text err "'f0' changed by +"
judged 1 slow -S f0 --fail-on slower:4
judged 125 slow -S f0 --fail-on slower:8.5
judged 0 slow -S f0 --fail-on slower:20
judged 0 slow -S f1 --fail-on slower:8
judged 0 grown -S f0,f1 --fail-on slower:8
judged 1 grown -S f1,f5 --fail-on slower:8
judged 125 small -S f7 --fail-on slower:4
judged 125 same -S nosuch
expect_text err "no such function has samples"

# A function that one side lacks: the total must tell
judged 0 renamed -S f0 --fail-on slower:8
judged 0 renamed -S f8 --fail-on slower:8
judged 1 worse -S f0 --fail-on slower:8
judged 125 renamed -S f0 --fail-on slower:1

# One recording a side does not tell how the total varies; the functions may be known
expect_status 125 "$PERF" diff --bisect --fail-on slower:20 base.1.data same.1.data
expect_text err "one recording a side"
expect_status 0 "$PERF" diff --bisect --fail-on slower:20 -S f0 base.1.data same.1.data
expect_status 1 "$PERF" diff --bisect --fail-on slower:4 base.1.data slow.1.data

# what cannot be read, or is damaged, cannot be told
echo garbage >garbage.data
head -c 300000 slow.1.data >half.data
: >empty.data
for bad in missing.data garbage.data half.data empty.data .; do
	expect_status 125 "$PERF" diff --bisect base.1.data $bad
	expect_status 125 "$PERF" diff --bisect $bad slow.1.data
done
expect_status 1 "$PERF" diff base.1.data missing.data

# a wrong command line ends the bisection
expect_status 129 "$PERF" diff --bisect --fail-on faster base.1.data slow.1.data
expect_status 129 "$PERF" diff --bisect --nosuch base.1.data slow.1.data
expect_status 129 "$PERF" diff --bisect --stock base.1.data slow.1.data
expect_status 129 "$PERF" diff --bisect --json --folded base.1.data slow.1.data
expect_status 129 "$PERF" diff --bisect -D base.1.data slow.1.data
expect_status 129 "$PERF" diff --bisect -S file:///no/such/file base.1.data slow.1.data
expect_status 1 "$PERF" diff --bisect --json base.1.data slow.1.data
python3 -c 'import json; json.load(open("out"))' || fail "not JSON: $(cat out)"

# ---- two programs that run in turns ----
expect_status 129 "$PERF" stat --bisect true
expect_status 129 "$PERF" stat -r 3 --bisect --fail-on nothing --repeat-with true -- true
program load progs/stat_load -O1 -no-pie
where=mem:$(./load where):w:u
"$PERF" stat -x, -e "$where" ./load writes 1 2>probe || skip "no breakpoints here ($(head -n 1 probe)): perf stat was not tested"
grep -q '^1,' probe || skip "no breakpoints here: perf stat was not tested"
for side in old:70 new:77 same:70; do
	printf '#!/bin/sh\necho >>calls\nexec ./load writes %s\n' "${side#*:}" >${side%:*}
	chmod 755 ${side%:*}
done
printf '#!/bin/sh\nexit 7\n' >fails
chmod 755 fails
stat() { # STATUS OPTION... -- OLD
	want=$1
	shift
	expect_status "$want" "$PERF" stat --bisect -e "$where" "$@"
}
stat 1 -r 5 --repeat-with ./new -- ./old
stat 1 -r 5 --fail-on slower:5 --repeat-with ./new -- ./old
stat 0 -r 5 --fail-on slower:11 --repeat-with ./new -- ./old
stat 0 -r 5 --repeat-with ./same -- ./old
stat 0 -r 5 --repeat-with ./old -- ./new
stat 125 -r 2 --repeat-with ./new -- ./old # too few to tell
# decided at one of the first looks, whatever the elapsed time is
: >calls
stat 1 --until-decided=100 --fail-on slower:5 --repeat-with ./new -- ./old
[ "$(wc -l <calls)" -le 16 ] || fail "$(wc -l <calls) runs for a count without noise"
# programs that fail, or cannot be run
stat 125 -r 3 --repeat-with ./fails -- ./old
stat 125 -r 3 --repeat-with ./old -- ./fails
stat 125 -r 3 --repeat-with ./nosuch -- ./old
stat 125 -r 3 --repeat-with ./calls -- ./old
