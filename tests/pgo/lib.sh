# For the scripts of tests/pgo/cases/: . "$PERF_SRC/tests/pgo/lib.sh"
. "$PERF_SRC/tests/lib.sh"

figure() { # text: is printed though the case passes
	echo "# $*"
}

# need COMMAND PACKAGE...: install the packages unless the command is there; without root or network the case is skipped
need() {
	command -v "$1" >/dev/null && return
	command_=$1
	shift
	[ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || skip "'$command_' is missing: sudo apt-get install $*"
	get_="env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=300 install --no-install-recommends $*"
	$get_ >/dev/null 2>&1 || { apt-get -qq update && $get_; } >/dev/null 2>&1 || skip "cannot install $*"
}

# suite SUITE PACKAGE...: leaves in $root a bare Debian of that suite with these packages, which is kept for the next time
suite() {
	root=$PGO_ROOTS/$1
	[ "$(id -u)" = 0 ] || skip "a root of '$1' needs root"
	need debootstrap debootstrap
	[ -e "$root/etc/debian_version" ] || {
		debootstrap --variant=minbase "$1" "$root.new" "${MIRROR:-http://deb.debian.org/debian}" || skip "cannot get '$1'"
		mv "$root.new" "$root"
	}
	shift
	# sid's archive may be older here than its date allows
	chroot "$root" sh -c "dpkg -s $* >/dev/null 2>&1 || { apt-get -qq -o Acquire::Check-Valid-Until=false update &&
		DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install $*; }" || skip "cannot install $*"
}

# llvm_program NAME: print the path of LLVM's program of that name, of the newest version; nothing if there is none. It
# is that in LLVM's own folder: perf2bolt must have exactly this name to be perf2bolt.
llvm_program() {
	for program_ in $(command -v "$1") $(ls -d /usr/lib/llvm-*/bin/"$1" 2>/dev/null | sort -t- -k2 -Vr); do
		echo "$program_"
		return
	done
}

# Leaves in $stepper a built step_branches.
need_stepper() {
	[ "$(uname -m)" = x86_64 ] || skip "branches are stepped on x86-64 only"
	stepper=$PWD/step_branches
	$CC -O2 -o "$stepper" "$PERF_SRC/tests/pgo/step_branches.c"
}
