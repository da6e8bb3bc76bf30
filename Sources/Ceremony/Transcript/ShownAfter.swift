/// When people are shown a checkpoint to write down.
package enum ShownAfter: Hashable, Sendable {
  case rollCall
  case exception
  /// A step that is done.
  case step(Int)
  /// The sitting ends before the ceremony is over.
  case stop

  package var text: String {
    switch self {
    case .rollCall: "the roll call"
    case .exception: "an exception"
    case .step(let number): "step \(number)"
    case .stop: "the stop"
    }
  }

  package init?(_ text: String) {
    let fixed: [ShownAfter] = [.rollCall, .exception, .stop]
    if let after = fixed.first(where: { $0.text == text }) {
      self = after
    } else if text.hasPrefix("step "), let number = Int(text.dropFirst(5)), ShownAfter.step(number).text == text {
      self = .step(number)
    } else {
      return nil
    }
  }
}
