internal import Glibc

@main struct Main {
  static func main() {
    Hardening.leaveEnvironment()
    Hardening.seal()
    // A reader that goes away ends the command with an exit code.
    signal(SIGPIPE, SIG_IGN)
    exit(Dispatch.run(Array(CommandLine.arguments.dropFirst())))
  }
}
