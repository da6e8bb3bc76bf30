/// The body of a `rejected` reply to a caller whose grant shows stages, or who required a field that is not released; everyone else
/// gets an empty one.
package struct Rejection: Message, Hashable, Sendable {
  package var stage = Stage.format
  /// Which field was at fault, where the stage is about one.
  package var field: PassField?
  /// The required field that is not released.
  package var releasedField: ReleasedField?
  package init() {}

  package init(stage: Stage, field: PassField? = nil, releasedField: ReleasedField? = nil) {
    (self.stage, self.field, self.releasedField) = (stage, field, releasedField)
  }

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.enumeration(1, "stage", "Stage", &stage)
    try visitor.enumeration(2, "field", "PassField", &field)
    try visitor.enumeration(3, "released_field", "ReleasedField", &releasedField)
  }
}
