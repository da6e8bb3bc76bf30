internal import Encoding
internal import KistClient
internal import Wire

extension Command {
  static let approve = Command(
    name: "approve",
    summary: "let another operator's request run, once",
    usage: """
      Usage: kist approve ID [--json] [--socket PATH] [--timeout S]
             kist approve --list [--json] [--socket PATH] [--timeout S]

      Some requests need a second person: the first one is answered with an ID, this
      command approves it as another user, and the same request sent again is carried
      out once. Nobody approves their own.

        --list         what waits: who asks for what with which key, SHA-256 of the
                       request's body, and until when
        --json         answer in JSON
        --socket PATH  the operators' socket (default: KIST_ADMIN_ENDPOINT, or
                       /run/kist/admin.sock)
        --timeout S    give up after so many seconds (default: 10)

      """,
    options: [.flag("list"), .json], daemon: .operators,
    operands: 0...1
  ) { arguments throws(CommandFailure) in
    guard arguments.has("list") == arguments.operands.isEmpty else { throw .usage("expected an ID, or --list") }
    let daemon = try Daemon(arguments)
    guard let id = arguments.operands.first else {
      let requests = try daemon.ask { (client) throws(ClientError) in try client.listRequests() }
      if arguments.has("json") { Output.write(.object([.init("requests", .array(requests.map(\.json)))])) } else { Output.write(text(requests)) }
      return
    }
    let sequence = try daemon.ask(rejectedMeans: "it is your own request, or no request by that name waits any more") {
      (client) throws(ClientError) in try client.approve(id)
    }
    Output.done("approved \(id); the same request, sent again, is carried out once", sequence, arguments)
  }

  private static func text(_ requests: [ListRequestsReply.Request]) -> String {
    guard !requests.isEmpty else { return "Nothing waits for an approval.\n" }
    var table = Table(["ID", "USER", "OPERATION", "KEY", "UNTIL", "APPROVED BY", "SHA-256 OF THE REQUEST"])
    for request in requests {
      table.add([
        request.id, String(request.uid), request.operation, request.keyName, request.end ?? "-", request.approvedBy.map { String($0) } ?? "-",
        request.digest.isEmpty ? "-" : Hex.encode(request.digest),
      ])
    }
    return table.text
  }
}

extension ListRequestsReply.Request {
  fileprivate var keyName: String { label.isEmpty ? key.isEmpty ? "-" : Hex.encode(key) : label }

  fileprivate var end: String? { Timestamp(reported: Int64(clamping: until))?.wholeSeconds }

  fileprivate var json: CanonicalJSON {
    var members: [CanonicalJSON.Member] = [.init("id", .string(id)), .init("operation", .string(operation)), .init("uid", .integer(Int64(uid)))]
    if let approvedBy { members.append(.init("approved_by", .integer(Int64(approvedBy)))) }
    if !digest.isEmpty { members.append(.init("digest", .hex(digest))) }
    if !key.isEmpty { members.append(.init("key", .hex(key))) }
    if !label.isEmpty { members.append(.init("label", .string(label))) }
    if let end { members.append(.init("until", .string(end))) }
    return .object(members)
  }
}
