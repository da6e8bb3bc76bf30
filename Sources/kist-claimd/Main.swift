// kist-claimd: asks the fleet's store for claims, for the kistd of this host; the program's command
// line.
// It starts the connection to kistd and the store's thread, and tells the service manager how it
// goes.
// It must not know a key, or what a claim stands for.
// Started by the service manager, beside a kistd of a fleet.

import Glibc
import Host

@main struct Main {
  static func main() {
    Diagnostics.begin()
    exit(Arguments.run(CommandLine.arguments.dropFirst()).rawValue)
  }
}
