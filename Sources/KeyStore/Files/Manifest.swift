package import Crypto
import Format
import Host

/// The contents of a store: in every change its file is written last, and it alone says which other
/// files count. [KS-MANIFEST]
package struct Manifest: Equatable, Sendable {
  /// Goes up by one with every write; 1 in a new store.
  var generation: Int64
  package internal(set) var anchor: AuditAnchor
  package let kek: KeyCheckValue
  /// Nil under the store's first KEK.
  let resealing: Resealing?
  let kind: StoreKind
  /// How many registers of custodians were written: one with a lower number is outdated.
  /// [KS-CUSTODIANS]
  var registers: Int
  /// The machine on which the store was last opened; nil before the first opening or if it was
  /// unknown. [KS-MACHINE]
  var machine: Digest256?
  /// The changes that the audit log may have no record of. [KS-UNRECORDED]
  var unrecorded: [UnrecordedChange] = []
  /// The copy that the store came from, until a daemon has recorded that. [KS-RESTORE-MARK]
  var restored: RestoredCopy?
  /// The keys that left it after they were destroyed. [KS-FORMER]
  var former: FormerKeys
  /// In ascending order of id.
  private(set) var entries: [ManifestEntry] = []

  package init(
    generation: Int64, anchor: AuditAnchor, kek: KeyCheckValue, resealing: Resealing?,
    kind: StoreKind, registers: Int, machine: Digest256? = nil,
    unrecorded: [UnrecordedChange] = [], restored: RestoredCopy? = nil, former: FormerKeys = .none,
    keys: some Sequence<KeyRecord> = []
  ) {
    self.generation = generation
    self.anchor = anchor
    self.kek = kek
    self.resealing = resealing
    self.kind = kind
    self.registers = registers
    self.machine = machine
    self.unrecorded = unrecorded
    self.restored = restored
    self.former = former
    entries = keys.map(ManifestEntry.init)
  }

  package var keys: some RandomAccessCollection<KeyRecord> { entries.lazy.map(\.record) }

  /// The first record of the log that an unlocking reads: what happened before it is in the
  /// manifest. [KS-RESTORE-STATE]
  var readFrom: UInt64 {
    let listed = unrecorded.compactMap(\.auditSize)
    let counted = keys.filter { $0.state != .destroyed }.map(\.uses.auditSize)
    return (listed + counted).reduce(anchor.size, min)
  }

  /// How many times the KEK was changed.
  package var kekNumber: Int { resealing?.number ?? 0 }

  /// Names of obsolete files that an interrupted change may have left: those under the previous or
  /// the next KEK, and the files of destroyed keys. [KS-KEK-NUMBER] [KS-DESTROY]
  var leftovers: Set<String> {
    let destroyed = keys.filter { $0.state == .destroyed }.flatMap {
      [StoreFile.block($0.id), .counter($0.id), .ledger($0.id)]
    }
    var names = Set(destroyed.map { $0.name(under: kekNumber) })
    for number in [kekNumber - 1, kekNumber + 1] where number >= 0 {
      names.formUnion([StoreFile.passphrase, .custodians].map { $0.name(under: number) })
      for key in keys {
        names.formUnion(
          [StoreFile.block(key.id), .counter(key.id), .ledger(key.id)].map {
            $0.name(under: number)
          })
      }
    }
    return names
  }

  /// Whether a file that the manifest does not list is one of the `leftovers`, or an earlier or
  /// unfinished certificate of a key.
  func isLeftover(_ name: String) -> Bool {
    leftovers.contains(name) || keys.contains { StoreFile.isCertificate(name, of: $0.id) }
  }

  /// Every file that the manifest lists, and those that belong beside it.
  var files: [StoreFile] {
    [.lock, .restored, .former] + copied
  }

  /// The files that belong into a copy: all that hold the store's contents and progress.
  package var copied: [StoreFile] {
    keys.reduce(into: [.manifest, .passphrase, .custodians] + (former.count > 0 ? [.former] : [])) {
      files, key in
      if key.state != .destroyed { files += [.block(key.id), .counter(key.id)] }
      if let certificate = key.certificate {
        files.append(.certificate(key.id, certificate.digest))
      }
      if key.state != .destroyed, key.role.keepsLedger { files.append(.ledger(key.id)) }
    }
  }

  func has(_ id: KeyID) -> Bool { has(id, at: place(of: id)) }

  func has(_ label: KeyLabel) -> Bool { entries.contains { $0.record.label == label } }

  package mutating func insert(_ record: KeyRecord) {
    entries.insert(ManifestEntry(record), at: place(of: record.id))
  }

  mutating func replace(_ record: KeyRecord) {
    let place = place(of: record.id)
    if has(record.id, at: place) { entries[place] = ManifestEntry(record) }
  }

  /// Takes out the keys that were destroyed until `time`, unless the log may have no record of
  /// that. [KS-FORMER]
  ///
  /// - Returns: their ids, for which `StoreFile.former` has room.
  mutating func takeDestroyed(until time: Timestamp) -> [KeyID] {
    let awaited = Set(unrecorded.compactMap(\.kind.key))
    let gone = keys.filter { $0.destroyed.map { $0 <= time } ?? false && !awaited.contains($0.id) }
      .map(\.id).prefix(former.room)
    guard !gone.isEmpty else { return [] }
    let left = Set(gone)
    entries.removeAll { left.contains($0.record.id) }
    return Array(gone)
  }

  private func has(_ id: KeyID, at place: Int) -> Bool {
    place < entries.endIndex && entries[place].record.id == id
  }

  /// The index of a key's record, existing or not. A binary search, since saving the counts looks
  /// up every record.
  private func place(of id: KeyID) -> Int {
    var first = entries.startIndex
    var end = entries.endIndex
    while first < end {
      let middle = (first + end) / 2
      if entries[middle].record.id < id { first = middle + 1 } else { end = middle }
    }
    return first
  }
}

extension Manifest {
  private static let format = "kist-keys/v1"

  /// Writes the canonical text.
  ///
  /// - Parameter entries: writes the elements of `keys`.
  func write(into writer: inout CanonicalJSONWriter, _ entries: (inout CanonicalJSONWriter) -> Void)
  {
    writer.object { writer in
      writer.member(
        "audit", ["root": anchor.root.hex, "size": anchor.size])
      writer.member("format", .string(Self.format))
      if former.count > 0 { writer.member("former", former.json) }
      writer.member("generation", .integer(generation))
      writer.member("kek", .string(kek.text))
      writer.name("keys")
      writer.array(entries)
      writer.member("kind", .string(kind.rawValue))
      if let machine { writer.member("machine", .string(machine.hex)) }
      if registers > 0 { writer.member("registers", .integer(Int64(registers))) }
      if let resealing { writer.member("resealed", resealing.json) }
      if let restored { writer.member("restored", restored.json) }
      if !unrecorded.isEmpty { writer.member("unrecorded", .array(unrecorded.map { $0.json })) }
    }
  }

  init(_ json: CanonicalJSON) throws(CanonicalJSONError) {
    var fields = try CanonicalJSONFields(json)
    guard try fields.string("format") == Self.format else { throw .schema }
    generation = try fields.integer("generation")
    guard generation > 0 else { throw .schema }
    anchor = try AuditAnchor(try fields.object("audit"))
    kek = try fields.string("kek", as: KeyCheckValue.init(hex:))
    resealing = try fields.optional("resealed").map { (json) throws(CanonicalJSONError) in
      try Resealing(json)
    }
    kind = try fields.string("kind", as: StoreKind.init(rawValue:))
    guard let registers = Int(exactly: try fields.optionalInteger("registers") ?? 0), registers >= 0
    else { throw .schema }
    self.registers = registers
    if let text = try fields.optionalString("machine") {
      guard let machine = Digest256(hex: text) else { throw .schema }
      self.machine = machine
    }
    if let value = fields.optional("unrecorded") {
      guard case .array(let elements) = value, !elements.isEmpty else { throw .schema }
      for element in elements { unrecorded.append(try UnrecordedChange(element)) }
    }
    restored = try fields.optional("restored").map { (json) throws(CanonicalJSONError) in
      try RestoredCopy(json)
    }
    former =
      try fields.optional("former").map { (json) throws(CanonicalJSONError) in try FormerKeys(json)
      } ?? .none
    for element in try fields.array("keys") {
      entries.append(ManifestEntry(try KeyRecord(element, under: kekNumber)))
    }
    try fields.end()
    guard zip(keys, keys.dropFirst()).allSatisfy({ $0.id < $1.id }) else { throw .schema }
    guard Set(keys.map(\.label)).count == keys.count else { throw .schema }
  }
}

extension AuditAnchor {
  fileprivate init(_ fields: consuming CanonicalJSONFields) throws(CanonicalJSONError) {
    let size: UInt64 = try fields.number("size")
    self.init(size: size, root: try fields.string("root", as: Digest256.init(hex:)))
    try fields.end()
  }
}

extension KeyCheckValue {
  /// The hexadecimal text for JSON.
  var text: String { String(decoding: hex, as: UTF8.self) }
}

/// A key's record in a manifest: an object, so that copying a manifest of thousands copies
/// references, and what a change left alone is seen at a glance.
final class ManifestEntry: Sendable {
  let record: KeyRecord

  init(_ record: KeyRecord) { self.record = record }
}

extension ManifestEntry: Equatable {
  static func == (a: ManifestEntry, b: ManifestEntry) -> Bool { a.record == b.record }
}

/// The audit log's size and root when a manifest was written; a log that is shorter or has another
/// root was rolled back.
package struct AuditAnchor: Hashable, Sendable {
  /// Records in the log.
  package let size: UInt64
  /// RFC 6962 root over them.
  package let root: Digest256

  package init(size: UInt64, root: Digest256) {
    self.size = size
    self.root = root
  }

  /// The anchor of an empty log; the root of an empty tree is the hash of nothing.
  package static let beginning = AuditAnchor(size: 0, root: SHA256.hash([]))
}

extension KeyStore {
  /// HMAC-SHA-256 over the daemon's recollection file, its summary of what otherwise only the log
  /// remembers. [KS-RECOLLECTION]
  package func authenticator(ofRecollection bytes: Span<UInt8>) throws(CryptoError) -> Digest256 {
    try keys.authenticator(ofRecollection: bytes)
  }
}

/// Whether a store's keys are real; a daemon for one kind refuses the other. [KS-KIND]
package enum StoreKind: String, CaseIterable, Sendable {
  case production
  /// Sandboxes and ceremony rehearsals.
  case rehearsal
}
