internal import Glibc

@main struct Main {
  static func main() {
    Hardening.leaveEnvironment()
    Hardening.seal()
    // If the reader of a pipe goes away, the command ends with an exit code instead of a signal.
    signal(SIGPIPE, SIG_IGN)
    exit(Dispatch.run(Array(CommandLine.arguments.dropFirst())))
  }
}
