/// `swap-policy`: names the policy that the next reload may put in force.
package struct SwapPolicyRequest: Message, Hashable, Sendable {
  /// SHA-256 of the policy's canonical text, 32 bytes.
  package var policyHash: [UInt8] = []
  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "policy_hash", &policyHash, .exactly(32))
  }
}
