internal import Crypto
internal import Format
internal import KeyStore
internal import Policy

/// `describe-key`: everything about a key except its secret, with public key and certificate.
enum DescribeKey: Operation {
  package static let opcode = Opcode.describeKey
  package static let bodyCap = 0
  package static let replyCap = 16 * 1024

  package static func run(_ request: borrowing NoFields, _ context: borrowing OperationContext, into reply: inout MessageWriter) throws(OperationError) {
    guard let id = context.grant.key, let record = context.keys.record(for: id) else { throw .noSuchKey }
    let description = KeyDescription(record, certificate: context.keys.certificate(of: id)?.der, listing: false)
    try reply.write(description)
  }
}
