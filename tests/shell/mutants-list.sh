# tools/mutate can read its list, and each entry is still one of the changes that it makes
. "$PERF_SRC/tests/lib.sh"

command -v python3 >/dev/null || skip "no python3"
cd "$PERF_SRC"
made=$(sed -n 's/^\(util[^:]*\): .*/\1/p' tools/mutate.equivalent | sort -u |
	xargs python3 tools/mutate --build none --compile none --link none --list) || fail "it cannot be read"
gone=$(printf '%s\n' "$made" | grep -A 2 "not a mutant any more") && fail "$gone"
exit 0
