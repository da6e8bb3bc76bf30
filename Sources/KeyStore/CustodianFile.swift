internal import CryptoBackend
internal import Encoding
internal import KeyBlock
package import SecretMemory

/// `custodians.json`: the register and the HMAC-SHA256 over its canonical text. [KS-CUSTODIANS]
struct CustodianFile {
  let register: CustodianRegister
  private let mac: Digest256

  init(_ register: CustodianRegister, kek: Span<UInt8>) throws(CryptoError) {
    self.register = register
    mac = try Self.mac(of: register, kek)
  }

  /// Nothing in it can be believed before `isAuthentic`.
  ///
  /// - Throws: `KeyStoreError.custodians` for text that is not exactly what `serialised` would give.
  init(parsing text: [UInt8]) throws(KeyStoreError) {
    do throws(CanonicalJSONError) {
      var fields = try CanonicalJSONFields(try CanonicalJSON(parsing: text.span, byteLimit: StoreFile.custodians.limit))
      guard let mac = Digest256(hex: try fields.string("hmac")) else { throw .schema }
      let json = try fields.required("register")
      try fields.end()
      self.mac = mac
      do throws(KeyStoreError) { register = try CustodianRegister(json) } catch { throw .schema }
    } catch { throw .custodians }
    guard serialised == text else { throw .custodians }
  }

  func isAuthentic(kek: Span<UInt8>) throws(CryptoError) -> Bool { try Self.mac(of: register, kek) == mac }

  var serialised: [UInt8] {
    CanonicalJSON.object([.init("hmac", .string(mac.hex)), .init("register", register.json)]).serialised
  }

  private static func mac(of register: CustodianRegister, _ kek: Span<UInt8>) throws(CryptoError) -> Digest256 {
    let key = try StoreKeys.derive(kek, "kist/custodians/v1")
    return try HMACSHA256.authenticate(key: key.bytes, register.json.serialised.span)
  }
}

extension StoreDirectory {
  func readCustodians() throws(KeyStoreError) -> CustodianFile? {
    guard let text = try read(.custodians) else { return nil }
    return try CustodianFile(parsing: text)
  }

  /// - Parameter check: of the store's KEK.
  /// - Throws: `KeyStoreError.wrongKEK` for a KEK that is not the store's or not the register's.
  func write(_ register: CustodianRegister, kek: borrowing SecretBuffer, of check: KeyCheckValue) throws(KeyStoreError) {
    let file: CustodianFile
    let given: KeyCheckValue
    do throws(CryptoError) {
      given = try KeyCheckValue.aes(kek.bytes)
      file = try CustodianFile(register, kek: kek.bytes)
    } catch { throw .crypto(error) }
    guard given == check, register.kek == check else { throw .wrongKEK }
    try write(.custodians, file.serialised)
  }

  /// - Throws: `KeyStoreError.custodians` where there is a register and it was not written under this KEK.
  func checkCustodians(_ kek: borrowing SecretBuffer, of check: KeyCheckValue) throws(KeyStoreError) {
    guard let file = try readCustodians() else { return }
    let isAuthentic: Bool
    do throws(CryptoError) { isAuthentic = try file.isAuthentic(kek: kek.bytes) } catch { throw .crypto(error) }
    guard isAuthentic, file.register.kek == check else { throw .custodians }
  }
}

extension LockedKeyStore {
  /// Who holds the shares of the KEK, as the file claims; nil where the KEK is not split.
  ///
  /// - Throws: `KeyStoreError.custodians`, `.storage`.
  package func custodians() throws(KeyStoreError) -> CustodianRegister? { try directory.readCustodians()?.register }
}

extension KeyStore {
  /// Who holds the shares of the KEK; nil where it is not split.
  ///
  /// - Throws: `KeyStoreError.custodians`, `.storage`.
  package func custodians() throws(KeyStoreError) -> CustodianRegister? { try directory.readCustodians()?.register }

  /// Writes who holds the shares of the KEK, in place of who held them before.
  ///
  /// - Throws: `KeyStoreError.wrongKEK` for a KEK that is not the store's or not the register's.
  package func register(_ custodians: CustodianRegister, kek: borrowing SecretBuffer) throws(KeyStoreError) {
    changing.lock()
    defer { changing.unlock() }
    try directory.write(custodians, kek: kek, of: table.value.manifest.kek)
  }
}
