import Format
import KistClient

extension Command {
  static let keyExport = Command(
    name: "key export",
    summary: "send a key to another HSM, in a key block",
    usage: """
      Usage: kist key export LABEL|ID --under LABEL|ID [--json] [--socket PATH]
                  [--timeout S]

      Writes the key to standard output as an X9.143 (TR-31) key block of version D,
      for a receiver who holds the key-exchange key that --under names. The key must
      have come with --exportable; the receiver may not export it again.

        --under LABEL|ID  a key of role key-exchange that both sides hold
        --json            answer in JSON, with both check values
        --socket PATH     the operators' socket (default: KIST_ADMIN_ENDPOINT, or
                          /run/kist/admin.sock)
        --timeout S       give up after so many seconds (default: 10)

      Example:
        kist key export issuer/visa-2027 --under bank/exchange-2027 > visa.kb

      """,
    options: ["under", .json], daemon: .operators,
    operands: 1...1
  ) { arguments throws(CommandFailure) in
    let under = try arguments.required("under")
    let daemon = try Daemon(arguments)
    let key = try daemon.key(named: arguments.operands[0])
    let exchange = try daemon.key(named: under)
    try check(key, under: exchange)
    let (block, sequence) = try daemon.ask(daemon.client.export(key.id, under: exchange.id))
    guard arguments.has("json") else { return Output.write(block + "\n") }
    Output.write([
      "audit_sequence": sequence ?? 0, "block": block, "exchange_kcv": exchange.checkText,
      "exchange_label": exchange.label, "label": key.label,
      key.isSymmetric ? "kcv" : "spki_sha256": key.checkText,
    ])
  }

  /// Explains what the daemon would only deny or reject.
  private static func check(_ key: Key, under exchange: Key) throws(CommandFailure) {
    guard key.isExportable else {
      throw .failed(
        "\(key.label): the key may not be exported; that was decided when it was imported or generated (--exportable)"
      )
    }
    guard ["active", "pre-active"].contains(key.state) else {
      throw .failed("\(key.label): the key is \(key.state)")
    }
    guard exchange.role == "key-exchange" else {
      throw .failed(
        "\(exchange.label): a key of role \(exchange.role); keys are exported only under one of role key-exchange"
      )
    }
    guard exchange.state == "active" else {
      throw .failed("\(exchange.label): the key is \(exchange.state)")
    }
    guard exchange.id != key.id else {
      throw .failed("\(key.label): a key is not exported under itself")
    }
  }
}
