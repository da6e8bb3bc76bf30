import Crypto
import Format
import KeyStore

/// What a key store holds at a ceremony: its KEK, who has the KEK's shares, and every present and
/// former key.
///
/// It leaves out how often a key was used and whether it is active yet, since a daemon may have run
/// in between.
struct StoreInventory {
  /// A line for the KEK and for each key, by their names on the record.
  private var lines: [StoreSubject: String]

  /// A new store: it has only the daemon's own keys, which are not listed.
  init(_ register: CustodianRegister) { lines = [.kek: Self.text(register.kek, register)] }

  init(_ store: KeyStore) throws(CeremonyError) {
    self.init(store.kekCheck, store.custodians, store.records)
  }

  /// What a store made from the copy will hold.
  init(_ copy: StoreCopy) { self.init(copy.claimedKEK, copy.custodians, copy.claimedRecords) }

  private init(_ kek: KeyCheckValue, _ register: CustodianRegister?, _ records: [KeyRecord]) {
    lines = [.kek: Self.text(kek, register)]
    for record in records { add(record) }
  }

  /// SHA-256 over one line for the KEK and one for each key.
  var digest: Digest256 {
    SHA256.hash(Array(lines.map { "\($0.text): \($1)\n" }.sorted().joined().utf8))
  }

  func line(_ subject: StoreSubject) -> String? { lines[subject] }

  mutating func add(_ record: KeyRecord) {
    if !record.role.isInternal { lines[.key(record.label)] = Self.text(record) }
  }

  mutating func attach(_ certificate: Digest256, to label: KeyLabel) {
    lines[.key(label)]? += Self.text(certificate)
  }

  mutating func destroy(_ label: KeyLabel) { lines[.key(label)]? += Self.destroyed }

  mutating func replaceKEK(_ register: CustodianRegister) {
    lines[.kek] = Self.text(register.kek, register)
  }
}

extension StoreInventory {
  private static let exportable = ", exportable"
  static let destroyed = ", destroyed"

  static func text(_ certificate: Digest256) -> String { ", certificate \(certificate.hex)" }

  static func text(_ check: KeyCheckValue, _ register: CustodianRegister?) -> String {
    guard let register else { return "check value \(check), no shares" }
    let groups = register.groups.map { group in
      (
        group.threshold,
        group.holdings.map { ($0.holder.name, $0.holder.user, "\($0.fingerprint)") }
      )
    }
    return text("\(check)", "\(register.split)", register.groupThreshold, groups)
  }

  /// - Parameter groups: the threshold of each, and the name, the user and the share's fingerprint
  ///   of each holder.
  static func text(
    _ check: String, _ split: String, _ groupThreshold: Int,
    _ groups: [(Int, [(String, String, String)])]
  ) -> String {
    let thresholds = groups.map { "\($0) of \($1.count)" }.joined(separator: ", ")
    let holders = groups.flatMap { $1 }.map { holder($0, $1, $2) }.joined()
    return
      "check value \(check), set \(split), \(groupThreshold) of \(groups.count) groups, \(thresholds)"
      + holders
  }

  static func holder(_ name: String, _ user: String, _ fingerprint: String) -> String {
    ", \(name) as \(user) \(fingerprint)"
  }

  /// What may be added later in a key's life comes last.
  private static func text(_ record: KeyRecord) -> String {
    "\(record.role.rawValue), \(record.algorithm.name), id \(Hex.encode(record.id.bytes)), check value \(record.check.text)"
      + (record.merchant.map { ", of \($0.text)" } ?? "") + text(record.otp)
      + (record.isExportable ? exportable : "")
      + (record.certificate.map { text($0.digest) } ?? "")
      + (record.state == .destroyed ? destroyed : "")
  }

  /// Whether a line is about a KEK.
  static func isKEK(_ line: String) -> Bool {
    let form =
      /check value [0-9A-F ]+, (?:no shares|set [0-9]+, [0-9]+ of [0-9]+ groups(?:, [0-9]+ of [0-9]+)+(?:, [^ ,]+ as [^ ,]+ [0-9A-Fa-f ]{10,11})+)/
    return line.wholeMatch(of: form) != nil
  }

  /// Whether a line is about such a key, with or without a certificate.
  static func isKey(
    _ line: String, _ role: KeyRole, _ algorithm: KeyAlgorithm?, checkValue: String,
    _ merchant: MerchantIdentifier?, _ otp: OTPAttributes?,
    isExportable: Bool
  ) -> Bool {
    let parts = line.split(separator: ", ", maxSplits: 2).map(String.init)
    guard parts.count == 3, parts[0] == role.rawValue, let found = KeyAlgorithm(name: parts[1]),
      found == algorithm ?? found, role.allows(found)
    else {
      return false
    }
    guard let id = parts[2].wholeMatch(of: /id ([0-9a-f]{32})(.*)/) else { return false }
    let rest =
      ", check value \(checkValue)" + (merchant.map { ", of \($0.text)" } ?? "") + text(otp)
      + (isExportable ? exportable : "")
    return id.2 == rest
      || id.2.hasPrefix(rest)
        && id.2.dropFirst(rest.count).wholeMatch(of: /, certificate [0-9a-f]{64}/) != nil
  }

  private static func text(_ otp: OTPAttributes?) -> String {
    switch otp {
    case .visa(let keySet): ", key set \(keySet)"
    case .mastercard(let alias): alias.map { ", key alias \($0)" } ?? ""
    case .code(let code): ", codes of \(code.digits) digits"
    case nil: ""
    }
  }
}
