# each key of report --sort has a test of its rows: against stock perf, or, of keys that only 7.x has, against rows of 7.2
. "$PERF_SRC/tests/lib.sh"
need_command "${CC:-cc}" python3 nm
[ "$(uname -m)" = x86_64 ] || skip "the program has a fixed address on x86-64"
own_folder # stock perf has no symbols for programs in /tmp/perf-*
program prog progs/blocks -O1 -fno-omit-frame-pointer -no-pie

# ---- recordings: switches and chains; without chains; without switches ----
cat >events <<'END'
thread 100/100 job-7
thread 100/101 job-12
thread 200/200 other
sample 100 6000 leaf+4 from=inner+9,main+9 weight=10 ins_lat=3 retire_lat=1 data_src=0x68100142
sample 100 6000 leaf+4 from=inner+9,main+9 weight=20 ins_lat=5 retire_lat=2 data_src=0x68100142
sample 100 18000 inner+8 from=main+9 weight=30 ins_lat=5 retire_lat=4 data_src=0x1012042424
on 101
sample 100 6000 leaf+9 from=inner+9,main+9 weight=40 retire_lat=2 data_src=0x1012042424
sample 101 12000 leaf+4 from=inner+9,main+9 weight=11 ins_lat=7 data_src=0x68100142
sample 101 6000 main+4 weight=12 ins_lat=9 data_src=0x5080441
on 200
sample 200 24000 inner+2 weight=50 ins_lat=11 retire_lat=9 data_src=0x68100184
off 101
sample 200 6000 inner+2 weight=51 ins_lat=13 retire_lat=8 data_src=0x5080441
off 200
sample 100 12000 main+0 weight=5
off 100
END
sed 's/ from=[^ ]*//' events >flat
python3 "$PERF_SRC/tests/progs/sample_fields.py" chains prog <events
python3 "$PERF_SRC/tests/progs/sample_fields.py" switches prog <flat
sed '/^on /d; /^off /d' flat | python3 "$PERF_SRC/tests/progs/sample_fields.py" weights prog

# ---- rows of stock perf 7.2.13 with these recordings, blanks squeezed, sorted; its heads of *retire_lat are others ----
rows() { # PROGRAM FILE OPTION...
	program=$1 file=$2
	shift 2
	"$program" report --stdio --no-inline -i "$file" "$@" 2>report.err | grep -v '^#' | grep '%' | sed 's/  */ /g; s/^ //; s/ $//' | sort
}
cat >expected <<'END'
> weights -s tgid,comm
18.75% 100:job-7 job-12
31.25% 200:other other
50.00% 100:job-7 job-7
> weights -s pid,tgid -n
18.75% 2 101:job-12 100:job-7
31.25% 2 200:other 200:other
50.00% 5 100:job-7 100:job-7
> weights -s comm_nodigit,sym
18.75% job-<N> [.] inner
18.75% job-<N> [.] main
31.25% job-<N> [.] leaf
31.25% other [.] inner
> weights -s symoff,tgid
12.50% [.] main+0x0 100:job-7
18.75% [.] inner+0x8 100:job-7
25.00% [.] leaf+0x4 100:job-7
31.25% [.] inner+0x2 200:other
6.25% [.] leaf+0x9 100:job-7
6.25% [.] main+0x4 100:job-7
> weights -F overhead,weight1,weight2,weight3,comm
18.75% 11.5 8.0 0.0 job-12
31.25% 50.5 12.0 8.5 other
50.00% 21.0 2.6 1.8 job-7
> weights -s ins_lat,comm
12.50% 7 job-12
18.75% 0 job-7
25.00% 10 job-7
25.00% 11 other
6.25% 13 other
6.25% 3 job-7
6.25% 9 job-12
> weights -s local_retire_lat,local_ins_lat
12.50% 0 0
12.50% 0 7
18.75% 4 5
25.00% 9 11
6.25% 0 9
6.25% 1 3
6.25% 2 0
6.25% 2 5
6.25% 8 13
> weights -s retire_lat
12.50% 4
18.75% 4
25.00% 9
31.25% 0
6.25% 1
6.25% 8
> weights -s local_p_stage_cyc
12.50% 2
18.75% 4
25.00% 9
31.25% 0
6.25% 1
6.25% 8
> weights -s p_stage_cyc,comm
12.50% 0 job-7
12.50% 4 job-7
18.75% 0 job-12
18.75% 4 job-7
25.00% 9 other
6.25% 1 job-7
6.25% 8 other
> weights --mem-mode -F overhead,op,cache,memory,dtlb,comm
10.04% 4.8% 0.0% 5.2% 10.0% 0.0% 10.0% 4.8% 0.0% 5.2% job-12
44.10% 0.0% 21.8% 22.3% 44.1% 0.0% 44.1% 21.8% 0.0% 22.3% other
45.85% 13.1% 30.6% 2.2% 45.9% 30.6% 15.3% 13.1% 30.6% 2.2% job-7
> switches -F latency,overhead,parallelism
12.31% 25.00% 3
23.08% 31.25% 2
64.62% 43.75% 1
> switches -s parallelism,comm
18.75% 13.85% 2 job-12
25.00% 12.31% 3 other
43.75% 64.62% 1 job-7
6.25% 4.62% 2 job-7
6.25% 4.62% 2 other
> switches --latency -s comm,sym
16.92% 31.25% other [.] inner
18.46% 12.50% job-7 [.] main
23.08% 18.75% job-7 [.] leaf
27.69% 18.75% job-7 [.] inner
4.62% 6.25% job-12 [.] main
9.23% 12.50% job-12 [.] leaf
> chains --latency -s comm,sym --children -g none -F latency_children,latency,comm,sym
13.85% 4.62% job-12 [.] main
16.92% 16.92% other [.] inner
23.08% 23.08% job-7 [.] leaf
50.77% 27.69% job-7 [.] inner
69.23% 18.46% job-7 [.] main
9.23% 0.00% job-12 [.] inner
9.23% 9.23% job-12 [.] leaf
END
sed -n 's/^> //p' expected >cases
case $(command -v perf >/dev/null && perf --version) in "perf version 7."*) newer=perf ;; *) newer= ;; esac
while read -r file options; do
	sed -n "/^> $file $options\$/,/^>/p" expected | sed '/^>/d' >want
	for program in "$PERF" $newer; do
		# shellcheck disable=SC2086
		rows "$program" "$file" $options | diff want - >differs || fail "$program: not 7.2's rows: report -i $file $options: $(cat differs report.err)"
	done
	[ -s want ] || fail "no rows: $file $options"
done <cases

# ---- tid, which only we have, names what stock perf's pid has ----
rows "$PERF" weights -s tid,comm >tids
rows "$PERF" weights -s pid,comm | diff tids - >differs || fail "tid: $(cat differs)"

# ---- branches before the row's samples. 7.2 counts where a branch led to as another one, which is never predicted ----
python3 "$PERF_SRC/tests/progs/branch_stacks.py" branches prog <<'END'
4 1000 leaf+4 leaf+20>leaf+4:5m inner+30>leaf+0:11
2 3000 inner+2 inner+9>inner+4:100m inner+10>inner+2:200ma idle+9>inner+0:10 main+9>idle+0:10
1 6000 main+2 main+9>idle+0:10
END
rows "$PERF" branches --branch-history --no-children -g none \
	-s sym,callchain_branch_predicted,callchain_branch_abort,callchain_branch_cycles >found
diff - found >differs <<'END' || fail "branches: $(cat differs)"
25.00% [.] leaf 50.0% 0 8
37.50% [.] inner 50.0% 2 80
37.50% [.] main 100.0% 0 10
END

# ---- all keys ----
# What is compared is in an option -s or -F of such a test, in a list of options, or in the rows above. Our own keys, which
# stock perf lacks, are in other tests.
{
	grep -hE -e '-[sF] |^	*for (keys|options) in |^-' "$PERF_SRC"/tests/shell/report-*-stock.sh | grep -v '^#'
	cat cases
	echo tid callchain_branch_predicted callchain_branch_abort callchain_branch_cycles
} | tr -c 'a-z_0-9\n' ' ' | tr -s ' ' '\n' | sort -u >compared
for key in wait waker on_cpu waiting self_time lock holder; do
	cat "$PERF_SRC/tests/shell/report-off-cpu.sh" "$PERF_SRC/tests/shell/report-locks.sh" | grep -hE -e "-[sF] " | grep -qw "$key" || fail "no test of '$key'"
	echo $key >>compared
done
grep -qx sym compared && echo symbol >>compared # its short name
"$PERF" --complete report --sort '' | cut -f 1 | sort -u >keys
[ "$(wc -l <keys)" -ge 80 ] || fail "few keys: $(cat keys)"
sort -u compared | comm -23 keys - >missing
[ ! -s missing ] || fail "no test compares the rows of: $(tr '\n' ' ' <missing)"
