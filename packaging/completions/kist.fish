# fish completion for kist(1): nouns and verbs as its help lists them, then files.

function __kist_nouns
    kist --help | string replace --regex --filter '^  kist ([a-z]+)(?:  +(.*)| .*)$' '$1\t$2' | uniq
end

function __kist_verbs
    set --local words (commandline --tokenize --cut-at-cursor --current-process)
    test (count $words) -eq 2; and kist $words[2] --help 2>/dev/null | string replace --regex --filter '^  kist [a-z]+ ([a-z-]+)  +(.*)$' '$1\t$2'
end

complete --command kist --no-files --condition __fish_use_subcommand --arguments '(__kist_nouns)'
complete --command kist --no-files --condition 'test -n "$(__kist_verbs)"' --arguments '(__kist_verbs)'
