@testable import Server
import Testing

@Suite struct PeerIdentityTests {
  struct Group: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let path: String
    let unit: String?

    init(_ path: String, _ unit: String?, _ name: String) {
      testDescription = name
      self.path = path
      self.unit = unit
    }
  }

  static let groups = [
    Group("/system.slice/acme.service", "acme.service", "a service"),
    Group("/system.slice/acme.scope", "acme.scope", "a scope"),
    Group("/system.slice/system-acme.slice/acme@2.service", "acme@2.service", "a slice below"),
    Group("/system.slice/acme.service/worker", "acme.service", "a group of the service's own"),
    Group("/acme.slice/acme-web.slice/web.service", "web.service", "a slice that is configured"),
    Group(
      "/system.slice/evil.service/acme.service", "evil.service",
      "a service inside another: the outermost"),
    Group(
      "/user.slice/user-1012.slice/user@1012.service/app.slice/acme.service", nil,
      "a user's own service"),
    Group(
      "/user.slice/user-1012.slice/user@1012.service/system.slice/acme.service", nil,
      "a user's own slice"),
    Group("/user.slice/user-1012.slice/session-3.scope", nil, "a session"),
    Group("/machine.slice/box.scope/system.slice/acme.service", nil, "a container's own manager"),
    Group("/system.slice/worker/acme.service", nil, "below what is neither slice nor unit"),
    Group("/system.slice", nil, "a slice alone"),
    Group("/system.slice//acme.service", nil, "an empty name"),
    Group("/../system.slice/acme.service", nil, "outside the reader's own root"),
    Group("/acme.service", nil, "no slice"),
    Group("/init.scope", nil, "the manager itself"),
    Group("/", nil, "the root"),
  ]

  @Test("the unit is the outermost, below a slice of the system's", arguments: groups) func units(
    _ group: Group
  ) {
    let slices: Set = ["system.slice", "acme-web.slice"]
    #expect(PeerIdentity.unit(inControlGroup: "0::\(group.path)\n", below: slices) == group.unit)
    #expect(
      PeerIdentity.unit(
        inControlGroup: "1:name=systemd:/system.slice/other.service\n0::\(group.path)\n",
        below: slices) == group.unit)
    #expect(
      PeerIdentity.unit(inControlGroup: "1:name=systemd:\(group.path)\n", below: slices) == nil)
    let other = "1:name=systemd:/user.slice/own"
    for end in ["\r\n", "\u{2028}\n"] {
      #expect(
        PeerIdentity.unit(inControlGroup: "\(other)\(end)0::\(group.path)\n", below: slices)
          == group.unit)
    }
    for end in ["\r", "\u{2028}", "\u{85}", "\u{c}"] {
      #expect(
        PeerIdentity.unit(inControlGroup: "\(other)\(end)0::\(group.path)\n", below: slices) == nil)
    }
  }
}
