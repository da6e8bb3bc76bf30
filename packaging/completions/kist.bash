# bash completion for kist(1): nouns and verbs as its help lists them, then files.

_kist() {
  local words=
  case $COMP_CWORD in
    1) words="$("$1" --help | sed -n 's/^  kist \([a-z]*\) .*/\1/p' | uniq) --version" ;;
    2) words=$("$1" "${COMP_WORDS[1]}" --help 2>/dev/null | sed -n 's/^  kist [a-z]* \([a-z-]*\)  .*/\1/p') ;;
  esac
  COMPREPLY=()
  [[ -z $words ]] || mapfile -t COMPREPLY < <(compgen -W "$words --help" -- "${COMP_WORDS[COMP_CWORD]}")
}

complete -o bashdefault -o default -F _kist kist
