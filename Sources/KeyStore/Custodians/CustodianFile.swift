package import Crypto
internal import Format
package import Host

/// `custodians.json`: the register, its number, and the HMAC-SHA256 over the canonical text of both. [KS-CUSTODIANS]
package struct CustodianFile {
  let register: CustodianRegister
  /// Counts up from 1 over the life of the store.
  let number: Int
  private let mac: Digest256

  /// - Parameter check: the check value of the store's KEK.
  /// - Throws: `KeyStoreError.wrongKEK` if `kek` is not the KEK of the store and of the register.
  package init(_ register: CustodianRegister, number: Int, kek: borrowing SecretBuffer, of check: KeyCheckValue) throws(KeyStoreError) {
    (self.register, self.number) = (register, number)
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
      var fields = try CanonicalJSONFields(try CanonicalJSON(parsing: text.span, byteLimit: StoreFile.custodians.limit))
      guard let mac = Digest256(hex: try fields.string("hmac")) else { throw .schema }
      guard let number = Int(exactly: try fields.integer("number")), number > 0 else { throw .schema }
      let json = try fields.required("register")
      try fields.end()
      (self.mac, self.number) = (mac, number)
      do throws(KeyStoreError) { register = try CustodianRegister(json) } catch { throw .schema }
    } catch { throw .custodians }
    guard serialised == text else { throw .custodians }
  }

  func isAuthentic(kek: Span<UInt8>) throws(CryptoError) -> Bool { try Self.mac(of: Self.json(number, register), kek) == mac }

  var serialised: [UInt8] { (["hmac": .string(mac.hex)] + Self.json(number, register)).serialised }

  private static func json(_ number: Int, _ register: CustodianRegister) -> CanonicalJSON {
    ["number": .integer(Int64(number)), "register": register.json]
  }

  private static func mac(of json: CanonicalJSON, _ kek: Span<UInt8>) throws(CryptoError) -> Digest256 {
    let key = try StoreKeys.derive(kek, "kist/custodians/v1")
    return try HMACSHA256.authenticate(key: key.bytes, json.serialised.span)
  }
}

extension StoreDirectory {
  func readCustodians() throws(KeyStoreError) -> CustodianFile? {
    guard let text = try read(.custodians) else { return nil }
    return try CustodianFile(parsing: text)
  }

  package func write(_ custodians: CustodianFile) throws(KeyStoreError) { try write(.custodians, custodians.serialised) }

  /// The register, after checking that it is the store's newest and was written under this KEK; nil if the KEK is not split.
  ///
  /// Its number may be higher than the manifest's, since a crash can come between the writes of the two files.
  /// - Throws: `KeyStoreError.custodians` if it is absent, older or was written under another KEK.
  func custodians(_ kek: borrowing SecretBuffer, of manifest: Manifest) throws(KeyStoreError) -> CustodianRegister? {
    guard let file = try readCustodians() else {
      guard manifest.registers == 0 else { throw .custodians }
      return nil
    }
    let isAuthentic: Bool
    do throws(CryptoError) { isAuthentic = try file.isAuthentic(kek: kek.bytes) } catch { throw .crypto(error) }
    guard isAuthentic, file.register.kek == manifest.kek, file.number >= manifest.registers else { throw .custodians }
    return file.register
  }
}

extension LockedKeyStore {
  /// The holders of the KEK's shares, as the file claims without proof; nil if the KEK is not split.
  ///
  /// - Throws: `KeyStoreError.custodians`, `.storage`.
  package func custodians() throws(KeyStoreError) -> CustodianRegister? { try directory.readCustodians()?.register }
}

extension KeyStore {
  /// The holders of the KEK's shares, authenticated when the store was unlocked; nil if the KEK is not split.
  package var custodians: CustodianRegister? { registered.value }

  /// Replaces the register of who holds the KEK's shares.
  ///
  /// - Throws: `KeyStoreError.wrongKEK` if `kek` is not the KEK of the store and of the register; `.custodians`, `.changedOnDisk`, `.storage`.
  package func register(_ custodians: CustodianRegister, kek: borrowing SecretBuffer) throws(KeyStoreError) {
    try change(anchor) { (manifest, _) throws(KeyStoreError) in
      manifest.registers = max(manifest.registers, try directory.readCustodians()?.number ?? 0) + 1
      try directory.write(CustodianFile(custodians, number: manifest.registers, kek: kek, of: manifest.kek))
    }
    registered.change { $0 = custodians }
  }
}
