internal import Audit

/// The caller that a record names: the user, and the systemd unit if there is one.
package struct CallerName: Hashable, Sendable {
  package let uid: Int64
  package let name, unit: String?

  init(_ actor: Record.Actor) { (uid, name, unit) = (actor.uid, actor.name, actor.unit) }

  package var text: String { (name.map { "\($0), " } ?? "") + "uid \(uid)" + (unit.map { ", " + $0 } ?? "") }

  /// The options with which `kist audit show` finds the caller's records.
  var words: [String] { ["--user", String(uid)] + (unit.map { ["--unit", $0] } ?? []) }
}
