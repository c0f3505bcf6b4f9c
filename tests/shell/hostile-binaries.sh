# binaries of some KB whose names, debug information or line tables would take gigabytes: bounded memory, said once
# timeout: 900
. "$PERF_SRC/tests/lib.sh"
need_command python3 zstd

# Sanitizers add to everything: the least that this perf takes is what counts.
base=$(peak "$PERF" version)
limit=$((5 * base + 200))
# sanitizers keep what was freed
! grep -q fsanitize "$PERF_BUILD/compile.flags" || limit=$((3 * limit))

# bomb KIND SIZE TEXT: takes little memory in report and script, and says TEXT once
bomb() {
	python3 "$PERF_SRC/tests/hostile/bombs.py" "$1" "$2" "$1"
	for args in "report --stdio -s srcline,sym -g caller" "script -F ip,sym,srcline"; do
		# shellcheck disable=SC2086
		mb=$(peak sh -c 'ulimit -t 60; exec timeout 600 "$@"' sh "$PERF" $args -i "$1/perf.data")
		echo "$1, $args: $mb MiB of $limit, status $(cat status)"
		[ "$mb" -lt "$limit" ] || fail "$1 takes $mb MiB in $args"
		# 152: more than 60 s of processor time
		case $(cat status) in 124 | 152) fail "$1 takes too long in $args" ;; esac
		case $args in *srcline,sym*)
			[ "$(cat status)" = 0 ] || fail "$1: status $(cat status): $(cat err)"
			[ "$(grep -cF -e "$3" err)" = 1 ] || fail "$1: '$3' is not said once: $(cat err)"
			;;
		esac
	done
	rm -rf "$1"
}

bomb names 2000 "names are cut"
bomb inlined 2000 "names are cut"
bomb zlib 150000000 "a part is left out"
! "$PERF" version --build-options | grep -q 'on .*HAVE_LIBZSTD' || bomb zstd 150000000 "a part is left out"
bomb lines 4000000 "a part is left out"
bomb tables 500 "a part is left out"
bomb ranges 400 "a part is left out"
! "$PERF" version --build-options | grep -q 'on .*HAVE_LIBLZMA' || bomb debugdata 300000000 "left out: it unpacks to more than a true one does"

# a line table of that kind that is small is read
python3 "$PERF_SRC/tests/hostile/bombs.py" lines 300000 small
expect_status 0 "$PERF" report --stdio -s sym,srcline -i small/perf.data
expect_text out "a.c:"
expect_empty err
