package import Policy

/// A policy and the place of each of its grants.
package struct LocatedPolicy: Sendable {
  /// The place of a grant's id.
  package struct Place: Hashable, Sendable {
    package let file: String
    package let position: SourcePosition
  }

  package let policy: Policy
  /// One for each rule, in order.
  package let places: [Place]
}

extension LocatedPolicy.Place: CustomStringConvertible {
  /// `FILE:LINE`.
  package var description: String { "\(file):\(position.line)" }
}
