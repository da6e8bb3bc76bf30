import Crypto
import Foundation
import Testing

@Suite final class PolicyCommandTests {
  private let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
    "kist-cli-\(UUID().uuidString)"
  ).path

  init() throws {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try write(
      "10.toml",
      """
      [[grant]]
      id = "acme"
      users = [1001]
      operations = ["open-payment-token"]
      keys = ["merchant/acme/*"]
      release = ["last4"]
      rate = "5/s"

      [[grant]]
      id = "late"
      groups = [100]
      operations = ["random", "open-payment-token"]
      keys = ["*"]
      stages = true

      """)
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  private func write(_ name: String, _ text: String) throws {
    let path = directory + "/" + name
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
  }

  private func explain(_ arguments: String...) throws -> Transcript {
    try Kist.run(["policy", "explain", "--dir", directory] + arguments)
  }

  @Test func checkOfAGoodPolicy() throws {
    let canonical = try Kist.run(["policy", "show", directory]).output
    let digest = SHA256.hash(Array(canonical.utf8)).hex
    #expect(
      try Kist.run(["policy", "check", directory])
        == Transcript(output: "\(directory): good, 2 grants\nSHA-256 \(digest)\n"))
    let json =
      "{\"directory\":\"\(directory)\",\"grants\":2,\"ok\":true,\"remarks\":[],\"sha256\":\"\(digest)\"}\n"
    #expect(try Kist.run(["policy", "check", "--json", directory]) == Transcript(output: json))
  }

  @Test func checkNamesAllMistakesAtOnce() throws {
    try write(
      "20.toml",
      """
      [[grant]]
      id = "shop"
      users = [1, "nobody-like-that", 1]
      operations = ["open-payment-tokn", "random"]
      realease = ["last4"]
      rate = "5 a second"

      [[gran]]
      """)
    try write(
      "30.toml",
      "[[grant]]\nid = \"acme\"\nusers = [1]\noperations = [\"random\"]\n\n[[grant]]\nusers = [2]\noperations = [\"random\"]\n"
    )
    let lines = try Kist.run(["policy", "check", directory]).complaint.split(separator: "\n").map {
      $0.replacing(directory + "/", with: "")
    }
    let expected = [
      "20.toml:3:13: unknown user \"nobody-like-that\"; expected the name or number of a user on this system",
      "20.toml:3:33: is listed twice in 'users'; expected once",
      "20.toml:4:15: 'operations[0]' is \"open-payment-tokn\"; did you mean \"open-payment-token\"? expected one of describe,",
      "20.toml:5:1: unknown key 'realease' (did you mean 'release'?); expected one of approval,",
      "20.toml:6:8: 'rate' is \"5 a second\"; expected a rate such as",
      "20.toml:8:3: unknown key 'gran' (did you mean 'grant'?); expected one of grant",
      "30.toml:6:1: 'id' is missing; expected a name of its own for this grant",
      "30.toml:2:6: 'id' is \"acme\" as at 10.toml:2; expected an id of its own",
    ]
    #expect(lines.count == expected.count)
    for (line, expected) in zip(lines, expected) { #expect(line.hasPrefix(expected), "\(line)") }
    // One that reads the policy to use it needs to know only that it cannot.
    #expect(
      try Kist.run(["policy", "show", directory]).complaint.split(separator: "\n").count == 1)
  }

  @Test func checkWithoutTheHostsAccounts() throws {
    let place = directory + "/elsewhere"
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
    try write(
      "elsewhere/10.toml",
      "[[grant]]\nid = \"shop\"\nusers = [\"acme-web\"]\ngroups = [\"acme\"]\noperations = [\"random\"]\n"
    )
    try write("passwd", "root:x:0:0:root:/:/bin/sh\nacme-web:x:1001:1001::/:/bin/false\n")
    try write("group", "acme:x:2001:acme-web\n")
    let users = directory + "/passwd"
    let groups = directory + "/group"
    #expect(
      try Kist.run(["policy", "check", place]).complaint.contains("unknown user \"acme-web\""))
    #expect(
      try Kist.run(["policy", "check", place, "--users", users]).complaint.contains(
        "unknown group \"acme\""))
    let known = try Kist.run(["policy", "check", place, "--users", users, "--groups", groups])
    #expect((known.code, known.complaint) == (0, ""))
    #expect(known.output.hasPrefix("\(place): good, 1 grant\nSHA-256 "))
    try write(
      "elsewhere/10.toml",
      "[[grant]]\nid = \"shop\"\nusers = [\"a\", \"b\"]\ngroups = [\"c\"]\noperations = [\"random\"]\n"
    )
    #expect(
      try Kist.run(["policy", "check", place, "--no-accounts"])
        == Transcript(output: "\(place): good, 1 grant\n"))
    #expect(try Kist.run(["policy", "check", place, "--no-accounts", "--users", users]).code == 2)
    #expect(
      try Kist.run(["policy", "check", place, "--users", "/nowhere"]).complaint
        == "/nowhere: cannot be read: No such file or directory\n")
    #expect(
      try Kist.run(["policy", "diff", place, place, "--no-accounts"])
        == Transcript(output: "both allow the same\n"))
    try write(
      "cases.toml",
      "[[case]]\nuser = \"a\"\ngroups = [\"c\"]\noperation = \"random\"\ngrant = \"shop\"\n")
    #expect(
      try Kist.run(["policy", "test", directory + "/cases.toml", "--dir", place, "--no-accounts"])
        .code == 0)
  }

  @Test func checkOfABadPolicy() throws {
    try write("20.toml", "[[grant]]\nid = \"acme\"\nusers = [1]\noperations = [\"random\"]\n")
    let message = "'id' is \"acme\" as at \(directory)/10.toml:2; expected an id of its own"
    let complaint = "\(directory)/20.toml:2:6: \(message)\n"
    #expect(
      try Kist.run(["policy", "check", directory]) == Transcript(code: 1, complaint: complaint))
    let escaped = message.replacingOccurrences(of: "\"", with: "\\\"")
    #expect(
      try Kist.run(["policy", "check", directory, "--json"])
        == Transcript(
          code: 1,
          output:
            "{\"directory\":\"\(directory)\",\"mistakes\":[{\"column\":6,\"file\":\"\(directory)/20.toml\",\"line\":2,\"message\":\"\(escaped)\"}],\"ok\":false}\n",
          complaint: complaint))
    #expect(
      try Kist.run(["policy", "show", directory]) == Transcript(code: 1, complaint: complaint))
    #expect(
      try explain("--user", "1001", "--group", "1", "--op", "random")
        == Transcript(code: 1, complaint: complaint))
  }

  @Test func checkOfNoPolicy() throws {
    #expect(
      try Kist.run(["policy", "check", directory + "/x"])
        == Transcript(
          code: 66, complaint: "\(directory)/x: cannot be read: No such file or directory\n"))
  }

  @Test func show() throws {
    #expect(
      try Kist.run(["policy", "show", directory])
        == Transcript(
          output: """
            # kist policy, canonical form 1

            [[grant]]
            id = "acme"
            users = [1001]
            operations = ["open-payment-token"]
            keys = ["merchant/acme/*"]
            release = ["last4"]
            rate = "5/s"

            [[grant]]
            id = "late"
            groups = [100]
            operations = ["random", "open-payment-token"]
            keys = ["*"]
            stages = true

            """))
    let acme =
      "{\"approval\":false,\"envelope\":[],\"executables\":[],\"groups\":[],\"id\":\"acme\",\"keys\":[\"merchant/acme/*\"],\"operations\":[\"open-payment-token\"],\"rate\":\"5/s\",\"release\":[\"last4\"],\"stages\":false,\"units\":[],\"users\":[1001]}"
    #expect(
      try Kist.run(["policy", "show", directory, "--json"]).output.hasPrefix(
        "{\"grants\":[\(acme),{"))
  }

  @Test func explainAllowed() throws {
    #expect(
      try explain("--user=1001", "--group=100", "--op=open-payment-token", "--key=merchant/acme/x")
        == Transcript(
          output: """
            allowed by grant acme
              releases last4
              up to 5/s for each user
              comes before grant late, which would cover it too

            """))
    #expect(
      try explain(
        "--user", "7", "--group", "1", "--group", "100", "--op", "open-payment-token", "--key", "x")
        == Transcript(
          output: """
            allowed by grant late
              releases nothing
              shows the stage of a rejection

            """))
    for free in ["ping", "ready"] {
      #expect(
        try explain("--user", "7", "--group", "1", "--op", free)
          == Transcript(output: "allowed: \(free) needs no grant\n"))
    }
    #expect(
      try explain("--user", "7", "--group", "100", "--op", "random", "--json").output.hasPrefix(
        "{\"allowed\":true,\"grant\":{"))
  }

  @Test func explainOfLimitsAndTimes() throws {
    try write(
      "05.toml",
      """
      [[grant]]
      id = "office"
      users = [5]
      operations = ["open-payment-token"]
      keys = ["merchant/acme/*"]
      quota = "500/d"
      key_quota = "9000/w"
      from = "2026-11-01"
      hours = ["mon-fri 08:00-18:00"]

      """)
    let request = [
      "--user", "5", "--group", "1", "--op", "open-payment-token", "--key", "merchant/acme/x",
      "--at",
    ]
    #expect(
      try Kist.run(["policy", "explain", "--dir", directory] + request + ["2026-11-20T09:30:00Z"])
        == Transcript(
          output: """
            allowed by grant office
              releases nothing
              up to 500/d for each user
              up to 9000/w for each key
              in force from 2026-11-01T00:00:00Z, mon-fri 08:00-18:00 UTC

            """))
    #expect(
      try Kist.run(["policy", "explain", "--dir", directory] + request + ["2026-11-21T09:30:00Z"])
        == Transcript(
          code: 1,
          output: """
            denied: no grant covers this caller, operation and key together
              grant office:
                it is not in force at 2026-11-21T09:30:00Z, but from 2026-11-01T00:00:00Z, mon-fri 08:00-18:00 UTC
              grant acme:
                user 5 is not among 1001
              grant late:
                none of groups 1 is among 100

            """))
    let shown = try Kist.run(["policy", "show", directory, "--json"]).output
    #expect(
      shown.contains(
        "\"from\":\"2026-11-01T00:00:00Z\",\"groups\":[],\"hours\":[\"mon-fri 08:00-18:00\"],\"id\":\"office\",\"key_quota\":\"9000/w\""
      ))
    #expect(try Kist.run(["policy", "explain", "--dir", directory] + request + ["noon"]).code == 2)
  }

  @Test func explainDenied() throws {
    #expect(
      try explain(
        "--user", "1002", "--group", "1", "--op", "open-payment-token", "--key", "merchant/acme/x")
        == Transcript(
          code: 1,
          output: """
            denied: no grant covers this caller, operation and key together
              grant acme:
                user 1002 is not among 1001
              grant late:
                none of groups 1 is among 100

            """))
    #expect(
      try explain("--user", "1002", "--group", "1", "--op", "open-payment-token", "--json")
        == Transcript(
          code: 1,
          output:
            "{\"allowed\":false,\"denial\":\"no-grant\",\"nearest\":[{\"grant\":\"acme\",\"lacks\":[\"key\",\"user\"]},{\"grant\":\"late\",\"lacks\":[\"key\",\"group\"]}]}\n"
        ))
    #expect(
      try explain("--user", "root", "--op", "random").output.contains(
        "root is covered only if users names it"))
  }

  @Test func explainOfUnknownAccounts() throws {
    #expect(
      try explain("--user", "no such user", "--op", "random")
        == Transcript(code: 1, complaint: "kist policy explain: unknown user 'no such user'\n"))
    #expect(
      try explain("--user", "root", "--group", "no such group", "--op", "random")
        == Transcript(code: 1, complaint: "kist policy explain: unknown group 'no such group'\n"))
  }
}
