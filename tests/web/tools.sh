# Sourced by tests/web/run and tests/web/large: --perf PERF --build BUILD; the tools, from npm, once, into the build
# folder. Sets src, PERF, build, tools, TOOLS, CHROMIUM.
src=$(cd "$(dirname "$0")/../.." && pwd)
while [ $# -gt 1 ]; do
	case $1 in
	--perf) PERF=$(realpath "$2") ;;
	--build) build=$(realpath "$2") ;;
	esac
	shift 2
done
tools=$build/page-tools
PATH=$PATH:/usr/sbin

for c in node npm chromium cc; do
	command -v "$c" >/dev/null || { echo "$(basename "$0"): '$c' is not installed: apt-get install nodejs npm chromium gcc"; exit 1; }
done
if [ ! -f "$tools/done-3" ]; then
	rm -rf "$tools" && mkdir -p "$tools"
	(cd "$tools" && npm init -y >npm.log 2>&1 && npm install --no-audit --no-fund --ignore-scripts playwright-core@1.48.2 \
		puppeteer-core@23.11.1 axe-core@4.10.2 typescript@5.6.3 speedscope@1.25.0 >>npm.log 2>&1) || { tail "$tools/npm.log"; exit 1; }
	touch "$tools/done-3"
fi
TOOLS=$tools/node_modules CHROMIUM=$(command -v chromium)
export TOOLS CHROMIUM
