import Policy

/// Whether the credential is there that unlocks the key store at start, and does.
let credentialChecks: [CheckUp.Check] = [checkCredential]

@Sendable private func checkCredential(_ host: Host) -> [Finding] {
  switch (try? host.written.get())?.unlock {
  case nil: return []
  case .file(let path):
    switch host.surroundings.look(at: path) {
    case .hidden: return []
    case .absent: return [.noCredential(path)]
    case .there(let facts):
      guard facts.kind == .file, facts.size != 32 else { return tried(path, [], host) }
      return [
        Finding(
          .credentialSize, path,
          "The credential has \(facts.size) bytes, and a key-encryption key has 32.",
          cure: "Make it again: kist keystore credential.")
      ]
    }
  case .systemd(let name): return checkCredential(named: name, host)
  }
}

private func checkCredential(named name: String, _ host: Host) -> [Finding] {
  guard let unit = host.unit(Unit.daemon) else { return [] }
  let given = settings.flatMap(unit.lines).filter {
    $0.drop { $0 != "=" }.dropFirst().hasPrefix(name + ":")
  }
  guard let last = given.last else {
    return [
      Finding(
        .credentialNotLoaded, Unit.daemon,
        "kist.toml unlocks with the credential \(name), and \(Unit.daemon) loads none of that name.",
        cure:
          "Add LoadCredentialEncrypted=\(name):/etc/credstore.encrypted/\(name) in a drop-in: systemctl edit \(Unit.daemon)."
      )
    ]
  }
  let source = String(last.drop { $0 != ":" }.dropFirst())
  guard !last.hasPrefix("Load") || !source.hasPrefix("/") || host.surroundings.has(source) else {
    return [.noCredential(source)]
  }
  return tried(name, given, host)
}

private let settings = [
  "LoadCredential", "LoadCredentialEncrypted", "SetCredential", "SetCredentialEncrypted",
]

/// Has it decrypted as for the daemon, and compared with the key store; a store that cannot be read
/// is a finding already.
private func tried(_ credential: String, _ settings: [String], _ host: Host) -> [Finding] {
  guard (try? host.store.get()) != nil else { return [] }
  let user = host.unit(Unit.daemon)?.value("User") ?? "kist"
  switch host.surroundings.tryCredential(
    CredentialTrial(user: user, credential: credential, settings: settings, keys: host.keyDirectory)
  ) {
  case .opens: return []
  case .unknown:
    return [
      Finding(
        .notExamined, credential, "Nobody tried whether the credential opens the key store.",
        cure: "Run kist doctor as root.")
    ]
  case .otherKey:
    return [
      Finding(
        .credentialWrong, credential,
        "The credential is not the key of this key store, so kistd would not start.",
        cure:
          "Make it again, after a new KEK with the new shares: 'By a systemd credential' in UNLOCK.md; until then nobody may restart kistd."
      )
    ]
  case .notGiven(let reason):
    return [
      Finding(
        .credentialNotGiven, credential,
        "The credential cannot be given to kistd, so it would not start: \(reason).",
        cure:
          "See 'When the machine has changed' in UNLOCK.md; until then nobody may restart kistd.")
    ]
  }
}

extension Finding {
  fileprivate static func noCredential(_ path: String) -> Finding {
    Finding(
      .credentialMissing, path, "There is no credential at \(path), so kistd does not start.",
      cure:
        "Make it with kist keystore credential, or take unlock.credential out and have people unlock."
    )
  }
}
