/// The body of a `rejected` reply to a caller whose grant shows stages; everyone else gets an empty one.
package struct Rejection: Hashable, Sendable {
  package let stage: Stage
  /// Which field was at fault, where the stage is about one.
  package let field: PassField?

  package init(stage: Stage, field: PassField? = nil) { (self.stage, self.field) = (stage, field) }

  package init(_ body: consuming MessageReader) throws(WireError) {
    stage = try body.enumeration(Fields.stage)
    field = try body.optionalEnumeration(Fields.field)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.uint(Fields.stage, UInt64(stage.rawValue))
    try writer.uint(Fields.field, UInt64(field?.rawValue ?? 0))
  }

  private enum Fields {
    static let stage = Field(1, "stage", .enumeration("Stage"))
    static let field = Field(2, "field", .enumeration("PassField"))
  }

  package static let schema = MessageSchema("Rejection", [Fields.stage, Fields.field])
}
