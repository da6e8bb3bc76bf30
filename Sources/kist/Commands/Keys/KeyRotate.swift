internal import Configuration
internal import Format
internal import KistClient
internal import Policy

extension Command {
  static let keyRotate = Command(
    name: "key rotate",
    summary: "replace a merchant's key, step by step",
    usage: """
      Usage: kist key rotate plan|preflight|activate|retire OLD NEW [OPTIONS]

      Apple's certificates end after 25 months, and once a new one is activated at
      Apple there is no way back. OLD and NEW are labels or ids of a merchant's keys.
      Meanwhile both serve: a token names its key by its publicKeyHash.

        plan           print what to do, in order, and what is done; NEW may be absent
        preflight      print whether NEW can take over, check by check
        activate       do the same, and activate NEW if every check passes; activate
                       its certificate at Apple only after that
        retire         print when the last token came under OLD; retire OLD if NEW has
                       had tokens, and OLD none for --quiet days

        --quiet DAYS   for retire (default 7); 0 skips the quiet period
        --policy DIR   the policy files (default /etc/kist/policy.d): a grant that
                       covers OLD must cover NEW
        --wait         if a second operator must approve, wait for that
        --json         answer in JSON
        --socket PATH  the operators' socket (default: KIST_ADMIN_ENDPOINT, or
                       /run/kist/admin.sock)
        --timeout S    give up after so many seconds (default: 10)

      Exit codes: 0 done, or all checks pass; 1 refused, or a check fails.

      """,
    options: [.value("quiet"), .value("policy"), .wait, .json], daemon: .operators,
    operands: 3...3
  ) { arguments throws(CommandFailure) in
    let names = arguments.operands
    let quiet = Int64(try arguments.number("quiet", in: 0...366) ?? 7)
    let daemon = try Daemon(arguments)
    let old = try daemon.key(named: names[1])
    switch names[0] {
    case "plan": try plan(old, try? daemon.key(named: names[2]), arguments)
    case "preflight": try check(Rotation(old, try daemon.key(named: names[2]), now: .now), arguments)
    case "activate":
      let new = try daemon.key(named: names[2])
      try check(Rotation(old, new, now: .now), arguments)
      if new.state == "active" { Output.complain("\(new.label) is active already\n") } else { try move(new, .activateKey, daemon, arguments) }
      Output.complain("now activate the certificate of \(new.label) at Apple; there is no way back from that\n")
    case "retire":
      let rotation = Rotation(old, try daemon.key(named: names[2]), now: .now)
      Output.complain(rotation.lastTokens)
      if let reason = rotation.objection(quietDays: quiet) { throw .failed(reason) }
      try move(old, .retireKey, daemon, arguments)
      Output.complain("late tokens under \(old.label) still open; kist key destroy \(old.label) ends that for good\n")
    default: throw .usage("'\(names[0])' is not a step; there are plan, preflight, activate and retire")
    }
  }

  private static func plan(_ old: Key, _ new: Key?, _ arguments: Arguments) throws(CommandFailure) {
    guard !old.merchantIdentifier.isEmpty else { throw .failed("\(old.label) is not a merchant's key") }
    if let mismatch = new.flatMap({ Rotation(old, $0, now: .now).mismatch }) { throw .failed(mismatch) }
    let plan = RotationPlan(old, new, named: arguments.operands[2], now: .now)
    arguments.answer(plan.json, plan.text)
  }

  /// Shows the checks, including those of the policy files; exits with 1 if one fails.
  private static func check(_ rotation: Rotation, _ arguments: Arguments) throws(CommandFailure) {
    let checks = rotation.checks + [rotation.check(try PolicyDirectory.read(arguments.value("policy")))]
    let isReady = checks.allSatisfy(\.isMet)
    if arguments.operands[0] == "preflight", arguments.has("json") {
      Output.write(["checks": .array(checks.map(\.json)), "ready": .bool(isReady)])
    } else {
      let text = checks.map(\.text).joined()
      if arguments.has("json") { Output.complain(text) } else { Output.write(text) }
    }
    guard isReady else { throw .failed("\(rotation.new.label) cannot take over yet") }
    guard arguments.operands[0] == "preflight" else { return }
    Output.complain("\(rotation.new.label) can take over: kist key rotate activate \(rotation.old.label) \(rotation.new.label)\n")
  }

  private static func move(_ key: Key, _ step: Opcode, _ daemon: Daemon, _ arguments: Arguments) throws(CommandFailure) {
    let (changed, sequence) = try daemon.ask(rejectedMeans: "the key's state or period does not allow it: see kist key show") {
      (client) throws(ClientError) in try client.changeKey(step, key.id)
    }
    Output.tell(changed, sequence, arguments)
  }
}
