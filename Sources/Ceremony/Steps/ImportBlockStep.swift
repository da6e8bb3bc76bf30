internal import Configuration
internal import CryptoBackend
internal import KeyBlock
package import KeyStore
internal import SecretMemory
internal import Storage

/// Brings a key that another machine sent in a key block, under an exchange key that both hold.
package struct ImportBlockStep: CeremonyStep {
  let key: PlannedKey
  private let exchange: KeyLabel
  private let path: String
  private let digest: Digest256
  /// Versions A, B and C that may come, under a Triple DES key; none where the file does not say so.
  private let old: Set<KeyBlockVersion>

  init(_ table: TOMLTable) throws(ConfigurationError) {
    key = try PlannedKey(table)
    exchange = try table.label("under", "the label of an exchange key")
    path = try table.required("file", "where the key block is").path()
    digest = try table.required("sha256", TOMLNode.expectedDigest + ", as sha256sum prints of the file").sha256()
    old = Set(
      try table.list("versions", "versions") { node throws(ConfigurationError) in
        try node.text("one of A, B, C") { ["A": KeyBlockVersion.a, "B": .b, "C": .c][$0] }
      })
  }

  package var newLabel: KeyLabel? { key.label }

  package var script: [String] {
    ["\(key.text), out of the key block \(path) under \(exchange)", "that file's SHA-256 must be \(digest.hex)"]
      + (old.isEmpty ? [] : ["OLD FORMATS ARE TAKEN: " + old.map { String(UnicodeScalar($0.rawValue)) }.sorted().joined(separator: ", ")])
      + ["the key's check value is read back"]
  }

  package func run(_ floor: Floor) throws(CeremonyError) {
    guard floor.kind == .production else { return try key.acceptTestKey(floor) }
    let block = try CeremonyError.storage { () throws(StorageError) in
      try DurableFile.read(path, limit: KeyBlock.longest, on: floor.directory.disk)
    }
    guard SHA256.hash(block) == digest else { throw .refused(.otherFile) }
    try floor.record(.fact(subject: "SHA-256 of \(path)", value: digest.hex))
    let (store, exchange, old) = (try floor.openStore(), exchange, old)
    let opened = try CeremonyError.keyStore { () throws(KeyStoreError) in
      try store.open(block: block.span, under: exchange, allowing: old, at: floor.now)
    }
    let role = key.role
    let material = try CeremonyError.crypto { () throws(CryptoError) in try KeyMaterial(keyData: opened.key.bytes, for: role) }
    guard let algorithm = material.algorithm(in: role) else { throw .keyStore(.importRefused(.algorithm)) }
    try key.accept(material, algorithm, from: opened.header, floor)
  }
}
