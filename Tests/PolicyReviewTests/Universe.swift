import Format
import Policy
import Review
import TestSupport

/// A small world, all of whose requests can be asked about.
enum Universe {
  /// A Friday, 09:30 UTC.
  static let friday = Timestamp(seconds: 1_795_167_000)
  static let users: [UInt32] = [0, 1, 2, 9]
  static let groupSets: [[UInt32]] = [[], [10], [11], [10, 11]]
  static let units: [String?] = [nil, "u.service"]
  static let labels = ["a", "a/b", "a/x", "a/c/d", "z"]
  static let operations: [Opcode] = [.openPaymentToken, .verifyPaymentToken, .listKeys, .random]
  /// On each side of every hour that rules have, on every day around the dates that they have.
  static let times = (-7...7).flatMap { day in
    [-8, -1, 0, 10, 13].map { friday.adding(seconds: Int64(day) * 86_400 + Int64($0) * 3600) }
  }

  static var callers: [Caller] {
    users.flatMap { user in
      groupSets.flatMap { groups in
        units.map { Caller(uid: user, gid: 99, groups: groups, pid: 1, unit: $0) }
      }
    }
  }

  /// Every request there is at these times.
  static func questions(at times: [Timestamp]) -> [Question] {
    callers.flatMap { caller in
      operations.flatMap { opcode in
        labels(of: opcode).flatMap { label in
          times.map { Question(caller, opcode, label: label, at: $0) }
        }
      }
    }
  }

  private static func labels(of opcode: Opcode) -> [String?] {
    switch opcode.keyUse {
    case .never: [nil]
    case .optional, .covered: [nil] + labels
    case .required: labels
    }
  }

  static func policy(_ random: inout SplitMix64, count: Int, timed: Bool = false) throws -> Policy {
    try Policy((0..<count).map { try rule($0, &random, timed) })
  }

  private static func rule(_ number: Int, _ random: inout SplitMix64, _ timed: Bool) throws -> Rule
  {
    func some<T>(_ values: [T]) -> [T] {
      values.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
    }
    var users = some([0, 1, 2] as [UInt32])
    let groups = some([10, 11] as [UInt32])
    let units = some(["u.service"])
    if users.isEmpty && groups.isEmpty { users = [1] }
    let operations = Set(some(Self.operations) + [Self.operations[number % 4]])
    let keys =
      operations.contains { $0.keyUse.namesKeys }
      ? some(["a", "a/b", "a/*", "*"]) + ["a/c/*"] : []
    return try Rule(
      id: "g\(number)",
      callers: CallerRule(
        users: users.map { Principal(id: $0) }, groups: groups.map { Principal(id: $0) },
        units: units),
      operations: operations, keys: keys.compactMap(KeyPattern.init),
      released: operations.contains(.openPaymentToken)
        ? ReleasedFields(some([.last4, .network])) : [],
      showsStage: Int.random(in: 0..<4, using: &random) == 0,
      validity: timed ? validity(&random) : .always)
  }

  private static func validity(_ random: inout SplitMix64) -> Validity {
    let hours = ["mon-fri 08:00-18:00", "sat 00:00-24:00", "22:00-24:00"].compactMap(
      WeeklyHours.init)
    let date = friday.adding(seconds: Int64.random(in: -5...5, using: &random) * 86_400)
    return [
      .always, Validity(from: date), Validity(until: date),
      Validity(hours: [hours[Int.random(in: 0..<3, using: &random)]]),
      Validity(from: date, hours: [hours[0]]),
    ][Int.random(in: 0..<5, using: &random)]
  }
}
