import Format
import KistClient
import Review

// Keys as text and JSON.

extension Key {
  /// A row for each key, within 100 columns where labels are usual; a wide one says all.
  static func list(_ keys: [Key], now: Timestamp, wide: Bool) -> String {
    var table = Table(
      ["LABEL", "ROLE", "STATE", "EXPIRES", "USES"]
        + (wide ? ["LAST USE", "ALGORITHM", "CHECK", "ID"] : []))
    for key in keys {
      table.add(
        [key.label, key.role, key.state, key.expiry(now, \.day), String(key.uses)]
          + (wide
            ? [text(key.lastUse, \.day), key.algorithm, key.shortCheck, Hex.encode(key.id)] : []))
    }
    return table.text
  }

  func text(now: Timestamp) -> String {
    Table(
      ["label", label],
      ["id", Hex.encode(id)],
      ["role", role],
      ["state", state],
      ["algorithm", algorithm],
      ["usage", usage],
      [isSymmetric ? "KCV" : "SPKI SHA-256", checkText],
      isExportable ? ["exportable", "yes, under a key of role key-exchange"] : nil,
      merchantIdentifier.isEmpty ? nil : ["merchant", merchantIdentifier],
      ["created", Self.text(created, \.wholeSeconds)],
      ["activated", Self.text(activated, \.wholeSeconds)],
      notBefore == nil ? nil : ["begins", Self.text(notBefore, \.wholeSeconds)],
      ["expires", expiry(now, \.wholeSeconds)],
      ["last use", Self.text(lastUse, \.wholeSeconds)],
      ["uses", "\(uses)" + (useLimit.map { " of at most \($0)" } ?? "")],
      publicKey.isEmpty ? nil : ["public key", Base64.encode(publicKey)]
    ).text
  }

  func json(now: Timestamp) -> CanonicalJSON {
    func time(_ seconds: Int64?) -> String? {
      seconds.flatMap(Timestamp.init(reported:))?.wholeSeconds
    }
    return [
      "activated": time(activated), "algorithm": algorithm,
      "certificate": certificate.isEmpty ? nil : Base64.encode(certificate),
      "created": time(created),
      "expires_soon": expiresSoon(now), "exportable": isExportable ? true : nil,
      "id": Hex.encode(id), "label": label, "last_use": time(lastUse),
      "merchant_identifier": merchantIdentifier.isEmpty ? nil : merchantIdentifier,
      "not_after": time(notAfter), "not_before": time(notBefore), "role": role,
      "spki": publicKey.isEmpty ? nil : Base64.encode(publicKey), "state": state, "usage": usage,
      "use_limit": useLimit, "uses": uses, isSymmetric ? "kcv" : "spki_sha256": checkText,
    ]
  }

  /// A KCV has five bytes, the hash of a public key 32.
  var isSymmetric: Bool { checkValue.count < 32 }

  /// KCVs are read aloud in upper case, hashes are compared with other programs' in lower case.
  var checkText: String {
    isSymmetric ? Hex.encode(checkValue).uppercased() : Hex.encode(checkValue)
  }

  private var shortCheck: String { isSymmetric ? checkText : "\(checkText.prefix(8))…" }
}

extension [Key] {
  /// Keys in use that end within thirty days or have ended, the earliest first.
  func ending(at now: Timestamp) -> [Key] {
    filter { ["pre-active", "active"].contains($0.state) && $0.expiresSoon(now) }.sorted {
      ($0.notAfter ?? 0) < ($1.notAfter ?? 0)
    }
  }
}

extension Key {
  /// For how many days before its end a key is marked.
  private static let warningDays: Int64 = 30

  func expiresSoon(_ now: Timestamp) -> Bool {
    guard let end = notAfter.flatMap(Timestamp.init(reported:)) else { return false }
    return end.days(after: now) < Self.warningDays
  }

  func expiry(_ now: Timestamp, _ form: (Timestamp) -> String) -> String {
    guard let end = notAfter.flatMap(Timestamp.init(reported:)) else { return "-" }
    guard expiresSoon(now) else { return form(end) }
    let days = end.days(after: now)
    return form(end) + (days < 0 ? " ! expired" : " ! \(days) \(days == 1 ? "day" : "days")")
  }

  static func text(_ seconds: Int64?, _ form: (Timestamp) -> String) -> String {
    seconds.flatMap(Timestamp.init(reported:)).map(form) ?? "-"
  }
}
