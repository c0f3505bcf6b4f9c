#compdef perf
# Completion of perf for zsh: perf itself says what may follow (perf --complete, builtin-complete.c).

local -a lines found
local line start

lines=("${(@f)$(_call_program perf ${(q)words[1]} --complete ${(q)words[2,CURRENT-1]} ${(q)PREFIX} 2>/dev/null)}")
for line in $lines; do
	start=${line##* }
	case $line in
	(:file\ *) compset -p $start; _files; return ;;
	(:folder\ *) compset -p $start; _files -/; return ;;
	(:command\ *)
		shift $start words
		(( CURRENT -= start ))
		_normal -p perf
		return
		;;
	esac
	line=${line//:/\\:}
	found+=("${line/$'\t'/:}") # _describe takes NAME:HELP
done
(( $#found )) && _describe -t values perf found
