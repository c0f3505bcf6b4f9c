# perf diff --git: which functions did the change between two commits touch? The program's source says what
# changed; what the samples say of costs does not matter here.
. "$PERF_SRC/tests/lib.sh"
need_command git "${CC%% *}"
need_record
git() { command git -c user.name=a -c user.email=a@example.org -c commit.gpgsign=false -c protocol.file.allow=always "$@"; }

source_of() { # FUNCTION: as the comparison in out has it
	tr '{' '\n' <out | sed -n "/\"function\":\"$1\",/s/.*\"source\":\"\([^\"]*\)\".*/\1/p" | head -n 1
}
member() { # FUNCTION MEMBER
	tr '{' '\n' <out | sed -n "/\"function\":\"$1\",/s/.*\"$2\":\"\([^\"]*\)\".*/\1/p" | head -n 1
}
expect_source() { # FUNCTION SOURCE
	[ "$(source_of "$1")" = "$2" ] || fail "$1 is '$(source_of "$1")', not '$2'"
}

# ---- a program, and a change of each kind ----

mkdir -p repo/src repo/include repo/tests
git init -q -b main repo
cat >repo/include/config.h <<-'END'
	#define ROUNDS 400
	#define TWICE (ROUNDS * 2)
	enum { FIRST, STEPS = 400 };
	struct item { int value; int room[4]; };
END
cat >repo/include/small.h <<-'END'
	static inline unsigned small(unsigned x)
	{
		for (int i = 0; i < 80; i++)
			x = x * 1664525u + 1013904223u;
		return x;
	}
END
work() { # NAME ROUNDS [COMMENT]
	printf '%s\n' '__attribute__((noinline, noclone))' "unsigned $1(unsigned x)" '{' \
		"	for (int i = 0; i < $2; i++) $3" '		x = x * 22695477u + 1u;' '	return x;' '}' ''
}
{
	printf '%s\n' '#include "../include/config.h"' '#include "../include/small.h"' 'unsigned moved(unsigned x);' ''
	work own 400
	work same 400
	work comment 400
	work by_macro 'TWICE / 2'
	work by_constant STEPS
	printf '%s\n' '__attribute__((noinline)) unsigned by_type(unsigned x)' '{' '	struct item items[2] = { { 0 } };' \
		'	for (unsigned i = 0; i < 200; i++)' '		items[x % 2].value += x = x * 69069u + i;' \
		'	return x + items[0].value;' '}' ''
	printf '%s\n' '__attribute__((noinline)) unsigned with_inlined(unsigned x)' '{' \
		'	return small(x) + small(x + 1) + small(x + 2) + small(x + 3);' '}' ''
	printf '%s\n' '__attribute__((noinline)) unsigned callee(unsigned x, int n)' '{' '	for (int i = 0; i < n; i++)' \
		'		x = x * 69069u + 5u;' '	return x;' '}' ''
	printf '%s\n' '__attribute__((noinline)) unsigned caller(unsigned x)' '{' '	return callee(x, 400) + 1;' '}' ''
	printf '%s\n' 'unsigned unused(void)' '{' '	return 1;' '}' ''
	printf '%s\n' 'int main(void)' '{' '	unsigned x = 1;' '	for (int i = 0; i < 60000; i++)' \
		'		x = own(x) + same(x) + comment(x) + by_macro(x) + by_constant(x) + by_type(x) + with_inlined(x) +' \
		'		    caller(x) + moved(x);' '	return x == 1;' '}'
} >repo/src/main.c
work moved 400 >repo/src/more.c
echo '# work, ROUNDS (as README)' >repo/README.md
git -C repo add -A
git -C repo commit -qm 'base' || fail "git commit"

edit() { # FILE SED-SCRIPT
	sed "$2" "repo/$1" >edited && ! cmp -s edited "repo/$1" || fail "'$2' does not change $1"
	cp edited "repo/$1"
}
edit src/main.c '/^unsigned own/,/^}/s/400/440/'
edit src/main.c '/^unsigned comment/,/^}/s,x = x,/* a longer\n   comment */ x   =  x,'
edit src/main.c '/^unsigned unused/,/^}/s/1/2/'
edit src/main.c 's/callee(x, 400)/callee(x, 420)/'
edit include/small.h 's/80/88/'
edit include/config.h 's/ROUNDS 400/ROUNDS 440/; s/STEPS = 400/STEPS = 440/; s/room.4./room[8]/'
git -C repo mv src/more.c src/elsewhere.c
{ echo '/* moved here */'; cat repo/src/elsewhere.c; } >edited && cp edited repo/src/elsewhere.c
git -C repo commit -qam 'the change'

# ---- built in a worktree, and in another folder with mapped paths ----

git -C repo worktree add -q ../old-tree HEAD~ || fail "git worktree"
(cd old-tree && $CC -g -O1 -o old src/main.c src/more.c) || fail "no program"
mkdir build
(cd build && $CC -g -O1 "-ffile-prefix-map=$PWD/../repo=." "-ffile-prefix-map=$PWD=." -o ../new ../repo/src/main.c ../repo/src/elsewhere.c)
"$PERF" record -q -g -F 4000 -e cpu-clock:u --label commit -o old.data old-tree/old || fail "record"
"$PERF" record -q -g -F 4000 -e cpu-clock:u --label "commit=$(git -C repo rev-parse main)" --label kind=test -o new.data ./new

check() {
	expect_source own touched
	expect_source same 'not touched'
	expect_source comment 'not touched'
	expect_source moved 'not touched'
	expect_source by_macro uses
	[ "$(member by_macro uses)" = TWICE ] || fail "by_macro uses '$(member by_macro uses)'"
	expect_source by_constant uses
	[ "$(member by_constant uses)" = STEPS ] || fail "by_constant uses '$(member by_constant uses)'"
	expect_source by_type uses
	expect_source callee 'not touched'
	[ "$(member callee touched_caller)" = caller ] || fail "callee is called by '$(member callee touched_caller)'"
	expect_source main 'not touched'
	[ "$(member main touched_callee)" ] || fail "main calls touched functions"
}
expect_status 0 "$PERF" diff --json --git HEAD~..HEAD --git-dir repo old.data new.data
check
expect_source small touched
expect_source with_inlined 'not touched'
[ "$(member with_inlined touched_callee)" = small ] || fail "with_inlined calls '$(member with_inlined touched_callee)'"
# --no-inline: the function that has the inlined code has its lines
expect_status 0 "$PERF" diff --json --no-inline --git=HEAD~..HEAD --git-dir repo old.data new.data
check
expect_source with_inlined touched
# backwards, and from within another worktree
(cd old-tree/src && "$PERF" diff --json --git main..main~ ../../new.data ../../old.data) >out || fail "backwards"
expect_source own touched
expect_source comment 'not touched'

# ---- commits that the recordings name ----

expect_status 0 "$PERF" report -i new.data --header-only
expect_text out "# label : kind=test"
(cd repo/src && "$PERF" diff --json --git ../../old.data ../../new.data) >out || fail "labels"
check
"$PERF" merge -o twice.data new.data old.data 2>/dev/null
"$PERF" report -i twice.data --header-only | grep -q '^# label' && fail "inputs of two commits have one label"
"$PERF" record -q -F 1000 -e cpu-clock:u -o bare.data old-tree/old
expect_status 1 "$PERF" diff --json --git --git-dir repo bare.data new.data
expect_text err "'bare.data' does not say of which commit it is"
expect_status 129 "$PERF" record --label "commit=$(printf 'a\nb')" -o x.data true
expect_status 129 "$PERF" record --label nothing -o x.data true

# ---- as text, and for scripts ----

expect_status 0 "$PERF" diff --no-tui --git HEAD~..HEAD --git-dir repo old.data new.data
expect_text out 'changed 5 files, and touched '
expect_status 129 "$PERF" diff --fail-on slower:5,touched,x old.data new.data
expect_status 1 "$PERF" diff --no-tui --fail-on slower:5,touched old.data new.data
expect_text err 'needs --git'
expect_status 0 "$PERF" diff --no-tui --fail-on slower:100000,touched --git HEAD~..HEAD --git-dir repo old.data new.data
expect_status 1 "$PERF" diff --no-tui --git HEAD~..nothing --git-dir repo old.data new.data
expect_text err "'nothing' is no commit of"
expect_status 1 "$PERF" diff --no-tui --git=HEAD --git-dir repo old.data new.data
expect_status 1 "$PERF" diff --no-tui --git --help..HEAD --git-dir repo old.data new.data
expect_status 1 "$PERF" diff --no-tui --git HEAD~..HEAD --git-dir / old.data new.data
expect_text err "'/' is not in a git repository"

# ---- a hostile repository runs nothing ----

cp -r repo hostile
cat >run <<-END
	#!/bin/sh
	touch "$PWD/ran"
END
chmod +x run
mkdir -p hostile/.git/hooks
for hook in post-checkout pre-commit post-index-change reference-transaction fsmonitor-watchman; do
	cp run "hostile/.git/hooks/$hook"
done
for key in core.fsmonitor core.pager core.editor core.sshCommand core.gitProxy core.askPass core.alternateRefsCommand \
	diff.external diff.x.command diff.x.textconv filter.x.clean filter.x.smudge filter.x.process pager.grep pager.ls-tree \
	gpg.program credential.helper alias.ls-tree alias.grep sequence.editor uploadpack.packObjectsHook remote.x.uploadpack \
	interactive.diffFilter; do
	git -C hostile config "$key" "$PWD/run"
done
git -C hostile config core.hooksPath "$PWD/hostile/.git/hooks"
git -C hostile config color.ui always
git -C hostile config log.showSignature true
git -C hostile config core.repositoryformatversion 1
git -C hostile config extensions.partialClone x
git -C hostile config remote.x.url "ext::$PWD/run"
git -C hostile config remote.x.promisor true
git -C hostile config protocol.ext.allow always
git -C hostile config submodule.recurse true
echo '* diff=x filter=x' >hostile/.git/info/attributes
expect_status 0 "$PERF" diff --json --git HEAD~..HEAD --git-dir hostile old.data new.data
check
# an object is missing: it would be fetched
blob=$(git -C repo rev-parse HEAD:include/config.h)
rm -f "hostile/.git/objects/$(echo "$blob" | cut -c1-2)/$(echo "$blob" | cut -c3-)"
expect_status 0 "$PERF" diff --json --git HEAD~..HEAD --git-dir hostile old.data new.data
expect_source own touched
[ ! -e ran ] || fail "the repository ran a program"

# ---- what is no source: large files, links, submodules, names ----

mkdir inner && git init -q inner && echo a >inner/a.c && git -C inner add a.c && git -C inner commit -qm inner
git -C repo submodule --quiet add "$PWD/inner" sub >/dev/null 2>&1
head -c 9000000 /dev/zero | tr '\0' a >repo/large.c
ln -s /etc/passwd repo/link.c
ln -s main.c repo/src/also.c
: >"repo/src/$(printf 'a\033[31mb\nc').c"
echo 'all:' >repo/Makefile
git -C repo add -A && git -C repo commit -qm "$(printf 'odd\033[31m')" || fail "git commit"
expect_status 0 "$PERF" diff --no-tui --git HEAD~2..HEAD --git-dir repo old.data new.data
expect_text out 'the build changed, too (Makefile)'
expect_text out 'a submodule changed, too'
expect_text out '1 of their versions could not be read'
grep -q "$(printf '\033')" out && fail "an escape sequence came through"
expect_status 0 "$PERF" diff --json --git HEAD~2..HEAD --git-dir repo old.data new.data
check
