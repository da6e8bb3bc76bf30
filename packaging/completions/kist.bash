# bash completion for kist(1): nouns and verbs, then files.

_kist() {
  local words=
  case $COMP_CWORD in
    1) words='status doctor unlock lock share backup restore drill approve ping describe who inventory keystore key ceremony token envelope primitive pan pass otp policy audit sandbox --help --version' ;;
    2)
      case ${COMP_WORDS[1]} in
        share) words='verify progress --help' ;;
        keystore) words='init credential --help' ;;
        key) words='generate import csr attach list show export activate suspend resume retire compromise destroy rotate --help' ;;
        ceremony) words='plan rehearse run resume verify --help' ;;
        token) words='open verify diagnose --help' ;;
        envelope) words='open --help' ;;
        primitive) words='seal unseal sign verify mac verify-mac ecdh kdf unwrap --help' ;;
        pan) words='tokenise detokenise --help' ;;
        pass) words='provision trace --help' ;;
        otp) words='sign verify reset --help' ;;
        policy) words='check explain show test diff simulate suggest swap --help' ;;
        audit) words='verify export prove prune compress checkpoint cosign tail show digest report review key --help' ;;
        sandbox) words='init run token pass-request pass-open --help' ;;
      esac
      ;;
  esac
  COMPREPLY=()
  [[ -z $words ]] || mapfile -t COMPREPLY < <(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}")
}

complete -o bashdefault -o default -F _kist kist
