internal import Configuration

/// Whether the credential is there that unlocks the key store at start.
let credentialChecks: [CheckUp.Check] = [checkCredential]

@Sendable private func checkCredential(_ host: Host) -> [Finding] {
  switch (try? host.written.get())?.unlock {
  case nil: return []
  case .file(let path):
    switch host.surroundings.look(at: path) {
    case .hidden: return []
    case .absent: return [.noCredential(path)]
    case .there(let facts):
      guard facts.kind == .file, facts.size != 32 else { return [] }
      return [
        Finding(
          .credentialSize, path, "The credential has \(facts.size) bytes, and a key-encryption key has 32.",
          cure: "Make it again: kist keystore credential.")
      ]
    }
  case .systemd(let name): return checkCredential(named: name, host)
  }
}

private func checkCredential(named name: String, _ host: Host) -> [Finding] {
  guard let unit = host.unit(Unit.daemon) else { return [] }
  let loaded = ["LoadCredential", "LoadCredentialEncrypted", "SetCredentialEncrypted"].flatMap(unit.words).first { $0.hasPrefix(name + ":") }
  guard let loaded else {
    return [
      Finding(
        .credentialNotLoaded, Unit.daemon, "kist.toml unlocks with the credential \(name), and \(Unit.daemon) loads none of that name.",
        cure: "Add LoadCredentialEncrypted=\(name):/etc/credstore.encrypted/\(name) in a drop-in: systemctl edit \(Unit.daemon).")
    ]
  }
  let source = String(loaded.dropFirst(name.count + 1))
  guard source.hasPrefix("/"), !host.surroundings.has(source) else { return [] }
  return [.noCredential(source)]
}

extension Finding {
  fileprivate static func noCredential(_ path: String) -> Finding {
    Finding(
      .credentialMissing, path, "There is no credential at \(path), so kistd does not start.",
      cure: "Make it with kist keystore credential, or take unlock.credential out and have people unlock.")
  }
}
