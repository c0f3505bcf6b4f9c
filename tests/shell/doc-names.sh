# what a page names in backticks is there: files, folders, functions, types, make targets, perf's commands and options
. "$PERF_SRC/tests/lib.sh"
cd "$PERF_SRC"

# Print the names of a page as lines "LINE:TEXT". From blocks between ```, print commands of make and perf only.
names() { # PAGE
	awk '/^ *```/ { block = !block; next }
		!block { n = split($0, t, "`"); for (i = 2; i <= n; i += 2) print NR ":" t[i]; next }
		match($0, /(^|[ \/])perf [a-z]/) { print NR ":" substr($0, RSTART + (RLENGTH > 6)) }
		/^ *make [a-z]/ { sub(/^ */, ""); print NR ":" $0 }' "$1"
}

# Does a file exist? Words in capitals, such as NAME, stand for any text.
exists() { # PATH, from the top or from util/; or the name of a file in any folder
	set -- "$(printf '%s' "${1%/}" | sed -E 's/[A-Z]{3,}/*/g')"
	for there_ in $1 $1.c util/$1; do
		[ ! -e "$there_" ] || return 0
	done
	case $1 in
	*/*) return 1 ;;
	*) [ -n "$(find perf.c builtin* util tests tools demo Documentation -name "$1" | head -n 1)" ] ;;
	esac
}

sources() { find . -path ./build -prune -o -name '*.[ch]' -exec cat {} +; }
sources | tr -cs 'A-Za-z0-9_' '\n' | awk '!seen[$0]++' >"$OLDPWD/words"
sources | grep -oE '\<(struct|enum|union) [a-z_0-9]+' | awk '!seen[$0]++' >"$OLDPWD/types"
sed -n 's/^\([a-z][a-z0-9-]*\):.*/\1/p' Makefile >"$OLDPWD/targets"
for c in $("$PERF" --list-cmds); do
	"$PERF" "$c" --list-opts=all | awk -F'\t' -v c="$c" '{ print c " " $1; print c " " $2 }' || :
done | grep -v ' -$' >"$OLDPWD/options"

# Words that begin with "-" are options of "perf COMMAND", up to the end of the command or "--".
check_command() { # WORDS
	c=$2
	"$PERF" --list-cmds | tr ' ' '\n' | grep -qx -e "$c" || return 0 # stock perf's
	shift 2
	for w; do
		case $w in
		-- | [\|\>\&\;\#]*) return 0 ;;
		--*) o=${w%%=*} ;;
		-[a-zA-Z]*) o=$(printf '%.2s' "$w") ;;
		*) continue ;;
		esac
		grep -qxF -e "$c $o" "$OLDPWD/options" || grep -qxF -e "$c --${o#--no-}" "$OLDPWD/options" ||
			[ "$o" = -h ] || [ "$o" = --help ] || { echo "perf $c has no option $o"; return 1; }
	done
}

nr=0
bad=
for page in *.md Documentation/*.md; do
	[ "$page" != CHANGELOG.md ] || continue # tells of what was there once
	names "$page" >"$OLDPWD/names"
	while IFS= read -r line; do
		text=${line#*:}
		first=${text%% *}
		why=
		case $text in
		"struct thing" | *count.sh | *count.[c1] | cmd_count) continue ;; # examples of pages
		"make "[a-z]*)
			t=${text#make }
			grep -qx -e "${t%% *}" "$OLDPWD/targets" || why="the Makefile has no such target" ;;
		"perf "[a-z]*)
			set -f
			# shellcheck disable=SC2086
			why=$(check_command $text) || :
			set +f ;;
		"struct "* | "enum "* | "union "*)
			grep -qxF -e "$text" "$OLDPWD/types" || why="no such type" ;;
		util/* | tests/* | tools/* | demo/* | Documentation/* | .ci/*)
			exists "$first" || why="no such file" ;;
		*/*.[ch])
			case $text in
			[a-z]*) exists "$text" || why="no such file" ;;
			*) continue ;;
			esac ;;
		*__*)
			f=${text%%(*}
			case $f in
			__* | object__verb | thing__verb | *[!a-z0-9_]*) continue ;;
			esac
			grep -qxF -e "$f" "$OLDPWD/words" || why="no such function" ;;
		*[!a-zA-Z0-9_.]*) continue ;;
		*.[ch] | *.sh)
			exists "$text" || why="no such file" ;;
		*) continue ;;
		esac
		nr=$((nr + 1))
		[ -z "$why" ] || { echo "$page:${line%%:*}: $text: $why"; bad=1; }
	done <"$OLDPWD/names"
done
[ -z "$bad" ]
[ "$nr" -ge 150 ] || fail "only $nr names were found"
