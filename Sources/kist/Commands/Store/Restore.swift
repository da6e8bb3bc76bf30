import Ceremony
import Crypto
import Format
import Host
import KeyStore
import Review

extension Command {
  static let restore = Command(
    name: "restore",
    summary: "restore the key store from a backup",
    usage: """
      Usage: kist restore COPY DIR --digest HEX [--log DIR] [--codes-as-copied]
                          [--json]

      Makes DIR/keys, where DIR is the daemon's state directory, from COPY, a backup
      with that digest. It never replaces a key store, or what is left of one. Run it
      as the user that DIR belongs to; it needs no key, and the store opens as before.
      The first kist unlock records the restore, and repeats the changes of keys that
      the log has since the backup. Segments of the log that this needs and that were
      compressed are expanded first.

        --digest HEX       the digest from kist backup and its audit record
        --codes-as-copied  take the counters of one-time codes from the backup: only
                           if no code was given out or accepted since it was made,
                           and no authenticator enrolled.
                           Without this, keys of role otp-hotp and otp-totp serve
                           no code.
        --log DIR          the audit log (default: /var/log/kist/audit, if it is
                           there)
        --json             answer in JSON

      Example:
        runuser -u kist -- kist restore /var/backups/kist/2026-11-20T093000Z-g12 \\
          /var/lib/kist --digest 5f0c…

      """,
    options: ["digest", "log", .flag("codes-as-copied"), .json],
    operands: 2...2
  ) { arguments throws(CommandFailure) in
    let path = arguments.operands[0]
    let copy = try StoreCopy.told(path, StoreCopy(path))
    guard let given = arguments.value("digest") else {
      throw .failed(
        "\(path) has the digest \(copy.facts.digest.hex): compare it with the one that kist backup printed, and give that with --digest"
      )
    }
    guard let digest = Digest256(hex: given) else {
      throw .usage("--digest has 64 hexadecimal digits")
    }
    let place = try KeyStorePlace(arguments.operands[1])
    guard digest == copy.facts.digest else { throw place.isNot(copy, path) }
    let expanded = try expand(from: copy.facts.needs, arguments.value("log"))
    try place.restore(
      copy, from: path, digest, arguments.has("codes-as-copied") ? .asCopied : .refused)
    arguments.answer(json(copy, place, expanded), text(copy, place, expanded))
  }

  /// Has the daemon find all records that it must read; it reads plain segments alone.
  private static func expand(from record: UInt64, _ given: String?) throws(CommandFailure)
    -> [String]
  {
    let log = given ?? UsualPlaces.auditLog
    do throws(DiskError) { return try SegmentCompression(log).expand(from: record) } catch {
      if given == nil, error.isAbsence { return [] }
      throw .failed("\(log): \(error.text); nothing was made")
    }
  }

  private static func text(_ copy: StoreCopy, _ place: KeyStorePlace, _ expanded: [String])
    -> String
  {
    var table = Table(
      ["key store", "\(place.path) (\(copy.claimedKind.rawValue))"],
      ["generation", "\(copy.facts.generation)"],
      ["keys", "\(copy.facts.keys)"],
      ["KEK check value", copy.claimedKEK.description])
    table.add(expanded.map { ["expanded", $0] })
    table.add(
      ["needs", "the log's records from \(copy.facts.needs) on"],
      [
        "next",
        "start kistd, then kist unlock; kist drill says which keys are newer than the backup",
      ])
    return table.text
  }

  private static func json(_ copy: StoreCopy, _ place: KeyStorePlace, _ expanded: [String])
    -> CanonicalJSON
  {
    [
      "digest": copy.facts.digest.hex, "expanded": expanded, "generation": copy.facts.generation,
      "kek_kcv": String(decoding: copy.claimedKEK.hex, as: UTF8.self), "keys": copy.facts.keys,
      "kind": copy.claimedKind.rawValue, "needs": copy.facts.needs, "path": place.path,
    ]
  }
}
