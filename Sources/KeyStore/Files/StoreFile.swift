package import Crypto
package import Format

/// The files of a store. [KS-FILES]
package enum StoreFile: Hashable {
  case lock
  case manifest
  /// The KEK, wrapped under a passphrase.
  case passphrase
  /// The holders of the KEK's shares.
  case custodians
  /// The mark of a store that came from a copy, until a daemon has recorded that.
  case restored
  /// The ids of keys that left the manifest after they were destroyed. [KS-FORMER]
  case former
  case block(KeyID)
  /// Named by its SHA-256 too, so that a new certificate is a file beside the old one until the
  /// manifest lists it. [KS-ATTACH]
  case certificate(KeyID, Digest256)
  /// The subjects' state for a key for one-time codes.
  case ledger(KeyID)
  case counter(KeyID)

  /// The file's name; the names of files that depend on the KEK contain its number, unless that is
  /// 0. [KS-KEK-NUMBER]
  package func name(under kekNumber: Int) -> String {
    let number = kekNumber == 0 ? "" : ".\(kekNumber)"
    return switch self {
    case .lock: "lock"
    case .manifest: "manifest.json"
    case .passphrase: "kek\(number).json"
    case .custodians: "custodians\(number).json"
    case .restored: "restored.json"
    case .former: "former.ids"
    case .block(let id): id.hex + number + ".kb"
    case .certificate(let id, let digest):
      Self.certificatePrefix(id) + Hex.encode(Array(digest.bytes.prefix(8))) + ".cer"
    case .ledger(let id): id.hex + number + ".otp"
    case .counter(let id): id.hex + number + ".ctr"
    }
  }

  /// Whether a file of this name is a certificate of the key, whether the present one or another.
  static func isCertificate(_ name: String, of id: KeyID) -> Bool {
    let prefix = certificatePrefix(id)
    return name.utf8.count == prefix.utf8.count + 20 && name.hasPrefix(prefix)
      && name.hasSuffix(".cer")
  }

  private static func certificatePrefix(_ id: KeyID) -> String { id.hex + "." }

  var isLedger: Bool { if case .ledger = self { true } else { false } }

  /// The most bytes that are written to the file, and so that are read from it.
  package var limit: Int {
    switch self {
    case .lock: 0
    // What it has of a ledger is shorter than what the manifest has of that ledger's key.
    case .manifest, .restored: 32 << 20
    case .passphrase: 4096
    // A million keys.
    case .former: 16 << 20
    case .custodians: 64 << 10
    case .block: 9_999
    case .certificate: 64 << 10
    // What a crash left of one more entry is read, too.
    case .ledger: OTPLedger.Capacity.standard.byteCount + OTPLedgerContents.lineCount
    case .counter: CounterFile.byteCount
    }
  }
}

extension KeyID {
  /// 32 lower-case digits.
  var hex: String { Hex.encode(bytes) }

  init?(hex text: String) {
    guard let bytes = Hex.decode(text), bytes.count == KeyID.byteCount, Hex.encode(bytes) == text
    else { return nil }
    self.init(prefixOf: bytes.span)
  }
}
