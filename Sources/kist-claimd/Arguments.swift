import Format
import Host

enum Arguments {
  private static let usage = """
    Usage: kist-claimd [--config FILE] [--check-config | --make-partitions]
           kist-claimd --print-schema | --version

    For kistd, asks the PostgreSQL server that a fleet shares which tokens this host
    may open. It has no key, and needs none.

      --config FILE      the configuration (default /etc/kist-claimd/claimd.toml)
      --check-config     read and check the configuration, then exit
      --make-partitions  make the table's partitions for the days ahead, drop old
                         ones, and exit; for a timer, with [partitions]' connection
      --print-schema     print the table, its roles and their rights, for psql
      --version          print the version
      -h, --help         print this

    Exit codes are those of sysexits.h; see kist-claimd(8).

    """

  private enum Task { case run, check, makePartitions }

  static func run(_ words: some Sequence<String>) -> ExitCode {
    var path = ClaimdConfiguration.defaultPath
    var task = Task.run
    var rest = Array(words)[...]
    while let word = rest.popFirst() {
      switch word {
      case "-h", "--help": return Diagnostics.answer(usage)
      case "--version": return Diagnostics.answer("kist-claimd \(ProductVersion.text)\n")
      case "--print-schema": return Diagnostics.answer(PostgreSQLSchema.text)
      case "--check-config", "--make-partitions":
        guard task == .run else { return misunderstood("'\(word)' excludes what comes before it") }
        task = word == "--check-config" ? .check : .makePartitions
      case "--config":
        guard let value = rest.popFirst() else { return misunderstood("--config needs a file") }
        path = value
      default: return misunderstood("unknown argument '\(word)'")
      }
    }
    switch task {
    case .run: return Program.run(configuration: path)
    case .check: return Program.check(configuration: path)
    case .makePartitions: return Program.makePartitions(configuration: path)
    }
  }

  private static func misunderstood(_ message: String) -> ExitCode {
    Diagnostics.writeLine("kist-claimd: \(message)\n\n\(usage)")
    return .usage
  }
}
