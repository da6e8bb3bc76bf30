internal import Audit

/// Who a record says asked: the user, and the systemd unit where there is one.
package struct CallerName: Hashable, Sendable {
  package let uid: Int64
  package let unit: String?

  init(_ actor: Record.Actor) { (uid, unit) = (actor.uid, actor.unit) }

  package var text: String { "uid \(uid)" + (unit.map { ", " + $0 } ?? "") }

  /// What makes `kist audit show` find the caller's records.
  var words: [String] { ["--user", String(uid)] + (unit.map { ["--unit", $0] } ?? []) }
}
