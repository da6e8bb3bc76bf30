// kistd: reads configuration, policy and accounts, and becomes kistd-keys, to which it gives them.
// It knows files and names, and checks them.
// It must not know a key: none is there yet.
// Started by the service manager, the sandbox and people.

import Glibc
import Host

@main struct Main {
  static func main() {
    Diagnostics.begin()
    exit(Arguments.run(CommandLine.arguments.dropFirst()).rawValue)
  }
}
