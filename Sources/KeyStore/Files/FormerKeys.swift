import Crypto
import Format

/// How many ids `former.ids` has, and a hash over them: under the manifest's MAC, so that the file
/// needs none and only grows. [KS-FORMER]
package struct FormerKeys: Hashable, Sendable {
  private(set) var count = 0
  /// SHA-256 of the hash before and the last id, 16 bytes; before the first zeros.
  private var chain = [UInt8](repeating: 0, count: 32)

  package static let none = FormerKeys()

  private init() {}

  /// How many more ids the file may get.
  var room: Int { StoreFile.former.limit / KeyID.byteCount - count }

  mutating func add(_ ids: some Sequence<KeyID>) {
    for id in ids {
      chain = SHA256.hash(chain + id.bytes).bytes
      count += 1
    }
  }

  var json: CanonicalJSON {
    ["count": count, "sha256": Hex.encode(chain)]
  }

  init(_ json: CanonicalJSON) throws(CanonicalJSONError) {
    var fields = try CanonicalJSONFields(json)
    count = try fields.number("count")
    guard count > 0 else { throw .schema }
    chain = try fields.string("sha256", as: Digest256.init(hex:)).bytes
    try fields.end()
  }
}

extension StoreDirectory {
  /// The ids that the manifest counts; behind them may be those of a change that was cut off.
  ///
  /// - Throws: `KeyStoreError.formerKeys`, `.storage`.
  func formerKeys(of manifest: Manifest) throws(KeyStoreError) -> Set<KeyID> {
    guard manifest.former.count > 0 else { return [] }
    let text = try read(.former) ?? []
    let size = KeyID.byteCount
    guard text.count / size >= manifest.former.count else { throw .formerKeys }
    let ids = (0..<manifest.former.count).compactMap {
      KeyID(prefixOf: text.span.extracting($0 * size..<($0 + 1) * size))
    }
    var found = FormerKeys.none
    found.add(ids)
    guard found == manifest.former else { throw .formerKeys }
    return Set(ids)
  }
}

extension KeyStore {
  /// See `ManifestFile.fill`.
  package var fill: Int { table.value.file.fill(of: directory.manifestLimit) }

  /// From now on destroyed keys leave the manifest when they have been so for that many seconds, at
  /// the next change that adds or destroys one.
  package func keepDestroyed(seconds: Int64?) { retention.change { $0 = seconds } }

  /// Whether the manifest has room for another key, and for all that may still be said of it and
  /// the others.
  var hasRoom: Bool {
    table.value.file.reserved + Manifest.longestEntry <= directory.limit(of: .manifest)
  }

  /// Takes destroyed keys out of a manifest that is about to be written; their ids are durable
  /// first.
  func forget(_ manifest: inout Manifest, at now: Timestamp) throws(KeyStoreError) -> [KeyID] {
    guard let retention = retention.value else { return [] }
    let gone = manifest.takeDestroyed(until: now.adding(seconds: -retention))
    guard !gone.isEmpty else { return [] }
    try directory.append(
      .former, gone.flatMap(\.bytes), at: manifest.former.count * KeyID.byteCount)
    manifest.former.add(gone)
    return gone
  }
}

extension Manifest {
  /// The longest entry of a key, with all that may be said of it over its life.
  static let longestEntry = 6 << 10
  /// By how much an entry may grow after the key was added: with its moments, persons, counts, a
  /// certificate, and changes that are not recorded yet.
  static let growth = 1536
  /// What may be said of the store itself.
  private static let ownGrowth = 64 << 10

  fileprivate var growth: Int {
    Self.ownGrowth + Self.growth * keys.count { $0.state != .destroyed }
  }
}

extension ManifestFile {
  /// How many bytes it may come to have without another key.
  fileprivate var reserved: Int { serialised.count + manifest.growth }

  /// The share of what the fullest of the store's files may have, in hundredths: of the manifest
  /// with all that its keys may still add. [KS-ROOM]
  package func fill(of limit: Int = StoreFile.manifest.limit) -> Int {
    let former = manifest.former.count * KeyID.byteCount
    return max(100 * reserved / limit, 100 * former / StoreFile.former.limit)
  }
}
