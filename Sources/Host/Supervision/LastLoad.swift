/// How the daemon's last start or reload went, as it stands in a file beside its sockets.
///
/// One line: how many times configuration and policy were loaded since the daemon started, then `taken`, or `refused: ` and why.
package struct LastLoad: Hashable, Sendable {
  /// 1 is the start.
  package let count: Int
  /// Why they were refused; nil if they were taken.
  package let refusal: String?

  package static let fileName = "last-load"
  /// Likewise of the check whether a daemon would start again.
  package static let nextStart = "next-start"

  package init(count: Int, refusal: String?) { (self.count, self.refusal) = (count, refusal) }

  package var line: String {
    guard let refusal else { return "\(count) \(Self.taken)\n" }
    return "\(count) \(Self.refused)\(String(refusal.map { $0.isNewline ? " " : $0 }))\n"
  }

  package static let taken = "taken"
  package static let refused = "refused: "
}
