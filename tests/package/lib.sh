# For tests/package/*: bare Debian systems in folders, and commands in them. Needs root and debootstrap.
export LC_ALL=C
src=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
passed=0 failed=0 skipped=0

stop() { # text
	echo "$suite: $*" >&2
	exit 2
}

while [ $# -gt 0 ]; do
	case $1 in
	--build) build=$(readlink -f "$2") ;;
	*) stop "unknown option '$1'" ;;
	esac
	shift 2
done
[ -d "$build" ] || stop "name the build folder with --build"
[ "$(id -u)" = 0 ] || stop "needs root, for debootstrap and chroot"
command -v debootstrap >/dev/null || sh "$src/tools/deps" debootstrap || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf --one-file-system "$work"' EXIT
trap 'exit 130' HUP INT TERM
roots=$build/roots # a bare system of each suite, packed; made once
mkdir -p "$roots"

# fresh SUITE FOLDER: unpack a bare system
fresh() {
	if [ ! -e "$roots/$1.tar" ]; then
		debootstrap --variant=minbase "$1" "$work/new" >"$roots/$1.log" 2>&1 || return
		tar -C "$work/new" -cf "$roots/$1.new" . && mv "$roots/$1.new" "$roots/$1.tar" || return
		rm -rf --one-file-system "$work/new"
	fi
	mkdir -p "$2" && tar -C "$2" -xf "$roots/$1.tar" && cp /etc/resolv.conf "$2/etc"
}

# inside FOLDER SCRIPT: run it there. What is mounted is so for the script alone, and ends with it.
inside() {
	# shellcheck disable=SC2016
	unshare --mount sh -ec 'mount -t proc proc "$1/proc"
		mount -t sysfs -o ro sysfs "$1/sys"
		mkdir -p "$1/dev/pts"
		mount -t devpts -o newinstance,ptmxmode=666 devpts "$1/dev/pts"
		exec chroot "$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=xterm LC_ALL=C.UTF-8 \
			DEBIAN_FRONTEND=noninteractive timeout -k 5 900 sh -ec "$2"' sh "$1" "$2" </dev/null
}

# try NAME FOLDER SCRIPT: a test; its output is shown if it fails
try() {
	if inside "$2" "$3" >"$work/log" 2>&1; then
		echo "ok    $1"
		passed=$((passed + 1))
	else
		echo "FAIL  $1: exit status $?"
		tail -n 20 "$work/log" | sed 's/^/      | /'
		failed=$((failed + 1))
	fi
}

skip() { # NAME WHY
	echo "skip  $1: $2"
	skipped=$((skipped + 1))
}

finish() {
	echo "$passed passed, $failed failed, $skipped skipped"
	exit $((failed > 0))
}
