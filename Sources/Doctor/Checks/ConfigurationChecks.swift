import Configuration
import Format
import Policy

/// Whether kist.toml can be taken, and what in it weakens the daemon.
let configurationChecks: [CheckUp.Check] = [
  checkFile, checkProtection, checkExampleName, checkApproval, checkBackupDirectory,
]

@Sendable private func checkFile(_ host: Host) -> [Finding] {
  guard case .failure(let error) = host.written else { return [] }
  let path = host.surroundings.configuration
  if error.isUnreadable {
    guard case .absent = host.surroundings.look(at: path) else {
      return [.notReadable(path, error, host)]
    }
    return [
      Finding(
        .configurationMissing, path, "There is no configuration.",
        cure: "Copy /usr/share/doc/kistd/examples/kist.toml there and change it to your needs.")
    ]
  }
  guard error.position == nil else {
    return [
      Finding(
        .configurationInvalid, path, "\(host.surroundings.shown(error.description)).",
        cure: "Correct that line; runuser -u kist -- kistd --check-config finds the rest.")
    ]
  }
  return [.untrusted(.configurationUntrusted, error, host)]
}

@Sendable private func checkProtection(_ host: Host) -> [Finding] {
  guard let configuration = try? host.written.get() else { return [] }
  let path = host.surroundings.configuration
  var findings: [Finding] = []
  if let sandbox = configuration.sandbox {
    findings.append(
      Finding(
        .rehearsal, path,
        "[sandbox] makes the daemon a rehearsal that trusts \(sandbox.trustAnchor).",
        cure: "Take [sandbox] out on a host for production."))
  } else if configuration.memory.allowsMlockFallback {
    findings.append(
      Finding(
        .memoryFallback, path,
        "memory.allow_mlock_fallback lets the daemon run where root can read the keys.",
        cure: "Take it out, on a kernel with memfd_secret(2)."))
  }
  for (name, isOn) in [
    ("seccomp", configuration.process.seccomp), ("landlock", configuration.process.landlock),
  ] where !isOn {
    findings.append(
      Finding(
        .confinementOff, path,
        "process.\(name) is false, so a daemon that is taken over is not confined.",
        cure: "Take process.\(name) out."))
  }
  return findings
}

@Sendable private func checkExampleName(_ host: Host) -> [Finding] {
  guard let origin = (try? host.written.get())?.audit.origin, origin == "acme.example/kist/prod-1"
  else { return [] }
  return [
    Finding(
      .originExample, host.surroundings.configuration,
      "audit.origin is still the example's name, which another log may have, too.",
      cure:
        "Give the log a name of its own before its first record; later ones would be of another log."
    )
  ]
}

@Sendable private func checkApproval(_ host: Host) -> [Finding] {
  guard let configuration = try? host.written.get(), configuration.sandbox == nil,
    configuration.operators.approval.isEmpty
  else { return [] }
  return [
    Finding(
      .approvalOff, host.surroundings.configuration,
      "operators.approval is empty, so one operator alone can export and destroy keys.",
      cure:
        "Take operators.approval out to have its default, or name the operations that need a second person."
    )
  ]
}

@Sendable private func checkBackupDirectory(_ host: Host) -> [Finding] {
  guard let configuration = try? host.written.get(), configuration.sandbox == nil,
    configuration.backup.directory == nil
  else { return [] }
  return [
    Finding(
      .backupUnset, host.surroundings.configuration,
      "backup.directory is not set, so no copy of the key store can be made.",
      cure:
        "Set backup.directory to a directory on another disk, restart kistd, and run kist backup.")
  ]
}

extension Finding {
  /// A file that is there, and that this user may not read.
  static func notReadable(_ path: String, _ error: ConfigurationError, _ host: Host) -> Finding {
    Finding(
      .notExamined, path, "\(host.surroundings.shown(error.description)).",
      cure: "Run kist doctor as root.")
  }

  /// A file that others than root and the daemon's user may change.
  static func untrusted(_ trouble: Trouble, _ error: ConfigurationError, _ host: Host) -> Finding {
    let path = host.surroundings.shown(error.file)
    return Finding(
      trouble, path, "\(host.surroundings.shown(error.description)).",
      cure:
        "Let only root and the daemon's user own and change it: chown root \(path) && chmod go-w \(path)."
    )
  }
}
