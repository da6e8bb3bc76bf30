internal import Encoding

/// `swap-policy`: names the policy that the next reload may put in force.
package struct SwapPolicyRequest: Hashable, Sendable {
  /// SHA-256 of the policy's canonical text, 32 bytes.
  package let policyHash: [UInt8]

  package init(policyHash: [UInt8]) { self.policyHash = policyHash }

  package init(_ body: consuming MessageReader) throws(WireError) {
    let hash = try body.bytes(Fields.policyHash, exactly: 32)
    policyHash = hash.array
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) { try writer.bytes(Fields.policyHash, policyHash.span, exactly: 32) }

  private enum Fields {
    static let policyHash = Field(1, "policy_hash", .bytes)
  }

  package static let schema = MessageSchema("SwapPolicyRequest", [Fields.policyHash])
}
