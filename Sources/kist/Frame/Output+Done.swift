internal import Encoding

extension Output {
  /// That the daemon did what it was asked for, and where the record of it is.
  static func done(_ what: String, _ sequence: UInt64?, _ arguments: Arguments) {
    guard arguments.has("json") else { return write(what + (sequence.map { " (audit record \($0))" } ?? "") + "\n") }
    var members: [CanonicalJSON.Member] = [.init("ok", .bool(true))]
    if let sequence { members.append(.init("audit_sequence", .count(sequence))) }
    write(.object(members))
  }
}
