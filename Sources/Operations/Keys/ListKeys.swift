internal import Format
internal import KeyStore
internal import Policy

/// `list-keys`: the keys of every grant that lets the caller list, whichever of them decides, page by page in the order of their labels.
enum ListKeys: Operation {
  package static let opcode = Opcode.listKeys
  package static let bodyCap = 512
  package static let replyCap = 64 * 1024

  package static func run(_ request: borrowing ListKeysRequest, _ context: borrowing OperationContext, into reply: inout MessageWriter) throws(OperationError) {
    guard let pattern = request.pattern.isEmpty ? .prefix("") : KeyPattern(request.pattern) else { throw .rejected(.format) }
    let granted = context.rules.policy.keys(of: context.grant.caller, opcode, at: context.now)
    var page: [KeyRecord] = []
    for record in context.keys.records where record.label.text > request.after && record.label.text.hasPrefix(request.prefix) {
      guard pattern.covers(record.label.text), granted.covers(record.label.text) else { continue }
      page.append(record)
      if page.count > ListKeysReply.pageSize { break }
    }
    let keys = page.prefix(ListKeysReply.pageSize).map { KeyDescription($0, listing: true) }
    var answer = ListKeysReply()
    (answer.keys, answer.more) = (keys, page.count > keys.count)
    try reply.write(answer)
  }
}
