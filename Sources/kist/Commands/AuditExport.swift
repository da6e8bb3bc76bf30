internal import Audit
internal import Encoding
internal import Evidence
internal import Storage

extension Command {
  static let auditExport = Command(
    name: "audit export",
    summary: "copy a log for an auditor on another machine",
    usage: """
      Usage: kist audit export DIR NEW-DIR --key VKEY|FILE [--policy DIR]
                               [--transcript FILE]... [--json]

      Checks the log, and copies it to a new directory: its segments, its newest
      checkpoint and the last of each segment, the verifier key, and the tree of tiles
      that other transparency tools read (C2SP tlog-tiles). kist audit verify checks
      the copy.

        --key VKEY|FILE    the log's verifier key, or a file that holds it
        --policy DIR       take the policy files of that directory along
        --transcript FILE  take a ceremony's transcript along; may be repeated
        --json             answer in JSON

      The exit codes are those of kist audit verify; nothing is written unless the log
      is good.

      """,
    options: [.value("key"), .value("policy"), .values("transcript"), .json],
    operands: 2...2
  ) { arguments throws(CommandFailure) in
    let (directory, target) = (arguments.operands[0], arguments.operands[1])
    let key = try arguments.required("key")
    try Hardening.prepareForPublicData()
    let exporter = Exporter(LogDirectory(reading: directory), try NoteVerifier.read(key), to: ExportDirectory(target))
    let enclosures = try policyFiles(arguments) + transcripts(arguments)
    do throws(ExportError) {
      let found = try exporter.run(with: enclosures)
      if arguments.has("json") { Output.write(.object(found.members)) } else { Output.write("\(target): \(found.text)") }
    } catch {
      switch error {
      case .notGood(let found): throw CommandFailure(code: found.verdict.exitCode, "\(directory): \(found.verdict.text)")
      case .log: throw .failed("\(target): the copy cannot be read back")
      case .disk(let error): throw .failed("\(target): \(error.text)")
      case .changed: throw .failed("\(directory): it was changed while it was copied")
      }
    }
  }

  private static func policyFiles(_ arguments: Arguments) throws(CommandFailure) -> [Exporter.Enclosure] {
    guard let folder = arguments.value("policy") else { return [] }
    let names: [String]
    do throws(DiskError) { names = try LinuxDisk().list(folder) } catch { throw .failed("\(folder): \(error.text)") }
    return try names.filter { $0.hasSuffix(".toml") && !$0.hasPrefix(".") }.map { (name) throws(CommandFailure) in
      Exporter.Enclosure(.policy, name, try Input(path: folder + "/" + name).contents(limit: enclosureLimit))
    }
  }

  private static func transcripts(_ arguments: Arguments) throws(CommandFailure) -> [Exporter.Enclosure] {
    try arguments.all("transcript").map { (path) throws(CommandFailure) in
      let name = path.split(separator: "/").last.map(String.init) ?? path
      return Exporter.Enclosure(.transcripts, name, try Input(path: path).contents(limit: enclosureLimit))
    }
  }

  /// In bytes.
  private static let enclosureLimit = 1 << 20
}
