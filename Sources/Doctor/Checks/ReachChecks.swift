import Configuration
import Policy

/// Whether everybody can reach what their role needs: the daemon its configuration, people their
/// files and sockets.
let reachChecks: [CheckUp.Check] = [checkReach]

/// What a visitor must be able to reach.
private struct Need {
  let visitor: Visitor
  let paths: [String]
  var right = FileRight.read
  let remedy: Remedy
}

/// What lets those in who are shut out of something.
private enum Remedy: Hashable {
  case configuration
  case log(String)
  case door(String, rights: String)
}

private struct Refusal {
  let visitor: Visitor
  let remedy: Remedy
  /// What does not let them.
  let path: String
  let right: FileRight
  /// What is refused at one place for one cause is one finding: at a directory on the way, or in
  /// the file's own.
  let cause: [String]
}

/// One finding for each place, whomever it keeps out of how many files.
@Sendable private func checkReach(_ host: Host) -> [Finding] {
  guard !host.isTrial else { return [] }
  let refusals = host.needs.flatMap { need in
    need.paths.compactMap { path in
      host.surroundings.obstacle(to: path, for: need.visitor, need.right).map { obstacle, right in
        let cause =
          obstacle == path
          ? [path.parent, "\(need.remedy)"] : [obstacle, host.cure(need.remedy, [obstacle])]
        return Refusal(
          visitor: need.visitor, remedy: need.remedy, path: obstacle, right: right, cause: cause)
      }
    }
  }
  return Dictionary(grouping: refusals, by: \.cause).sorted {
    $0.key.lexicographicallyPrecedes($1.key)
  }.map { finding($0.value, host) }
}

private func finding(_ refusals: [Refusal], _ host: Host) -> Finding {
  let first = refusals[0]
  let visitors = refusals.map(\.visitor).unique
  let paths = refusals.map(\.path).unique
  return Finding(
    visitors.contains { $0.user != nil } ? .daemonShutOut : .roleShutOut, first.path,
    "\(visitors.map(\.name).joined(separator: ", ")) cannot \(first.right.verb) \(first.path)\(paths.count > 1 ? " and \(paths.count - 1) more there" : "").",
    cure: host.cure(first.remedy, paths))
}

extension Host {
  fileprivate var needs: [Need] { daemonNeeds + policyNeeds + logNeeds + socketNeeds }

  private var daemonNeeds: [Need] {
    guard let configuration, let user else { return [] }
    let groups = Set(surroundings.accounts.groups("kist") ?? [])
    let files = configurationFiles + configuration.applePay.merchantIssuers
    return [
      Need(
        visitor: Visitor(name: "The daemon's user", user: user, groups: groups), paths: files,
        remedy: .configuration)
    ]
  }

  /// Who checks, explains, swaps, approves or reviews a policy reads it.
  private var policyNeeds: [Need] {
    ["operators", "approvers", "auditors"].compactMap(members).map {
      Need(visitor: $0, paths: configurationFiles, remedy: .configuration)
    }
  }

  private var logNeeds: [Need] {
    guard let log = configuration?.audit.directory, let auditors = members("auditors") else {
      return []
    }
    let segments = surroundings.names(in: log).filter {
      $0.hasSuffix(".log") || $0.hasSuffix(".log.zst")
    }.map { "\(log)/\($0)" }
    return [Need(visitor: auditors, paths: segments, remedy: .log(log))]
  }

  private var socketNeeds: [Need] {
    guard let configuration else { return [] }
    let people = ["operators", "custodians", "approvers", "auditors", "metrics"]
    return needs(["clients"], configuration.service.path) + needs(people, configuration.admin.path)
  }

  private func needs(_ roles: [String], _ socket: String) -> [Need] {
    let rights = roles.map { "group:kist-\($0):rw" }.joined(separator: ",")
    return roles.compactMap(members).map {
      Need(visitor: $0, paths: [socket], right: .write, remedy: .door(socket, rights: rights))
    }
  }

  /// Nil if there is no such group, which is a finding already.
  private func members(_ role: String) -> Visitor? {
    surroundings.accounts.gid("kist-\(role)").map {
      Visitor(name: "Group kist-\(role)", user: nil, groups: [$0])
    }
  }

  private var configurationFiles: [String] {
    let directory = configuration?.policyDirectory ?? PolicyDirectory.defaultPath
    return [surroundings.configuration]
      + surroundings.names(in: directory).filter { $0.hasSuffix(".toml") }.map {
        "\(directory)/\($0)"
      }
  }

  fileprivate func cure(_ remedy: Remedy, _ paths: [String]) -> String {
    switch remedy {
    case .configuration: "Run setfacl --modify=\(readers) \(paths.joined(separator: " "))."
    case .log(let directory):
      paths[0].hasPrefix(directory) ? .logCure(directory) : "Run chmod o+x \(paths[0])."
    case .door(let socket, let rights):
      paths[0] == socket
        ? "Run setfacl --modify=\(rights) \(socket)." : "Run chmod 755 \(paths[0])."
    }
  }

  /// All who read the configuration, as tmpfiles.d gives it to them; `X` lets them enter
  /// directories.
  private var readers: String {
    ["kist", "kist-operators", "kist-approvers", "kist-auditors"].filter {
      surroundings.accounts.gid($0) != nil
    }.map { "group:\($0):rX" }
      .joined(separator: ",")
  }
}

extension Array where Element: Hashable {
  /// Each once, in the order in which they came.
  fileprivate var unique: [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}

extension String {
  /// What gives a log to the auditors, the files that are there already, too.
  static func logCure(_ directory: String) -> String {
    "Run chgrp -R kist-auditors \(directory) && chmod -R g+rX \(directory) && chmod g+s \(directory)."
  }
}
