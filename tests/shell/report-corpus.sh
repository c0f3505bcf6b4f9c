# report of other people's recordings: rows as stock perf's where it can read them; no crash, no hang anywhere
# timeout: 600
. "$PERF_SRC/tests/lib.sh"
need_shared
need_stock
need_command python3
[ -d "$SHARED/corpus/files" ] || skip "no corpus in $SHARED"
mkdir empty
bad=0
nr=0
equal=0
tail -n +2 "$SHARED/corpus/index.tsv" | cut -f1,12 >list
while IFS="$(printf '\t')" read -r name verdict; do
	f=$SHARED/corpus/files/$name
	nr=$((nr + 1))
	status=0
	timeout 20 "$PERF" report --stdio --symfs empty -i "$f" >out 2>err </dev/null || status=$?
	if [ $status -gt 1 ]; then
		echo "$name: exit status $status: $(tail -n 1 err)"
		bad=$((bad + 1))
	fi
	# Not compared: samples made from a trace or from branch records, groups (which compare-report cannot read).
	case "$verdict $name" in
	"OK "*intel_pt* | "OK "*lbr* | "OK "*group_desc* | "OK "*lost_samples*) continue ;;
	"OK "*) ;;
	*) continue ;;
	esac
	if "$SHARED/tools/compare-report" --ref "$STOCK" --ours "$PERF" -i "$f" -- --symfs empty --no-branch-stack >cmp 2>&1; then
		equal=$((equal + 1))
	elif ! grep -q 'neither program printed a row' cmp; then
		echo "$name: $(cat cmp)"
		bad=$((bad + 1))
	fi
done <list
echo "$nr files, $equal with rows equal to stock perf's, $bad bad"
[ $bad = 0 ]
