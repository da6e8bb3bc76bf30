extension Rejection {
  package init(stage: Stage, field: PassField? = nil, releasedField: ReleasedField? = nil) {
    self.stage = stage
    self.field = field
    self.releasedField = releasedField
  }
}

extension Malformation {
  package init(_ error: WireError) { why = error.description }
}

extension Busy {
  /// Where nothing is known.
  package static let forASecond = Busy(waiting: 1_000_000_000)

  /// - Parameter nanoseconds: until the caller's limits allow the request; rounded up.
  package init(waiting nanoseconds: Int64) {
    let milliseconds = nanoseconds / 1_000_000 + (nanoseconds % 1_000_000 > 0 ? 1 : 0)
    retryAfter = min(
      max(Int(milliseconds), Caps.retryAfter.lowerBound), Caps.retryAfter.upperBound)
  }
}
