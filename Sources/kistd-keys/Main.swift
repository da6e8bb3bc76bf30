// kistd-keys: holds the keys and serves. kistd starts it, in its own place.
// It takes two words, and starts `Server`.
// It must not know anything else.
// Started by kistd, in its own place.

import Glibc
import Host
import Server

@main struct Main {
  static func main() {
    Diagnostics.begin()
    exit(run(Array(CommandLine.arguments.dropFirst())).rawValue)
  }

  private static func run(_ words: [String]) -> ExitCode {
    if words == ["--version"] { return Diagnostics.answer(Daemon.versions) }
    guard words.first == "--settings", words.count > 1, let descriptor = Int32(words[1]),
      words.dropFirst(2).allSatisfy({ $0 == "--moved" })
    else {
      Diagnostics.writeLine("kistd-keys: it is started by kistd; see kistd(8)")
      return .usage
    }
    return Daemon.run(settings: descriptor, isMoved: words.count > 2)
  }
}
