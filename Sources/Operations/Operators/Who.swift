package import Format
import Policy

/// `who`: how the daemon identifies the caller, and what the policy in force allows it now.
package enum Who: Operation {
  package static let opcode = Opcode.who
  package static func replyCap(forBodyOf _: Int) -> Int { 64 * 1024 }

  package static func run(
    _ request: borrowing NoFields, _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    let caller = context.grant.caller
    let rules = context.rules.policy.rules(for: caller, at: context.now)
    var rights: [Right] = []
    var room = Right.Caps.keysCount
    for rule in rules.prefix(WhoReply.Caps.rightsCount) {
      rights.append(Right(rule, keys: rule.keys.prefix(room).map(\.description)))
      room -= min(rule.keys.count, room)
    }
    let more =
      rights.count < rules.count || rules.reduce(0) { $0 + $1.keys.count } > Right.Caps.keysCount
      || rules.contains { $0.validity.hours.count > Right.Caps.hoursCount }
    let unit = caller.unit.flatMap { $0.utf8.count <= 256 ? $0 : nil } ?? ""
    var answer = WhoReply()
    answer.uid = caller.uid
    answer.gid = caller.gid
    answer.unit = unit
    answer.rights = rights
    answer.more = more
    try reply.write(answer)
  }
}

extension Right {
  fileprivate init(_ rule: Rule, keys: [String]) {
    self.init()
    grant = rule.id
    operations = rule.operations.map(\.name)
    self.keys = keys
    released = rule.releasedNames
    stages = rule.showsStage
    rate = rule.rate?.description ?? ""
    quota = rule.quota?.description ?? ""
    keyQuota = rule.keyQuota?.description ?? ""
    until = UInt64(clamping: rule.validity.until?.seconds ?? 0)
    hours = rule.validity.hours.prefix(Right.Caps.hoursCount).map(\.description)
  }
}
