import ApplePay
import Audit
import Crypto
import Format
import Host
import KeyStore

/// `import-key`: imports a key; the operator's command has decoded the file that it came in.
enum ImportKey: Operation {
  package static let opcode = Opcode.importKey

  static func opensWayOut(_ request: borrowing ImportKeyRequest) -> Bool {
    guard let role = KeyRole(rawValue: request.role) else { return false }
    return role.isPartners || role.serves(.importBlock)
  }

  static func run(
    _ request: borrowing ImportKeyRequest, _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    try context.make(.imported, request.label, into: &reply) { persons throws(KeyStoreError) in
      try KeyImport(request, keyData: request.privateKey, by: persons)
    }
  }
}

extension OperationContext {
  /// Checks that Apple, or the sandbox's root, has issued the certificate of a processing key.
  /// [KS-ATTACH-ISSUER]
  ///
  /// Which CA issues merchant identity certificates no source at hand says, so those are taken from
  /// any.
  func check(_ certificate: Certificate, _ role: KeyRole) throws(KeyStoreError) {
    guard role == .merchantProcessingEC || role == .merchantProcessingRSA else { return }
    guard daemon.merchantIssuers.issued(certificate) else { throw .importRefused(.issuer) }
  }
}

extension KeyImport {
  /// - Parameter header: the header of the block in which the key came, if it came in one.
  /// - Throws: `KeyStoreError.importRefused` if key, certificate, label, role or identifier are
  ///   invalid.
  init(
    _ request: borrowing ImportKeyRequest, keyData: Span<UInt8>, from header: KeyBlockHeader? = nil,
    by persons: Persons
  ) throws(KeyStoreError) {
    let place = try KeyPlace(
      label: request.label, role: request.role, merchantIdentifier: request.merchantIdentifier,
      otp: request.otp)
    let material: KeyMaterial
    do throws(CryptoError) { material = try KeyMaterial(keyData: keyData, for: place.role) } catch {
      throw KeyStoreError(refusing: error)
    }
    let certificate =
      request.certificate.isEmpty ? nil : try Certificate(offered: request.certificate)
    guard let jweMembers = JWEMembers(request.jweMembers) else { throw .importRefused(.jweMembers) }
    self.init(
      label: place.label, role: place.role, material: material, certificate: certificate,
      merchant: place.merchant, activates: request.activate,
      notAfter: Timestamp(requested: request.notAfter), otp: place.otp,
      isExportable: request.exportable, jweMembers: jweMembers, from: header, by: persons)
  }
}

/// `import-block`: imports a key that another HSM sent in a key block under an exchange key
/// [OP-BLOCK-1].
enum ImportBlock: Operation {
  package static let opcode = Opcode.importBlock

  static func opensWayOut(_ request: borrowing ImportKeyRequest) -> Bool {
    ImportKey.opensWayOut(request)
  }

  static func run(
    _ request: borrowing ImportKeyRequest, _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    let kek = try context.key()
    try context.make(.imported, request.label, into: &reply) { persons throws(KeyStoreError) in
      let opened = try kek.open(block: request.privateKey, allowing: context.rules.oldBlocks)
      return try KeyImport(request, keyData: opened.key.bytes, from: opened.header, by: persons)
    }
  }
}
