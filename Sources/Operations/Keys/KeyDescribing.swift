internal import Crypto
package import Format
package import KeyStore

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
    (notBefore, notAfter) = (seconds(record.notBefore), seconds(record.notAfter))
    lastUse = seconds(record.uses.last)
    (uses, useLimit) = (record.uses.count, record.useLimit ?? 0)
    if let attributes = record.otp { otp = OTPParameters(attributes) }
    exportable = record.isExportable
  }
}

private func seconds(_ moment: Timestamp?) -> UInt64 { UInt64(clamping: moment?.seconds ?? 0) }
