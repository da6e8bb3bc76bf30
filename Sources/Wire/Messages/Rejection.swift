/// The body of a `rejected` reply to a caller whose grant shows stages; everyone else gets an empty one.
package struct Rejection: Message, Hashable, Sendable {
  package var stage = Stage.format
  /// Which field was at fault, where the stage is about one.
  package var field: PassField?
  package init() {}

  package init(stage: Stage, field: PassField? = nil) { (self.stage, self.field) = (stage, field) }

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.enumeration(1, "stage", "Stage", &stage)
    try visitor.enumeration(2, "field", "PassField", &field)
  }
}
