# report of other people's recordings: rows as stock perf's where it can read them; no crash, no hang anywhere
# timeout: 600
. "$PERF_SRC/tests/lib.sh"
need_shared
need_stock
need_command python3
[ -d "$SHARED/corpus/files" ] || skip "no corpus in $SHARED"
mkdir empty
# Both programs get the same options.
cat >ours <<'END'
#!/bin/sh
shift
exec "$PERF" report --no-made-up-names "$@"
END
chmod +x ours
bad=0
nr=0
equal=0
tail -n +2 "$SHARED/corpus/index.tsv" | cut -f1,12 >list
while IFS="$(printf '\t')" read -r name verdict; do
	f=$SHARED/corpus/files/$name
	nr=$((nr + 1))
	status=0
	timeout 600 "$PERF" report --stdio --symfs empty -i "$f" >out 2>err </dev/null || status=$?
	if [ $status -gt 1 ]; then
		echo "$name: exit status $status: $(tail -n 1 err)"
		bad=$((bad + 1))
	fi
	# Not compared: samples made from a trace, groups (which compare-report cannot read).
	case "$verdict $name" in
	"OK "*intel_pt* | "OK "*group_desc* | "OK "*lost_samples*) continue ;;
	"OK "*) ;;
	*) continue ;;
	esac
	if "$SHARED/tools/compare-report" --ref "$STOCK" --ours ./ours -i "$f" -- --symfs empty >cmp 2>&1; then
		equal=$((equal + 1))
	elif ! grep -q 'neither program printed a row' cmp; then
		echo "$name: $(cat cmp)"
		bad=$((bad + 1))
	fi
done <list

# Branch stacks: the whole text. Left out: the tip, our last lines, and cycles above 32767 (negative in stock).
text() {
	prog=$1
	shift
	"$prog" report --stdio --symfs empty "$@" 2>/dev/null </dev/null |
		grep -v -e '^# Tip' -e '^# (Tip' -e '^# Completeness' -e '^# No symbol for' \
			-e '^# Real names' -e '^#   perf report' -e '^#   export DEB' -e '^# Why each' -e '^#$' -e '^$' -e ' -[0-9]' -e ' 42141 ' || :
}
branches=0
same_text() {
	text "$STOCK" "$@" >want
	text ./ours "$@" >got
	branches=$((branches + 1))
	if [ ! -s want ] || ! cmp -s want got; then
		echo "report $*: not stock perf's text"
		diff want got | head -n 5
		bad=$((bad + 1))
	fi
}
cut -f1 "$SHARED/corpus/index.tsv" >names
for name in $(grep -E '/perf_b\.data$|/perf\.data\.branch-4\.14$|/perf\.lbr\.data$' names); do
	f=$SHARED/corpus/files/$name
	same_text -i "$f"
	same_text -i "$f" -b
	same_text -i "$f" -b -s dso_from,dso_to,mispredict,in_tx,abort -n
	same_text -i "$f" -b -F overhead,period,dso,sym
	same_text -i "$f" --no-branch-stack --no-children -g none
done
echo "$branches views of branch stacks"
echo "$nr files, $equal with rows equal to stock perf's, $bad bad"
[ $bad = 0 ]
