internal import CryptoBackend
internal import Encoding
internal import KeyBlock
internal import KeyStore
package import Policy
package import Wire

/// `import-key`: takes a key into the store; the operator's command has decoded the file it came in.
package enum ImportKey: Operation {
  package static let opcode = Opcode.importKey
  package static let bodyCap = 18 * 1024
  package static let replyCap = 16 * 1024

  package static func run(
    _ body: consuming MessageReader, _ grant: borrowing Grant, _ context: OperationContext, into reply: inout MessageWriter,
    finding: inout Finding
  ) throws(OperationError) {
    let request: ImportKeyRequest
    do throws(WireError) { request = try ImportKeyRequest(body) } catch { throw .wire(error) }
    let record = try context.imported { () throws(KeyStoreError) in
      try context.keys.importKey(KeyImport(request, keyData: request.privateKey), at: context.clock(), anchor: context.anchor())
    }
    try context.describe(record, into: &reply, &finding)
  }
}

// What operations that take a key in share.
extension OperationContext {
  func imported(_ body: () throws(KeyStoreError) -> KeyRecord) throws(OperationError) -> KeyRecord {
    do throws(KeyStoreError) { return try body() } catch {
      switch error {
      case .importRefused(.block): throw .rejected(.keyBlock)
      case .importRefused: throw .rejected(.keyImport)
      case .crypto(.exhausted): throw .busy
      default: throw .fault
      }
    }
  }

  func describe(_ record: KeyRecord, into reply: inout MessageWriter, _ finding: inout Finding) throws(OperationError) {
    finding.imported = KeyTarget(id: record.id, label: record.label.text)
    let certificate = keys.certificate(of: record.id)?.der
    do throws(WireError) { try KeyDescription(record, certificate: certificate, listing: false).encode(into: &reply) } catch { throw .fault }
  }
}

extension KeyImport {
  /// - Parameter header: of the block in which the key came.
  /// - Throws: `KeyStoreError.importRefused` for bytes that are no key, certificate, label, role or identifier.
  init(_ request: borrowing ImportKeyRequest, keyData: Span<UInt8>, from header: KeyBlockHeader? = nil) throws(KeyStoreError) {
    guard let label = KeyLabel(request.label), let role = KeyRole(rawValue: request.role) else { throw .importRefused(.role) }
    let material: KeyMaterial
    do throws(CryptoError) { material = try KeyMaterial(keyData: keyData, for: role) } catch { throw Self.refusal(error) }
    var certificate: Certificate?
    do throws(CryptoError) {
      if !request.certificate.isEmpty { certificate = try Certificate(der: request.certificate) }
    } catch { throw Self.refusal(error) }
    let merchant = request.merchantIdentifier.isEmpty ? nil : MerchantIdentifier(request.merchantIdentifier)
    guard request.merchantIdentifier.isEmpty || merchant != nil else { throw .importRefused(.merchantMismatch) }
    let otp = role.otpKind.flatMap { OTPAttributes(request.otp, $0) }
    guard role.otpKind == nil ? request.otp.isEmpty : otp != nil else { throw .importRefused(.otp) }
    self.init(
      label: label, role: role, material: material, certificate: certificate, merchant: merchant, activates: request.activate,
      notAfter: request.notAfter == 0 ? nil : Timestamp(seconds: Int64(clamping: min(request.notAfter, 253_402_300_799))), otp: otp,
      isExportable: request.exportable, from: header)
  }

  private static func refusal(_ error: CryptoError) -> KeyStoreError {
    error == .exhausted ? .crypto(error) : .importRefused(.algorithm)
  }
}
