/// OtherInfo in the parts of SP 800-56A r1 §5.8.1.2.1; they are put behind one another as they are, so a part that has a
/// length in front of it brings it along.
package struct OtherInfo: ~Escapable {
  package let algorithmID: Span<UInt8>
  package let partyUInfo: Span<UInt8>
  package let partyVInfo: Span<UInt8>
  package let suppPubInfo: Span<UInt8>
  package let suppPrivInfo: Span<UInt8>

  @_lifetime(copy algorithmID, copy partyUInfo, copy partyVInfo, copy suppPubInfo, copy suppPrivInfo)
  package init(
    algorithmID: Span<UInt8>, partyUInfo: Span<UInt8>, partyVInfo: Span<UInt8>, suppPubInfo: Span<UInt8>, suppPrivInfo: Span<UInt8>
  ) {
    self.algorithmID = algorithmID
    self.partyUInfo = partyUInfo
    self.partyVInfo = partyVInfo
    self.suppPubInfo = suppPubInfo
    self.suppPrivInfo = suppPrivInfo
  }

  @_lifetime(copy body)
  package init(_ body: consuming MessageReader) throws(WireError) {
    algorithmID = try body.bytes(Fields.algorithmID, atMost: PrimitiveCaps.info)
    partyUInfo = try body.bytes(Fields.partyUInfo, atMost: PrimitiveCaps.info)
    partyVInfo = try body.bytes(Fields.partyVInfo, atMost: PrimitiveCaps.info)
    suppPubInfo = try body.bytes(Fields.suppPubInfo, atMost: PrimitiveCaps.info)
    suppPrivInfo = try body.bytes(Fields.suppPrivInfo, atMost: PrimitiveCaps.info)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.bytes(Fields.algorithmID, algorithmID, atMost: PrimitiveCaps.info)
    try writer.bytes(Fields.partyUInfo, partyUInfo, atMost: PrimitiveCaps.info)
    try writer.bytes(Fields.partyVInfo, partyVInfo, atMost: PrimitiveCaps.info)
    try writer.bytes(Fields.suppPubInfo, suppPubInfo, atMost: PrimitiveCaps.info)
    try writer.bytes(Fields.suppPrivInfo, suppPrivInfo, atMost: PrimitiveCaps.info)
  }

  package var isEmpty: Bool { count == 0 }

  /// Bytes of the whole.
  package var count: Int { algorithmID.count + partyUInfo.count + partyVInfo.count + suppPubInfo.count + suppPrivInfo.count }

  private enum Fields {
    static let algorithmID = Field(1, "algorithm_id", .bytes)
    static let partyUInfo = Field(2, "party_u_info", .bytes)
    static let partyVInfo = Field(3, "party_v_info", .bytes)
    static let suppPubInfo = Field(4, "supp_pub_info", .bytes)
    static let suppPrivInfo = Field(5, "supp_priv_info", .bytes)
  }

  package static let schema = MessageSchema(
    "OtherInfo", [Fields.algorithmID, Fields.partyUInfo, Fields.partyVInfo, Fields.suppPubInfo, Fields.suppPrivInfo])
}
