/// OtherInfo in the parts of SP 800-56A r1 §5.8.1.2.1; they are put behind one another as they are, so a part that has a
/// length in front of it brings it along.
package struct OtherInfo: Message, ~Escapable {
  package var algorithmID: Span<UInt8>
  package var partyUInfo: Span<UInt8>
  package var partyVInfo: Span<UInt8>
  package var suppPubInfo: Span<UInt8>
  package var suppPrivInfo: Span<UInt8>

  @_lifetime(immortal) package init() { (algorithmID, partyUInfo, partyVInfo, suppPubInfo, suppPrivInfo) = (Span(), Span(), Span(), Span(), Span()) }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "algorithm_id", &algorithmID, .atMost(PrimitiveCaps.info))
    try visitor.bytes(2, "party_u_info", &partyUInfo, .atMost(PrimitiveCaps.info))
    try visitor.bytes(3, "party_v_info", &partyVInfo, .atMost(PrimitiveCaps.info))
    try visitor.bytes(4, "supp_pub_info", &suppPubInfo, .atMost(PrimitiveCaps.info))
    try visitor.bytes(5, "supp_priv_info", &suppPrivInfo, .atMost(PrimitiveCaps.info))
  }

  package var isEmpty: Bool { count == 0 }

  /// Bytes of the whole.
  package var count: Int { algorithmID.count + partyUInfo.count + partyVInfo.count + suppPubInfo.count + suppPrivInfo.count }
}
