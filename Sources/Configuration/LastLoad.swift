/// How the daemon's last start or reload went, as it stands in a file beside its sockets.
///
/// One line: how many times configuration and policy were loaded since the daemon started, then `taken`, or `refused: ` and why.
package struct LastLoad: Hashable, Sendable {
  /// 1 is the start.
  package let count: Int
  /// Why they were refused; nil if they were taken.
  package let refusal: String?

  package static let fileName = "last-load"

  package init(count: Int, refusal: String?) { (self.count, self.refusal) = (count, refusal) }

  /// The file in this directory, or nil if there is none or it is being written.
  package init?(in directory: String) {
    guard let bytes = try? TextFile.read(directory + "/" + Self.fileName) else { return nil }
    self.init(line: String(decoding: bytes, as: UTF8.self))
  }

  init?(line: String) {
    guard line.hasSuffix("\n"), let space = line.firstIndex(of: " "), let count = Int(line[..<space]), count > 0 else { return nil }
    let outcome = line[line.index(after: space)...].dropLast()
    if outcome == Self.taken {
      self.init(count: count, refusal: nil)
    } else if outcome.hasPrefix(Self.refused) {
      self.init(count: count, refusal: String(outcome.dropFirst(Self.refused.count)))
    } else {
      return nil
    }
  }

  package var line: String {
    guard let refusal else { return "\(count) \(Self.taken)\n" }
    return "\(count) \(Self.refused)\(String(refusal.map { $0.isNewline ? " " : $0 }))\n"
  }

  private static let taken = "taken"
  private static let refused = "refused: "
}
