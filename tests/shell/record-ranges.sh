# perf record: numbers outside of their range are refused, with the range; those at its ends are taken
. "$PERF_SRC/tests/lib.sh"
need_record

refused() { # "OPTIONS" "TEXT"
	# shellcheck disable=SC2086
	expect_status 129 "$PERF" record -o x.data $1 true
	expect_lines err 1
	expect_text err "$2"
	[ ! -e x.data ] || fail "a file was written"
}
period="expects a number from 1 to 9223372036854775807"
refused "-c 0" "option '-c' $period, not '0'"
refused "-c 9223372036854775808" "$period"
refused "-c -1" "$period"
refused "-c x" "$period"
rate="samples a second: a number from 1, or 'max'"
refused "-F 0" "'0' is not a number of $rate"
refused "-F -1" "$rate"
refused "-F fast" "$rate"
level="1 (fast) to 22 (small), or 0 for none"
refused "-z99" "'99' is not a compression level: $level"
refused "-z23" "$level"
refused "-z-1" "$level"
refused "-zz" "$level"
pages="a number of pages from 1 to 1048576, nor a size such as 1M"
refused "-m 0" "'0' is neither $pages"
refused "-m 1048577" "$pages"
refused "-m 5G" "$pages"
refused "-m 1Q" "$pages"
refused "--max-size 0" "'0' is not a size above 0 such as 64K"
refused "--unwind-buffer 63K" "'63K' is not a size such as 64M; the least is 64K"

for o in "-c 1 -e page-faults:u" "-c 9223372036854775807" "-F 1" "-F max" "-z1" "-z0" "-m 1" "-m 3" "-m 5000B"; do
	# shellcheck disable=SC2086
	expect_status 0 "$PERF" record -e cpu-clock:u -o ok.data $o true
done
"$PERF" version --build-options | grep -q 'libzstd: \[ on' && expect_status 0 "$PERF" record -e cpu-clock:u -o ok.data -z22 true
exit 0
