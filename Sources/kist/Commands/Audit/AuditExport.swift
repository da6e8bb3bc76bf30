import Audit
import Ceremony
import Configuration
import Format
import Host
import Policy
import Review

extension Command {
  static let auditExport = Command(
    name: "audit export",
    summary: "copy a log for an auditor on another machine",
    usage: """
      Usage: kist audit export DIR NEW-DIR --key VKEY|FILE [--policy DIR]
                               [--transcript PATH]... [--json]

      Checks the log, and copies it to a new directory: its segments, its newest
      checkpoint and the last one of each segment, the verifier key, and the tree of
      tiles that other transparency tools read (C2SP tlog-tiles). kist audit verify
      checks the copy.

        --key VKEY|FILE    the log's verifier key, or a file that holds it
        --policy DIR       add the policy of that directory, as kist policy show
                           prints it; the log must name it
        --transcript PATH  add a ceremony's directory, or a file; may be repeated
        --json             answer in JSON

      The exit codes are those of kist audit verify; nothing is written unless the log
      is good.

      """,
    options: ["key", "policy", .values("transcript"), .json],
    operands: 2...2
  ) { arguments throws(CommandFailure) in
    let directory = arguments.operands[0]
    let target = arguments.operands[1]
    let key = try arguments.verifierKey()
    try Hardening.prepareForPublicData()
    let exporter = Exporter(
      LogDirectory(reading: directory), try NoteVerifier.read(key), to: ExportDirectory(target))
    let enclosures = try policyFiles(arguments) + transcripts(arguments)
    do throws(ExportError) {
      let found = try exporter.run(with: enclosures)
      arguments.answer(found.json, "\(target): \(found.text)")
    } catch {
      switch error {
      case .notGood(let found):
        throw CommandFailure(code: found.verdict.exitCode, "\(directory): \(found.verdict.text)")
      case .log: throw .failed("\(target): the copy cannot be read back")
      case .disk(let error):
        throw .failed(
          "\(target): \(error.text); an export needs a new directory: remove this one, or name another"
        )
      case .changed: throw .failed("\(directory): it was changed while it was copied")
      case .unknownPolicy:
        throw .failed(
          "\(arguments.value("policy") ?? ""): a policy that the log does not name: has the daemon not loaded these files yet?"
        )
      }
    }
  }

  private static func policyFiles(_ arguments: Arguments) throws(CommandFailure) -> [Exporter
    .Enclosure]
  {
    guard let folder = arguments.value("policy") else { return [] }
    return [
      Exporter.Enclosure(
        .policy, "policy.toml", Array(try PolicyDirectory.read(folder).canonicalText.utf8))
    ]
  }

  private static func transcripts(_ arguments: Arguments) throws(CommandFailure) -> [Exporter
    .Enclosure]
  {
    var names: Set<String> = []
    return try arguments.all("transcript").map {
      (path) throws(CommandFailure) -> [Exporter.Enclosure] in
      let name = path.split(separator: "/").last.map(String.init) ?? ""
      guard !["", ".", ".."].contains(name) else {
        throw .usage("--transcript takes a path that ends in a name, not '\(path)'")
      }
      guard names.insert(name).inserted else {
        throw .usage("two transcripts are called '\(name)'")
      }
      guard let contents = try? LinuxDisk().list(path) else { return [try transcript(path, name)] }
      guard contents.contains(CeremonyDirectory.planName) else {
        throw .failed(
          "\(path): not a ceremony's directory: it has no \(CeremonyDirectory.planName)")
      }
      return try files(contents, of: path, name)
    }.flatMap { $0 }
  }

  /// All files of a directory and of those in it; nobody named them, so links among them are
  /// refused.
  private static func files(_ names: [String], of directory: String, _ name: String)
    throws(CommandFailure) -> [Exporter.Enclosure]
  {
    try names.map { (inner) throws(CommandFailure) in
      try found(directory + "/" + inner, name + "/" + inner)
    }.flatMap { $0 }
  }

  private static func found(_ path: String, _ name: String) throws(CommandFailure) -> [Exporter
    .Enclosure]
  {
    do throws(StorageError) {
      return [
        Exporter.Enclosure(
          .transcripts, name, try DurableFile.read(path, limit: transcriptLimit, on: LinuxDisk()))
      ]
    } catch {
      guard error == .disk(.notRegular), let names = try? LinuxDisk().list(path) else {
        throw CommandFailure(code: CommandFailure.noInput, "\(path): \(error.text)")
      }
      return try files(names, of: path, name)
    }
  }

  private static func transcript(_ path: String, _ name: String) throws(CommandFailure)
    -> Exporter.Enclosure
  {
    Exporter.Enclosure(.transcripts, name, try Input(path: path).contents(limit: transcriptLimit))
  }

  /// In bytes; a sitting's log is one segment.
  private static let transcriptLimit = 16 << 20
}
