// kist: the command line for operators, auditors and developers.
// Commands by noun, one table for all; `Shell` has what they share.
// It must not know keys of the daemon: it asks over a socket, or works on a store that nobody
// serves.
// Started by people and their scripts.

import Glibc

@main struct Main {
  static func main() {
    Hardening.holdDescriptors()
    Hardening.leaveEnvironment()
    Hardening.seal()
    // If the reader of a pipe goes away, the command ends with an exit code instead of a signal.
    signal(SIGPIPE, SIG_IGN)
    exit(Dispatch.run(Array(CommandLine.arguments.dropFirst())))
  }
}
