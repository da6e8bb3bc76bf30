internal import Crypto
internal import Format
internal import KeyStore

/// `certificate-request`: a signed request to Apple for a merchant key's certificate [OP-CSR-1].
enum RequestCertificate: Operation {
  package static let opcode = Opcode.certificateRequest
  package static let bodyCap = 72
  package static let replyCap = 2048 + 8

  package static func run(
    _ request: borrowing CertificateRequestRequest, _ context: borrowing OperationContext, into reply: inout MessageWriter
  ) throws(OperationError) {
    let slot = try context.key()
    let der: [UInt8]
    do throws(KeyStoreError) {
      der = try slot.certificateRequest(
        organization: request.organization.isEmpty ? nil : request.organization, country: request.country.isEmpty ? nil : request.country)
    } catch { throw OperationError(error) }
    try reply.write(CertificateRequestReply(request: der.span))
  }
}
