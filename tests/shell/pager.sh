# output goes through a pager on a terminal, and only there
. "$PERF_SRC/tests/lib.sh"
need_command script
script -qec true /dev/null </dev/null >typed 2>&1 || skip "no pseudo-terminal: $(head -n 1 typed)"

on_terminal() { # command line
	script -qec "$1" /dev/null </dev/null >typed 2>&1 || :
}

cat >pager <<'END'
#!/bin/sh
echo "through the pager: $LESS"
cat
END
chmod +x pager
export PERF_PAGER="$PWD/pager"
on_terminal "$PERF version -h"
expect_text typed "through the pager: FRSX"
expect_text typed "--build-options"
on_terminal "$PERF --no-pager version -h"
expect_text typed "--build-options"
if grep -q "through the pager" typed; then fail "--no-pager did not keep the pager out"; fi
expect_status 129 "$PERF" version -h
if grep -q "through the pager" out; then fail "a pager without a terminal"; fi

# A pager that does not exist or stops reading at once is no disaster.
PERF_PAGER=/nonexistent
on_terminal "$PERF version -h; echo status \$?"
grep -Eq 'status (129|141)' typed || fail "not ended as usual, nor by the pager's end: $(cat typed)"
unset PERF_PAGER
export PAGER=true
on_terminal "$PERF version -h; echo finished"
expect_text typed "finished"
