import Crypto
package import KeyStore

/// The prompts, as the screen and the record have them.
enum Prompt {
  static let name = "your name, or absent"
  static let accept = "accept this, on the record (accept)"
  static let hash = "the file's hash was read aloud, and is that of the file that was reviewed"
  static let paper = "the newest checkpoint on your paper, 16 words or 32 digits, or none"
  static let holder = "name of the custodian who enters a share"
  static let destruction = "label of the key that is destroyed now, for ever"
  static let oldSheets =
    "all sheets of the old set are destroyed, or an exception says which are not"
  static let oldMeans =
    "sheets of the old set, and whatever else opened the store before, are destroyed, or an exception says what is not"

  static func following(_ entries: [TranscriptEntry]) -> String {
    let digest = SHA256.hash(Array(entries.map { $0.text + "\n" }.joined().utf8))
    return
      "the \(entries.count) records that are shown after that checkpoint, SHA-256 \(digest.hex.prefix(16)), are what happened"
  }
  static func alone(_ title: String) -> String {
    "I am alone at the screen, with the sheet for \(title)"
  }
  static func code(_ title: String) -> String {
    "show me \(title) as a QR code, too; the device that scans it may keep it (yes or no)"
  }
  static func envelope(_ title: String) -> String { "serial number of the envelope for \(title)" }
  static func componentCheck(_ number: Int) -> String {
    "check value of component \(number), as on its sheet"
  }

  /// What must be confirmed with `yes`.
  static func confirming(_ statement: String) -> String { statement + " (yes)" }
}

/// The names of facts and entries on the record.
enum Subject {
  static let shareSet = "share set"
  static let custodians = "custodians"
  static let dice = "dice"
  static let passphrase = "passphrase"
  static let backup = "backup"
  static let restored = "restored"
  static let paper = "checkpoint on paper"
  /// An entry that was refused, and why.
  static let refused = "refused"

  static func file(_ path: String) -> String { filePrefix + path }
  /// Of a subject that `file` made.
  static func path(of subject: String) -> String? {
    subject.hasPrefix(filePrefix) ? String(subject.dropFirst(filePrefix.count)) : nil
  }
  private static let filePrefix = "SHA-256 of "
  static func passphrase(of path: String) -> String { "passphrase of \(path)" }
  static func test(of label: KeyLabel) -> String { "test of \(label)" }
  static func certificate(of label: KeyLabel) -> String { "certificate of \(label)" }
  static func component(_ number: Int, of label: KeyLabel) -> String {
    "component \(number) of \(label)"
  }
  static func code(_ title: String) -> String { "QR code of \(title)" }
}

/// A value that the operator types back as the administrator reads it out.
package enum ReadBack: Hashable, Sendable {
  case kek
  case key(KeyLabel)
  case backup

  /// What it is called, on the screen and on the record.
  package var subject: String {
    switch self {
    case .kek: "KEK check value"
    case .key(let label): "check value of \(label)"
    case .backup: "first half of the backup's SHA-256"
    }
  }
}
