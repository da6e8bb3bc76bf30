@testable internal import KeyStore

/// `custodians.json`, which is read before its HMAC can be believed.
enum CustodianFileTarget: FuzzTarget {
  static let name = "custodian-file"
  static let byteLimit = 4096

  static func seeds() throws -> [[UInt8]] {
    [Array(example.utf8), DeepNesting.arrays(200), DeepNesting.objects(200)]
  }

  static func run(_ input: [UInt8]) throws {
    let file = try CustodianFile(parsing: input)
    try promise(file.serialised == input, "a register of custodians encodes to other bytes")
    let kek = [UInt8](repeating: 1, count: 32)
    try promise(try !file.isAuthentic(kek: kek.span), "a register that nobody wrote is authentic")
    let holdings = file.register.groups.flatMap(\.holdings)
    try promise(
      Set(holdings.map(\.holder.user)).count == holdings.count, "somebody holds two shares")
    try promise(file.register.missing(with: [:]) >= 2, "one share is enough")
  }

  private static let example = """
    {"hmac":"\(String(repeating: "0", count: 64))","number":1,"register":{"format":"kist-custodians/v1","group_threshold":1,"groups":[{"shares":\
    [{"fingerprint":"0011223344","name":"Ada","user":"ada"},{"fingerprint":"5566778899","name":"Grace","user":"grace"}],"threshold":2}],\
    "kek":"377822C093","split":4711}}
    """
}
