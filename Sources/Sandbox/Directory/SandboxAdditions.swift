import Configuration
import Host

/// What somebody adds to a sandbox: settings, and grants that come before its own.
package struct SandboxAdditions: Sendable {
  /// nil leaves the settings as they are.
  let configuration: PolicyDirectory.Source?
  /// Empty leaves the grants as they are.
  let policies: [PolicyDirectory.Source]

  package static let none = SandboxAdditions(nil, [])

  package var isEmpty: Bool { configuration == nil && policies.isEmpty }

  private init(_ configuration: PolicyDirectory.Source?, _ policies: [PolicyDirectory.Source]) {
    self.configuration = configuration
    self.policies = policies
  }

  /// - Parameters:
  ///   - configuration: the path of a file in the form of kist.toml.
  ///   - policies: the paths of files in the form of those of policy.d, at most 99, in the order in
  ///     which their grants decide.
  package init(configuration: String?, policies: [String]) throws(SandboxError) {
    var grants: [PolicyDirectory.Source] = []
    for path in policies {
      grants.append(.init(file: path, text: try onConfiguration(TextFile.read(path))))
    }
    let settings = try configuration.map { (path) throws(SandboxError) in
      PolicyDirectory.Source(file: path, text: try onConfiguration(TextFile.read(path)))
    }
    self.init(settings, grants)
  }

  /// Whether a file of policy.d is one that was added.
  static func isAddedPolicy(_ name: String) -> Bool { name.hasPrefix("05-added-") }
  /// The name of the file in a sandbox that has the settings that were added.
  static let configurationName = "added.toml"
}

extension SandboxAdditions {
  /// Checks them together with what the sandbox has, before anything is changed.
  ///
  /// - Parameter grants: the other files of its policy.
  func check(_ own: SandboxSettings, among grants: [PolicyDirectory.Source], file: String)
    throws(SandboxError)
  {
    try onConfiguration(MergedConfiguration(own, with: configuration).check(file: file))
    // The sandbox's own come first here: of two grants of one name, the one that was added is at
    // fault.
    _ = try onConfiguration(PolicyDirectory.locate(grants + policies, accounts: .system))
  }

  /// Puts the grants into policy.d in place of those that were added before; without any, leaves
  /// them.
  func writePolicies(to directory: String, on disk: any Disk) throws(SandboxError) {
    guard !policies.isEmpty else { return }
    for name in try onDisk(disk.list(directory)) where Self.isAddedPolicy(name) {
      try onDisk(DurableFile.remove(directory + "/" + name, on: disk))
    }
    for (index, policy) in policies.enumerated() {
      let number = (index < 9 ? "0" : "") + String(index + 1)
      try onDisk(
        DurableFile.replace(
          "05-added-\(number).toml", in: directory, with: policy.text.span, mode: 0o644, on: disk))
    }
  }
}
