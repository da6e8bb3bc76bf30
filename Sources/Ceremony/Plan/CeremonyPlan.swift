package import Configuration
package import Crypto
import Format

/// A ceremony as it was reviewed: everything in its file, and nothing else.
package struct CeremonyPlan: Sendable {
  /// The ceremony's own name, such as `acme-2026-1`.
  package let id: String
  package let purpose: String
  /// The day it is planned for, such as `2026-12-01`.
  package let date: String
  package let store: StorePlace
  /// The `kist` that is to run it, and every library that it loads.
  package let software: [LoadedFile]
  package let policy: ReviewedPolicy?
  package let people: People
  /// How many of the witnesses must sign the transcript.
  package let quorum: Int
  package let steps: [any CeremonyStep]
  /// The file itself, and its SHA-256.
  package let text: [UInt8]
  package let digest: Digest256

  package static let stepLimit = 64

  /// - Throws: `ConfigurationError`, with its place, for anything unknown, missing, unsuitable or
  ///   against a rule.
  package static func decode(_ text: [UInt8], file: String) throws(ConfigurationError)
    -> CeremonyPlan
  {
    try TOMLDocument.decode(text, file: file) { root throws(ConfigurationError) in
      try CeremonyPlan(root, text)
    }
  }

  package static func load(_ path: String) throws(ConfigurationError) -> CeremonyPlan {
    try decode(TextFile.read(path), file: path)
  }

  /// The names of all files that the steps write, in order.
  package var outputs: [String] { steps.flatMap(\.outputs) }

  /// The name of the daemon's future audit log, if the plan gives one.
  package var auditOrigin: String? { (steps.first as? InitialiseStep)?.auditOrigin }

  /// Whether it makes a new key store, whose audit log begins with it.
  var makesStore: Bool { steps.first is InitialiseStep }

  /// Whether it begins without a key store.
  var beginsWithoutStore: Bool { makesStore || steps.first is RestoreStep }

  private init(_ root: TOMLTable, _ text: [UInt8]) throws(ConfigurationError) {
    self.text = text
    digest = SHA256.hash(text)
    // If a key is misspelt, another is missing because of that, so the misspelt one is shown first.
    for key in Self.keys { _ = root.optional(key) }
    try root.finish()
    id = try root.text("id", Self.expectedID) { Self.isID($0) ? $0 : nil }
    purpose = try root.required("purpose", "what this ceremony is for").line()
    date = try root.text("date", Self.expectedDate) {
      Timestamp($0 + "T00:00:00Z") == nil ? nil : $0
    }
    store = try StorePlace(
      root.required("store", "the path of the key store, such as \"/var/lib/kist/keys\""))
    software = try Self.software(root)
    policy = try root.optional("policy")?.decodeTable(ReviewedPolicy.init)
    let people = try People(root)
    self.people = people
    let quorumNode = try root.required("witness_quorum", "how many witnesses must sign")
    quorum = try quorumNode.integer(in: 1...People.limit)
    guard quorum <= people.witnesses.count else {
      throw quorumNode.unfit(
        "\(quorum)", "at most the \(people.witnesses.count) witnesses there are")
    }
    var rules = StepRules()
    steps = try root.sections("step") { table throws(ConfigurationError) in
      let step = try table.step(people)
      try rules.take(step, table)
      return step
    }
    guard (1...Self.stepLimit).contains(steps.count) else {
      throw root.error("expected 1 to \(Self.stepLimit) tables under [[step]]")
    }
  }

  private static let keys = [
    "id", "purpose", "date", "store", "software", "policy", "person", "witness_quorum", "step",
  ]
  private static func software(_ root: TOMLTable) throws(ConfigurationError) -> [LoadedFile] {
    let expected = "lines of sha256sum, of kist and every library that it loads"
    let node = try root.required("software", expected)
    var files: [LoadedFile] = []
    for line in try node.array(expected) {
      files.append(try line.text(expected) { LoadedFile(line: $0) })
    }
    guard (1...softwareLimit).contains(files.count), Set(files.map(\.path)).count == files.count
    else {
      throw node.unfit("\(files.count) lines", "1 to \(softwareLimit), each of another file")
    }
    return files
  }

  private static let softwareLimit = 64
  private static let expectedID =
    "a name of its own, of 1 to 64 of a-z, 0-9, '.' and '-', such as \"acme-2026-1\""
  private static let expectedDate = "a day such as \"2026-12-01\""

  private static func isID(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count) && text.utf8.first != UInt8(ascii: ".")
      && text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy(Person.isName)
  }
}

extension TOMLNode {
  /// A line of text for people.
  func line() throws(ConfigurationError) -> String {
    try text("one printable line of 1 to 256 bytes") { text in
      (1...256).contains(text.utf8.count) && Printable.isLine(text) ? text : nil
    }
  }
}

extension CeremonyPlan {
  /// The file's hash as lines of eight words, to be read aloud.
  package var words: [String] {
    stride(from: 0, to: 32, by: 8).map { PGPWords.encode(digest.span.extracting($0..<$0 + 8)) }
  }
}

/// Where a key store is: a directory's name in its parent.
package struct StorePlace: Hashable, Sendable {
  package let parent, name: String

  package var path: String { parent + "/" + name }

  package init(parent: String, name: String) {
    self.parent = parent
    self.name = name
  }

  /// - Parameter path: absolute and in normal form, below the root.
  package init?(_ path: String) {
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex,
      path.index(after: slash) < path.endIndex
    else { return nil }
    self.init(parent: String(path[..<slash]), name: String(path[path.index(after: slash)...]))
  }

  init(_ node: TOMLNode) throws(ConfigurationError) {
    let path = try node.path()
    guard let place = StorePlace(path) else {
      throw node.unfit("\"\(path)\"", "the path of a key store, such as \"/var/lib/kist/keys\"")
    }
    self = place
  }
}

/// The policy files that were reviewed with a ceremony.
package struct ReviewedPolicy: Sendable {
  package let directory: String
  /// As `kist policy check` prints it.
  package let digest: Digest256

  init(_ table: TOMLTable) throws(ConfigurationError) {
    directory = try table.optional("directory")?.path() ?? PolicyDirectory.defaultPath
    digest = try table.required("sha256", TOMLNode.expectedDigest).sha256()
  }
}

extension TOMLNode {
  func sha256() throws(ConfigurationError) -> Digest256 {
    let digits = try digest()
    guard let digest = Digest256(hex: digits) else { throw unfit(digits, Self.expectedDigest) }
    return digest
  }
}

/// The numbered script of a ceremony, as it is printed, reviewed and followed.
package struct Script: Sendable {
  package let text: String

  package init(_ plan: CeremonyPlan) {
    var lines = [
      "Ceremony  \(plan.id)", "Purpose   \(plan.purpose)", "Date      \(plan.date)",
      "Store     \(plan.store.path)",
    ]
    lines += plan.software.enumerated().map {
      ($0 == 0 ? "Software  " : "          ") + "\($1.value)  \($1.path)"
    }
    if let policy = plan.policy {
      lines += ["Policy    \(policy.digest.hex)", "          \(policy.directory)"]
    }
    lines +=
      ["File      \(plan.digest.hex)"] + plan.words.map { "          " + $0 } + ["", "People"]
    for person in plan.people.all {
      lines.append(
        "  \(person.name): \(person.roleText)" + (person.key.map { "; \($0.text)" } ?? ""))
    }
    lines += ["", "Steps", "  0. roll call, and the hash of this file read aloud"]
    for (index, step) in plan.steps.enumerated() {
      lines.append("  \(index + 1). \(type(of: step).kind)")
      lines += step.script.map { "     - " + $0 }
    }
    lines += [
      "  \(plan.steps.count + 1). the transcript is closed",
      "     - at least \(plan.quorum) of \(plan.people.witnesses.map(\.name).joined(separator: ", ")) sign its checkpoint",
    ]
    lines += ["", "Outputs"] + (plan.outputs.isEmpty ? ["  none"] : plan.outputs.map { "  " + $0 })
    text = lines.joined(separator: "\n") + "\n"
  }
}
