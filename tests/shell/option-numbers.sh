# Options that take numbers: none wraps at 2^32 or 2^64, and nan, inf, signs and trailing text are refused
. "$PERF_SRC/tests/lib.sh"
need_record

"$PERF" record -q -o p.data -e cpu-clock:u -g -- sh -c 'i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done' ||
	fail "cannot record"
graph() { expect_status 0 "$PERF" report --stdio -q -i p.data --no-children -s comm "$@"; }

# A limit above 100% hides all branches, however far above; more branches than there are is no limit.
for order in caller callee; do
	for mode in graph fractal flat folded; do
		graph -g $mode,200,$order
		mv out 200.out
		for limit in 1e15 1e20 1e300; do
			graph -g $mode,$limit,$order
			cmp -s out 200.out || fail "-g $mode,$limit,$order is not as -g $mode,200,$order: $(diff out 200.out)"
		done
	done
	graph -g graph,0,4294967295,$order
	mv out all.out
	graph -g graph,0,$order
	cmp -s out all.out || fail "-g graph,0,4294967295,$order shows less"
done
graph -g none
mv out none.out
for limit in 101 1e20; do
	graph --percent-limit $limit
	! grep -q '%' out || fail "--percent-limit $limit shows rows"
done

# refused OPTION VALUE...: by each command that has the option
refused() {
	command=$1 option=$2
	shift 2
	for value; do
		case $option in --*) set -- "$option=$value" ;; *) set -- "$option$value" ;; esac
		case $command in
		report | annotate) expect_status 129 "$PERF" $command --stdio -i p.data "$1" ;;
		diff) expect_status 129 "$PERF" diff "$1" p.data p.data ;;
		*) expect_status 129 "$PERF" $command -o x.data "$1" true ;;
		esac
		grep -qF -e "${option#--}" err || grep -qF -e "$value" err || fail "another error of $command $1: $(cat err)"
	done
}
wrong="nan inf -1 1x 18446744073709551616 99999999999999999999999"
refused report -ggraph,0.5, nan inf -1 1x 4294967296 4294967299 18446744073709551616 3.5
refused report -ggraph, nan inf -1 1x 1e999 0x1
refused report --time-quantum $wrong 99999999999999999999999ns 18446744074s 0 1d
refused report --percent-limit nan inf -1 1x 1e999
refused annotate --percent-limit nan inf -1 1x 1e999
refused report --threads $wrong 4294967296
refused report --debuginfod $wrong 4294967296 0
refused report --html-source $wrong 4294967297 0 1001
refused report --max-stack $wrong 4294967296
refused report --socket-filter nan 1x 2147483648 4294967297 -2147483649
refused diff --fail-on slower:nan slower:inf slower:-1 slower:1x slower:1e999
refused diff --least-change nan inf -1 101
refused record -F nan inf -1 1x 0 18446744073709551616
refused record -c $wrong 0 9223372036854775808
refused record -m $wrong 18446744073709551617 17592186044416G
refused record -z $wrong 23 4294967297
refused record -k -1 1x 2147483648 4294967297
refused record --switch-output nan inf -1s 18446744073709551617s 18446744073709551615G
refused record --max-size $wrong 17179869185G
refused record -D nan inf -2 1x 4294967296 18446744073709551617
for mode in wdiff:9223372036854775808,1 wdiff:1,18446744073709551617 wdiff:1,2x wdiff:1 wdiff:0,1 wdiff:nan,1; do
	expect_status 129 "$PERF" diff --stock -c $mode p.data p.data
done

# lists of numbers, users, spans of time: refused when the recording or the system is known
for o in --pid=4294967296 --tid=18446744073709551617 --pid=+1 '--pid= 1' -w18446744073709551617 --time=18446744073.999999999, \
	--time=18446744073709551616, --time=0x1%; do
	"$PERF" report --stdio -i p.data "$o" >out 2>err && fail "report $o is taken"
	[ "$(grep -c '^perf: error' err)" = 1 ] || fail "not one error for $o: $(cat err)"
done
for user in -18446744073709551615 +0 ' 0' 4294967295 4294967296; do
	"$PERF" record -o x.data "-u$user" -- true >out 2>err && fail "record -u '$user' is taken"
	expect_text err "no such user: '$user'"
done
