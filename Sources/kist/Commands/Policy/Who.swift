import Format
import KistClient

extension Command {
  static let who = Command(
    name: "who",
    summary: "say how the daemon identifies you and what you may do",
    usage: """
      Usage: kist who [--json] [--socket PATH] [--timeout S]

      Asks the daemon for the grants that cover the calling user now, in the order in
      which they decide. It needs a grant of the operation who.

        --json         answer in JSON
        --socket PATH  the daemon's socket (default: KIST_ENDPOINT, or
                       /run/kist/kist.sock; if you may not connect there,
                       /run/kist/admin.sock)
        --timeout S    give up after so many seconds (default: 10)

      """,
    options: [.json], daemon: .everybody
  ) { arguments throws(CommandFailure) in
    let daemon = try Daemon(arguments)
    let rights = try daemon.ask(daemon.client.who())
    arguments.answer(rights.json, rights.text)
  }
}

extension CallerRights {
  var text: String {
    var text =
      "user \(uid), group \(gid)\(unit.map { ", \(Printable.line($0))" } ?? ""): \(grants.count) \(grants.count == 1 ? "grant" : "grants")\n"
    for grant in grants {
      let table = Table(
        ["  may", grant.operations.joined(separator: ", ")],
        grant.keys.isEmpty ? nil : ["  with", grant.keys.joined(separator: ", ")],
        grant.released.isEmpty ? nil : ["  gets", grant.released.joined(separator: ", ")],
        grant.showsStage ? ["  learns", "the stage of a rejection"] : nil,
        grant.limits.isEmpty ? nil : ["  up to", grant.limits.joined(separator: ", ")],
        grant.end.map { ["  until", $0] },
        grant.hours.isEmpty ? nil : ["  in", grant.hours.joined(separator: " or ") + " UTC"])
      text += "\ngrant \(grant.id)\n" + table.text
    }
    return text + (isCut ? "\nThere is more than the reply could hold.\n" : "")
  }

  var json: CanonicalJSON {
    [
      "cut": isCut, "gid": gid, "grants": grants.map(\.json), "uid": uid, "unit": unit,
    ]
  }
}

extension CallerRights.Grant {
  fileprivate var end: String? { until.flatMap(Timestamp.init(reported:))?.wholeSeconds }

  fileprivate var limits: [String] {
    [rate, quota].compactMap { $0 } + (keyQuota.map { ["\($0) for each key"] } ?? [])
  }

  fileprivate var json: CanonicalJSON {
    [
      "hours": hours, "id": id, "keys": keys, "operations": operations,
      "release": released, "stages": showsStage, "rate": rate, "quota": quota,
      "key_quota": keyQuota, "until": end,
    ]
  }
}
