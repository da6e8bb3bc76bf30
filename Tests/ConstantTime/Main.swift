import Crypto
import Glibc
import Host

/// `constant-time CASE` runs one case, for valgrind to watch; `constant-time --time CASE` measures
/// two classes of input; without arguments it lists both. `scripts/constant-time.sh` runs all.
@main enum Main {
  static func main() throws {
    try SecretArena.install(capacity: 4 << 20, allowMlockFallback: true)
    try CryptoBackend.start(arena: true)
    let words = CommandLine.arguments.dropFirst()
    switch words.count {
    case 0: list()
    case 1: try run(words.first)
    case 2 where words.first == "--time": try time(words.last)
    default: exit(64)
    }
  }

  private static func list() {
    for name in watched.keys.sorted() { print("watch \(name)") }
    for name in timed.keys.sorted() { print("time \(name)") }
  }

  private static func run(_ name: String?) throws {
    guard let body = name.flatMap({ watched[$0] }) else { exit(64) }
    try body()
  }

  /// Prints the largest t; whoever calls it judges.
  private static func time(_ name: String?) throws {
    guard let make = name.flatMap({ timed[$0] }) else { exit(64) }
    let classes = try make()
    print(try Welch.largest(of: classes))
  }
}
