import Audit
import Crypto
import Format
import KeyStore

/// `generate-key`: makes a key inside the daemon, so that nobody ever holds it.
enum GenerateKey: Operation {
  static let opcode = Opcode.generateKey

  static func run(
    _ request: borrowing GenerateKeyRequest, _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    try context.make(.generated, request.label, into: &reply) { persons throws(KeyStoreError) in
      try KeyImport(generating: request, by: persons)
    }
  }
}

extension KeyImport {
  /// - Throws: `KeyStoreError.importRefused` if label, role, algorithm or identifier are invalid,
  ///   or the role does not allow the algorithm.
  fileprivate init(generating request: borrowing GenerateKeyRequest, by persons: Persons)
    throws(KeyStoreError)
  {
    let place = try KeyPlace(
      label: request.label, role: request.role, merchantIdentifier: request.merchantIdentifier,
      otp: request.otp)
    guard !place.role.isPublic else { throw .importRefused(.algorithm) }
    guard
      let algorithm = request.algorithm.isEmpty
        ? place.role.usualAlgorithm : KeyAlgorithm(name: request.algorithm),
      place.role.allows(algorithm)
    else { throw .importRefused(.algorithm) }
    let material: KeyMaterial
    do throws(CryptoError) { material = try KeyMaterial.generate(algorithm) } catch {
      throw KeyStoreError(refusing: error)
    }
    // A merchant's key is useless until Apple has certified it.
    self.init(
      label: place.label, role: place.role, material: material, merchant: place.merchant,
      activates: !request.preActive && !place.role.isMerchant,
      notBefore: Timestamp(requested: request.notBefore),
      notAfter: Timestamp(requested: request.notAfter),
      useLimit: request.useLimit == 0 ? nil : request.useLimit, otp: place.otp,
      isExportable: request.exportable, isGenerated: true, by: persons)
  }
}
