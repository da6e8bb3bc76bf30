/// The body of a `rejected` reply to a caller whose grant shows stages; everyone else gets an empty one.
package struct Rejection: Hashable, Sendable {
  package let stage: Stage

  package init(stage: Stage) { self.stage = stage }

  package init(_ body: consuming MessageReader) throws(WireError) {
    stage = try body.enumeration(Fields.stage)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) { try writer.uint(Fields.stage, UInt64(stage.rawValue)) }

  private enum Fields {
    static let stage = Field(1, "stage", .enumeration("Stage"))
  }

  package static let schema = MessageSchema("Rejection", [Fields.stage])
}
