import Configuration
import Policy

/// Whether the sockets are where clients look for them, and let in nobody else.
let socketChecks: [CheckUp.Check] = [checkSockets]

@Sendable private func checkSockets(_ host: Host) -> [Finding] {
  guard let configuration = host.configuration else { return [] }
  return check(configuration.service, Unit.services, host)
    + check(configuration.admin, Unit.operators, host)
}

/// `SocketMode=` of both units.
private let shippedMode: UInt32 = 0o660

private func check(_ socket: SocketConfiguration, _ name: String, _ host: Host) -> [Finding] {
  let unit = host.unit(name)
  if let listens = unit?.value("ListenStream"), listens != socket.path {
    return [
      Finding(
        .socketPath, name, "\(name) listens at \(listens), and kist.toml names \(socket.path).",
        cure: "Name one path in both: ListenStream= in a drop-in, or 'socket' in kist.toml.")
    ]
  }
  guard case .there(let facts) = host.surroundings.look(at: socket.path) else {
    guard case .absent = host.surroundings.look(at: socket.path) else { return [] }
    return [
      Finding(
        .socketMissing, socket.path, "There is no socket, so nobody can connect.",
        cure:
          "Make it again when somebody is there to unlock: systemctl restart \(name) \(Unit.daemon)."
      )
    ]
  }
  var findings: [Finding] = []
  // What the package's unit says, whatever a drop-in makes of it.
  let mode = unit == nil ? socket.mode : shippedMode
  if let own = unit?.value("SocketMode").flatMap({ UInt32($0, radix: 8) }), own & ~mode != 0 {
    findings.append(
      Finding(
        .socketMode, name,
        "\(name) has SocketMode=\(FileFacts.text(mode: own)) and lets in more people than \(FileFacts.text(mode: mode)) would.",
        cure:
          "See systemctl cat \(name) for the file that says so, take that line out, and run systemctl daemon-reload."
      ))
  }
  if facts.mode & ~mode & 0o777 != 0 {
    findings.append(
      Finding(
        .socketMode, socket.path,
        "The socket has mode \(facts.modeText) and lets in more people than \(FileFacts.text(mode: mode)) would.",
        cure: "Run chmod \(FileFacts.text(mode: mode)) \(socket.path)."))
  }
  if let group = unit?.value("SocketGroup") ?? socket.group?.name,
    let gid = host.surroundings.accounts.gid(group), gid != facts.group
  {
    findings.append(
      Finding(
        .socketGroup, socket.path,
        "The socket belongs to group \(facts.group), and \(group) is to connect.",
        cure: "Run chgrp \(group) \(socket.path)."))
  }
  return findings
}
