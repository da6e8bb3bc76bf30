// kistd: the daemon's command line.
// It parses arguments and starts `Server`.
// It must not know anything else.

internal import Glibc
internal import Server
internal import Supervision

@main struct Main {
  static func main() {
    Diagnostics.begin()
    exit(Arguments.run(CommandLine.arguments.dropFirst()).rawValue)
  }
}
