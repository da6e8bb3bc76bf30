import Format
import KistClient

// One command for each step of a key's life; each is a single request about one key.
extension Command {
  static let keyActivate = step(
    "activate", .activateKey, "let a key be used",
    """
    The key must be pre-active and within its period of use. It is used from now on.
    Give a merchant's key its certificate first (kist key attach).
    """)

  static let keySuspend = step(
    "suspend", .suspendKey, "stop a key at once",
    """
    The emergency stop: from now on the key serves nothing. One person is enough,
    and nothing is lost. kist key resume, which needs a second person, lets the key
    serve again; kist key compromise ends it.
    """)

  static let keyResume = step(
    "resume", .resumeKey, "let a suspended key serve again",
    """
    The key is again what it was before kist key suspend: pre-active, active or
    retired.
    """)

  static let keyRetire = step(
    "retire", .retireKey, "stop new use of a key",
    """
    A retired key makes nothing new. It still opens what was made for it: tokens,
    envelopes, surrogates, signatures, codes.
    """)

  static let keyCompromise = step(
    "compromise", .compromiseKey, "mark a key as compromised",
    """
    From now on the key serves only unseal, detokenise and open-envelope, so that
    you can seal again under another key what it sealed. There is no way back.
    """)

  static let keyDestroy = step(
    "destroy", .destroyKey, "destroy a key for good",
    """
    Removes the key's block; the record stays. An active key must be retired or
    compromised first. What was made with the key is lost with it, unless a backup
    has it.
    """)

  private static func step(_ verb: String, _ opcode: Opcode, _ summary: String, _ text: String)
    -> Command
  {
    Command(
      name: "key \(verb)", summary: summary,
      usage: """
        Usage: kist key \(verb) LABEL|ID [--wait] [--json] [--socket PATH]
                    [--timeout S]

        \(text)

          --wait         if a second operator must approve, wait for that
          --json         answer in JSON
          --socket PATH  the operators' socket (default: KIST_ADMIN_ENDPOINT, or
                         /run/kist/admin.sock)
          --timeout S    give up after so many seconds (default: 10)

        """,
      options: [.wait, .json], daemon: .operators, operands: 1...1
    ) { arguments throws(CommandFailure) in
      let daemon = try Daemon(arguments)
      try daemon.step(opcode, daemon.key(arguments.operands[0]), arguments)
    }
  }
}

extension Daemon {
  /// Takes a step of a key's life, and prints the key.
  func step(_ opcode: Opcode, _ id: [UInt8], _ arguments: Arguments) throws(CommandFailure) {
    let (key, sequence) = try ask(
      client.changeKey(opcode, id),
      rejectedMeans: "the key's state or period does not allow it: see kist key show")
    Output.tell(key, sequence, arguments)
  }
}

extension Output {
  /// Prints a key after a change, and the sequence of the change's record.
  static func tell(_ key: Key, _ sequence: UInt64?, _ arguments: Arguments) {
    if arguments.has("json") { return write(key.json(now: .now)) }
    write(key.text(now: .now) + (sequence.map { "done (audit record \($0))\n" } ?? ""))
  }
}
