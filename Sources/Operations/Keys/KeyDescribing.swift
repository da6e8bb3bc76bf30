import Crypto
package import Format
package import KeyStore
import Policy

/// `describe-key`: everything about a key except its secret, with public key and certificate.
enum DescribeKey: Operation {
  static let opcode = Opcode.describeKey

  static func run(
    _ request: borrowing NoFields, _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    guard let id = context.grant.key, let record = context.keys.record(for: id) else {
      throw .noSuchKey
    }
    let description = KeyDescription(
      record, certificate: context.keys.certificate(of: id)?.der, listing: false)
    try reply.write(description)
  }
}

/// `list-keys`: the keys of every grant that lets the caller list, whichever of them decides, page
/// by page in the order of their labels.
enum ListKeys: Operation {
  static let opcode = Opcode.listKeys
  static func replyCap(forBodyOf _: Int) -> Int { 64 * 1024 }

  static func run(
    _ request: borrowing ListKeysRequest, _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    guard let pattern = request.pattern.isEmpty ? .prefix("") : KeyPattern(request.pattern) else {
      throw .rejected(.format)
    }
    let granted = context.rules.policy.keys(of: context.grant.caller, opcode, at: context.now)
    var page: [KeyRecord] = []
    for record in context.keys.records
    where record.label.text > request.after && record.label.text.hasPrefix(request.prefix) {
      guard pattern.covers(record.label.text), granted.covers(record.label.text) else { continue }
      page.append(record)
      if page.count > ListKeysReply.Caps.keysCount { break }
    }
    let keys = page.prefix(ListKeysReply.Caps.keysCount).map { KeyDescription($0, listing: true) }
    var answer = ListKeysReply()
    answer.keys = keys
    answer.more = page.count > keys.count
    try reply.write(answer)
  }
}

extension KeyDescription {
  /// The description for `describe-key`; a listing leaves out the long fields.
  package init(_ record: KeyRecord, certificate: [UInt8]? = nil, listing: Bool) {
    self.init()
    id = record.id.bytes
    label = record.label.text
    role = record.role.rawValue
    state = record.state.rawValue
    algorithm = record.algorithm.name
    usage = record.usage
    merchantIdentifier = record.merchant?.text ?? ""
    checkValue = record.check.value
    if case .spki(let spki) = record.check, !listing { publicKey = spki }
    self.certificate = listing ? [] : certificate ?? []
    created = seconds(record.created)
    activated = seconds(record.activated)
    notBefore = seconds(record.notBefore)
    notAfter = seconds(record.notAfter)
    lastUse = seconds(record.uses.last)
    uses = record.uses.count
    useLimit = record.useLimit ?? 0
    if let attributes = record.otp { otp = OTPParameters(attributes) }
    exportable = record.isExportable
  }
}

private func seconds(_ moment: Timestamp?) -> UInt64 { UInt64(clamping: moment?.seconds ?? 0) }
