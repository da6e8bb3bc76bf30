// kistd: reads configuration, policy and accounts, and becomes kistd-keys, to which it gives them.
// It knows files and names, and checks them.
// It must not know a key: none is there yet.
// The service manager, the sandbox and people start it.

internal import Glibc
internal import Supervision

@main struct Main {
  static func main() {
    Diagnostics.begin()
    exit(Arguments.run(CommandLine.arguments.dropFirst()).rawValue)
  }
}
