internal import Audit
internal import Crypto
internal import Format
internal import KeyStore
internal import Policy

/// `attach-certificate`: stores a merchant's certificate with the key that it certifies.
enum AttachCertificate: Operation {
  package static let opcode = Opcode.attachCertificate
  package static let bodyCap = 8200
  package static let replyCap = 16 * 1024

  package static func run(
    _ request: borrowing AttachCertificateRequest, _ context: borrowing OperationContext, into reply: inout MessageWriter
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
