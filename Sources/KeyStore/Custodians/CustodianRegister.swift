package import Crypto
import Format
package import Host

/// Who holds which share of the KEK: public, and authenticated with the KEK once that is known.
/// [KS-CUSTODIANS]
package struct CustodianRegister: Hashable, Sendable {
  /// One share and its holder.
  package struct Holding: Hashable, Sendable {
    package let fingerprint: ShareFingerprint
    package let holder: Custodian

    package init(fingerprint: ShareFingerprint, holder: Custodian) {
      self.fingerprint = fingerprint
      self.holder = holder
    }
  }

  package struct Group: Hashable, Sendable {
    /// How many of the holdings are needed.
    package let threshold: Int
    /// In the order of the shares' indices.
    package let holdings: [Holding]

    package init(threshold: Int, holdings: [Holding]) {
      self.threshold = threshold
      self.holdings = holdings
    }
  }

  /// The split's identifier, 15 bits, which every share repeats.
  package let split: UInt16
  /// How many of the groups are needed.
  package let groupThreshold: Int
  package let groups: [Group]
  package let kek: KeyCheckValue

  /// - Throws: `KeyStoreError.custodians` for an impossible split, or if somebody would hold two
  ///   shares.
  package init(split: UInt16, groupThreshold: Int, groups: [Group], kek: KeyCheckValue)
    throws(KeyStoreError)
  {
    self.split = split
    self.groupThreshold = groupThreshold
    self.groups = groups
    self.kek = kek
    let holdings = groups.flatMap(\.holdings)
    guard split < 1 << 15, Set(holdings.map(\.holder.user)).count == holdings.count,
      Set(holdings.map(\.holder.name)).count == holdings.count,
      Set(holdings.map(\.fingerprint)).count == holdings.count
    else { throw .custodians }
    do throws(SharingError) {
      var scheme: [SharingScheme.Group] = []
      for group in groups {
        scheme.append(try SharingScheme.Group(group.threshold, of: group.holdings.count))
      }
      _ = try SharingScheme(groupThreshold: groupThreshold, groups: scheme)
    } catch { throw .custodians }
  }

  /// The holder of the share with this fingerprint.
  package func holder(of fingerprint: ShareFingerprint) -> Custodian? {
    groups.lazy.flatMap(\.holdings).first { $0.fingerprint == fingerprint }?.holder
  }

  /// The fewest shares that are still needed, given how many of each group are present.
  ///
  /// - Parameter present: counts by the group's index; a group without an entry has none.
  package func missing(with present: [Int: Int]) -> Int {
    groups.enumerated().map { max(0, $1.threshold - (present[$0] ?? 0)) }.sorted().prefix(
      groupThreshold
    ).reduce(0, +)
  }
}

extension CustodianRegister {
  private static let format = "kist-custodians/v1"

  var json: CanonicalJSON {
    [
      "format": Self.format, "group_threshold": groupThreshold, "groups": groups.map(\.json),
      "kek": kek.text, "split": split,
    ]
  }

  init(_ json: CanonicalJSON) throws(KeyStoreError) {
    do throws(CanonicalJSONError) {
      var fields = try CanonicalJSONFields(json)
      guard try fields.string("format") == Self.format else { throw .schema }
      let kek = try fields.string("kek", as: KeyCheckValue.init(hex:))
      let threshold = try fields.integer("group_threshold")
      let split: UInt16 = try fields.number("split")
      guard (1...16).contains(threshold) else { throw .schema }
      var groups: [Group] = []
      for element in try fields.array("groups") { groups.append(try Group(element)) }
      try fields.end()
      do throws(KeyStoreError) {
        try self.init(split: split, groupThreshold: Int(threshold), groups: groups, kek: kek)
      } catch { throw .schema }
    } catch { throw .custodians }
  }
}

extension CustodianRegister.Group {
  fileprivate var json: CanonicalJSON {
    let holdings = holdings.map { holding -> CanonicalJSON in
      [
        "fingerprint": holding.fingerprint.description,
        "name": holding.holder.name, "user": holding.holder.user,
      ]
    }
    return ["shares": holdings, "threshold": threshold]
  }

  fileprivate init(_ json: CanonicalJSON) throws(CanonicalJSONError) {
    var fields = try CanonicalJSONFields(json)
    let threshold = try fields.integer("threshold")
    guard (2...16).contains(threshold) else { throw .schema }
    var holdings: [CustodianRegister.Holding] = []
    for element in try fields.array("shares") {
      var fields = try CanonicalJSONFields(element)
      let name = try fields.string("name")
      let user = try fields.string("user")
      let fingerprint = try fields.string("fingerprint", as: ShareFingerprint.init(hex:))
      guard let holder = Custodian(name: name, user: user) else { throw .schema }
      try fields.end()
      holdings.append(CustodianRegister.Holding(fingerprint: fingerprint, holder: holder))
    }
    try fields.end()
    self.init(threshold: Int(threshold), holdings: holdings)
  }
}

/// A person who holds a share, and the local user under which that person submits it.
package struct Custodian: Hashable, Sendable {
  package let name: String
  package let user: String

  /// Nil if the name is empty, longer than 64 bytes or not printable, or if `useradd` would refuse
  /// the user's name.
  package init?(name: String, user: String) {
    let isUser = user.utf8.allSatisfy { character in
      switch character {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "_"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    guard (1...64).contains(name.utf8.count), Printable.isLine(name),
      (1...32).contains(user.utf8.count), isUser, user.first?.isNumber == false,
      user.first != "-"
    else {
      return nil
    }
    self.name = name
    self.user = user
  }
}

/// `custodians.json`: the register, its number, and the HMAC-SHA256 over the canonical text of
/// both. [KS-CUSTODIANS]
package struct CustodianFile {
  let register: CustodianRegister
  /// Counts up from 1 over the life of the store.
  let number: Int
  private let mac: Digest256

  /// - Parameter check: the check value of the store's KEK.
  /// - Throws: `KeyStoreError.wrongKEK` if `kek` is not the KEK of the store and of the register.
  package init(
    _ register: CustodianRegister, number: Int, kek: borrowing SecretBuffer, of check: KeyCheckValue
  ) throws(KeyStoreError) {
    self.register = register
    self.number = number
    let given: KeyCheckValue
    do throws(CryptoError) {
      given = try KeyCheckValue.aes(kek.bytes)
      mac = try Self.mac(of: Self.json(number, register), kek.bytes)
    } catch { throw .crypto(error) }
    guard given == check, register.kek == check else { throw .wrongKEK }
  }

  /// Parses without authenticating: trust nothing in it before `isAuthentic`.
  ///
  /// - Throws: `KeyStoreError.custodians` for text that differs from what `serialised` returns.
  init(parsing text: [UInt8]) throws(KeyStoreError) {
    do throws(CanonicalJSONError) {
      var fields = try CanonicalJSONFields(
        try CanonicalJSON(parsing: text.span, byteLimit: StoreFile.custodians.limit))
      mac = try fields.string("hmac", as: Digest256.init(hex:))
      number = try fields.number("number")
      guard number > 0 else { throw .schema }
      let json = try fields.required("register")
      try fields.end()
      do throws(KeyStoreError) { register = try CustodianRegister(json) } catch { throw .schema }
    } catch { throw .custodians }
    guard serialised == text else { throw .custodians }
  }

  func isAuthentic(kek: Span<UInt8>) throws(CryptoError) -> Bool {
    try Self.mac(of: Self.json(number, register), kek) == mac
  }

  var serialised: [UInt8] { (["hmac": mac.hex] + Self.json(number, register)).serialised }

  private static func json(_ number: Int, _ register: CustodianRegister) -> CanonicalJSON {
    ["number": number, "register": register.json]
  }

  private static func mac(of json: CanonicalJSON, _ kek: Span<UInt8>) throws(CryptoError)
    -> Digest256
  {
    let key = try StoreKeys.derive(kek, "kist/custodians/v1")
    return try HMACSHA256.authenticate(key: key.bytes, json.serialised.span)
  }
}

extension StoreDirectory {
  func readCustodians() throws(KeyStoreError) -> CustodianFile? {
    guard let text = try read(.custodians) else { return nil }
    return try CustodianFile(parsing: text)
  }

  package func write(_ custodians: CustodianFile) throws(KeyStoreError) {
    try write(.custodians, custodians.serialised)
  }

  /// The register, after checking that it is the store's newest and was written under this KEK; nil
  /// if the KEK is not split.
  ///
  /// Its number may be higher than the manifest's, since a crash can come between the writes of the
  /// two files.
  /// - Throws: `KeyStoreError.custodians` if it is absent, older or was written under another KEK.
  func custodians(_ kek: borrowing SecretBuffer, of manifest: Manifest) throws(KeyStoreError)
    -> CustodianRegister?
  {
    guard let file = try readCustodians() else {
      guard manifest.registers == 0 else { throw .custodians }
      return nil
    }
    let isAuthentic = try onCrypto(file.isAuthentic(kek: kek.bytes))
    guard isAuthentic, file.register.kek == manifest.kek, file.number >= manifest.registers else {
      throw .custodians
    }
    return file.register
  }
}

extension LockedKeyStore {
  /// The holders of the KEK's shares, as the file claims without proof; nil if the KEK is not
  /// split.
  ///
  /// - Throws: `KeyStoreError.custodians`, `.storage`.
  package func custodians() throws(KeyStoreError) -> CustodianRegister? {
    try directory.readCustodians()?.register
  }
}

extension KeyStore {
  /// The holders of the KEK's shares, authenticated when the store was unlocked; nil if the KEK is
  /// not split.
  package var custodians: CustodianRegister? { registered.value }

  /// Replaces the register of who holds the KEK's shares.
  ///
  /// - Throws: `KeyStoreError.wrongKEK` if `kek` is not the KEK of the store and of the register;
  ///   `.custodians`, `.changedOnDisk`, `.storage`.
  package func register(_ custodians: CustodianRegister, kek: borrowing SecretBuffer)
    throws(KeyStoreError)
  {
    try change(anchor) { (manifest, _) throws(KeyStoreError) in
      manifest.registers = max(manifest.registers, try directory.readCustodians()?.number ?? 0) + 1
      try directory.write(
        CustodianFile(custodians, number: manifest.registers, kek: kek, of: manifest.kek))
    }
    registered.change { $0 = custodians }
  }
}
