# The version comes from CHANGELOG.md; Debian's changelog has the same, and its package needs what tools/deps installs
. "$PERF_SRC/tests/lib.sh"
version=$(sh "$PERF_SRC/tools/version")
"$PERF" version >out
grep -qx "perf version $version\(\.g[0-9a-f]*\)\?" out || fail "perf version is not $version: $(cat out)"
debian=$(sed -n '1s/^perf-new (\(.*\)) .*/\1/p' "$PERF_SRC/debian/changelog")
[ "$debian" = "$(sh "$PERF_SRC/tools/version" --debian)" ] || fail "debian/changelog is of '$debian', CHANGELOG.md of $version"

# In a tree of its own: a release, the next version, no version
mkdir tools
cp "$PERF_SRC/tools/version" tools
printf '# Changes\n\n## 1.10 (2027-01-02)\n\n## 1.9\n' >CHANGELOG.md
[ "$(sh tools/version --commit) $(sh tools/version --debian)" = '1.10 1.10' ] || fail "a release: $(sh tools/version --commit)"
if command -v git >/dev/null; then
	git_() { git -c user.name=x -c user.email=x@x -c init.defaultBranch=x "$@" >/dev/null 2>&1; }
	git_ init && git_ add . && git_ commit -m x || fail "no repository"
	commit=$(git rev-parse --short HEAD)
	[ "$(sh tools/version --commit)" = "1.10.g$commit" ] || fail "before the tag: $(sh tools/version --commit)"
	git_ tag v1.10
	[ "$(sh tools/version --commit)" = 1.10 ] || fail "the tagged commit: $(sh tools/version --commit)"
	sed -i 's/(2027.*)/(not released yet)/' CHANGELOG.md
	git_ commit -am y && commit=$(git rev-parse --short HEAD)
	[ "$(sh tools/version --commit)" = "1.10.dev.g$commit" ] || fail "not released: $(sh tools/version --commit)"
fi
echo '# Changes' >CHANGELOG.md
expect_status 1 sh tools/version
expect_text err "no line '## VERSION' in CHANGELOG.md"

# What the package is built with: everything that tools/deps installs but tools and what tests need
sh "$PERF_SRC/tools/deps" --list | grep -e -dev -e pkg-config | grep -v -e libc6-dev -e libcmocka -e libunwind | sort >needed
sed -n '/^Build-Depends/,/^Standards/p' "$PERF_SRC/debian/control" | tr -s ' ,' '\n' | grep -e -dev -e pkg-config | sort >named
cmp -s needed named || fail "debian/control and tools/deps name other packages: $(diff needed named)"
