# Completion of perf for fish: perf itself says what may follow (perf --complete, builtin-complete.c).

function __perf_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l last $words[-1]
    for line in ($words[1] --complete $words[2..-1] 2>/dev/null)
        set -l start (string split ' ' -- $line)[-1]
        switch $line
            case ':file *' ':folder *'
                set -l before (string sub -l $start -- $last)
                for path in (__fish_complete_path (string sub -s (math $start + 1) -- $last))
                    if string match -q ':folder *' -- $line; and not string match -q '*/*' -- $path
                        continue
                    end
                    echo -- $before$path
                end
            case ':command *'
                complete -C (string join ' ' -- (string escape -- $words[(math $start + 1)..-2]) $last)
            case '*'
                echo -- $line
        end
    end
end

complete -c perf -f -a '(__perf_complete)'
