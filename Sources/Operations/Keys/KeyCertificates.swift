import Audit
import Crypto
import Format
import KeyStore
import Policy

/// `certificate-request`: a signed request to Apple for a merchant key's certificate [OP-CSR-1].
enum RequestCertificate: Operation {
  static let opcode = Opcode.certificateRequest

  static func run(
    _ request: borrowing CertificateRequestRequest, _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    let slot = try context.key()
    let der = try onKeys(
      slot.certificateRequest(
        organization: request.organization.isEmpty ? nil : request.organization,
        country: request.country.isEmpty ? nil : request.country))
    try reply.write(CertificateRequestReply(request: der.span))
  }
}

/// `attach-certificate`: stores a merchant's certificate with the key that it certifies.
enum AttachCertificate: Operation {
  static let opcode = Opcode.attachCertificate

  static func run(
    _ request: borrowing AttachCertificateRequest, _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    guard let id = context.grant.key else { throw .noSuchKey }
    let persons = context.persons
    try context.change(.certified, into: &reply) { () throws(KeyStoreError) in
      let certificate = try Certificate(offered: request.certificate)
      if let role = context.keys.record(for: id)?.role { try context.check(certificate, role) }
      try context.keys.attach(certificate, to: id, by: persons, anchor: context.daemon.anchor())
      return id
    }
  }
}
