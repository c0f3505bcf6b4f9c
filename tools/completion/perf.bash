# Completion of perf for bash: perf itself says what may follow (perf --complete, builtin-complete.c).

# The words before the cursor, as they are separated by blanks: bash also separates them at = and :.
_perf_words() {
	local rest=${COMP_LINE:0:COMP_POINT} i word
	words=()
	for ((i = 0; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if ((i == 0)) || [[ $rest == [[:space:]]* ]]; then
			rest=${rest#"${rest%%[![:space:]]*}"}
			words+=("")
		fi
		((i == COMP_CWORD)) && word=$rest
		words[-1]+=$word
		rest=${rest#"$word"}
	done
}

# Files and folders: "perf --complete" said where the name begins.
_perf_files() { # file|folder, start
	local kind=-f word=${words[-1]} name
	[[ $1 == folder ]] && kind=-d
	local before=${word:0:$2}
	[[ $before == *[=:] ]] && before=
	while IFS= read -r name; do
		COMPREPLY+=("$before$name")
	done < <(compgen "$kind" -- "${word:$2}")
	compopt -o filenames
}

# The words from the given one on are a command line of their own.
_perf_command() {
	if declare -F _comp_command_offset >/dev/null; then
		_comp_command_offset "$1"
	elif declare -F _command_offset >/dev/null; then
		_command_offset "$1"
	elif ((${#words[@]} == $1 + 1)) && [[ ${words[-1]} != */* ]]; then
		mapfile -t COMPREPLY < <(compgen -c -- "${words[-1]}")
	else
		mapfile -t COMPREPLY < <(compgen -f -- "${words[-1]}")
		compopt -o filenames
	fi
}

_perf_complete() {
	local words i line last cut
	_perf_words
	for i in "${!words[@]}"; do
		words[i]=${words[i]#[\"\']} # an open quote
		[[ ${words[i]} == *[\"\'] ]] && words[i]=${words[i]%?}
	done
	last=${words[-1]}
	cut=${last%"${last##*[=:]}"} # bash replaces what follows
	COMPREPLY=()
	while IFS= read -r line; do
		case $line in
		:file\ * | :folder\ *) _perf_files "${line:1:-2}" "${line##* }" ;;
		:command\ *) _perf_command "${line#* }" ;;
		*)
			line=${line%%$'\t'*}
			COMPREPLY+=("${line#"$cut"}")
			;;
		esac
	done < <("${words[0]/#\~\//$HOME/}" --complete "${words[@]:1}" 2>/dev/null)
}

complete -F _perf_complete perf
