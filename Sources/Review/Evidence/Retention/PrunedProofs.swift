internal import Audit
internal import Host

/// The proofs in a log's `pruned/` by which a checkpoint that is older than the oldest record is still compared with the log [AUD-PROOF-4].
struct PrunedProofs {
  private let log: LogDirectory
  private let folder: String

  init(_ log: LogDirectory) { (self.log, folder) = (log, log.path + "/" + Self.folderName) }

  static let folderName = "pruned"

  /// Replaces those of the same names.
  func write(_ proofs: [GrowthProof]) throws(DiskError) {
    for proof in proofs {
      try DurableFile.replace(Name(proof).text, in: folder, with: proof.text.span, mode: 0o644, on: log.disk)
    }
  }

  /// The file names.
  var names: [String] { all.map(\.text) }

  func contents(_ name: String) throws(StorageError) -> [UInt8] {
    try DurableFile.read(folder + "/" + name, limit: GrowthProof.byteLimit, on: log.disk)
  }

  /// Follows true proofs from a tree head, which the caller trusts, to that of `size` records.
  ///
  /// - Returns: nil if they do not lead there.
  func head(from old: TreeHead, to size: UInt64, _ verifier: NoteVerifier) -> TreeHead? {
    var head = old
    while head.size < size {
      // The one that leads furthest.
      let next = all.filter { $0.old == head.size && (head.size + 1...size).contains($0.new) }.max { $0.new < $1.new }
      guard let next, let text = try? contents(next.text), let proof = try? GrowthProof(parsing: text.span),
        proof.note.checkpoint.head.size == next.new, (try? proof.isTrue(verifier, from: head)) == true
      else { return nil }
      head = proof.note.checkpoint.head
    }
    return head
  }

  private var all: [Name] { ((try? log.disk.list(folder)) ?? []).compactMap(Name.init) }

  /// `OLD-NEW`, two numbers of records.
  private struct Name {
    let old, new: UInt64

    init(_ proof: GrowthProof) { (old, new) = (proof.oldSize, proof.note.checkpoint.head.size) }

    init?(_ text: String) {
      let sizes = text.split(separator: "-").compactMap { UInt64($0) }
      guard sizes.count == 2 else { return nil }
      (old, new) = (sizes[0], sizes[1])
      guard self.text == text else { return nil }
    }

    var text: String { "\(old)-\(new)" }
  }
}
