import Ceremony
import Crypto
import Host
import TestSupport
import Testing

/// Components of a key, and what comes of them.
struct ComponentSheets: Sendable, CustomTestStringConvertible {
  let name: String
  let algorithm: ComponentAlgorithm
  var components: [[UInt8]]
  /// Check values as the sheets have them; nil for the right ones.
  var checks: [Int: String] = [:]
  var combined: String?
  var expected: Int?
  var parity = KeyComponents.Parity.odd

  var testDescription: String { name }

  /// Good components: three for an odd `seed`, two for an even one.
  static func good(_ algorithm: ComponentAlgorithm, _ seed: UInt8) -> ComponentSheets {
    let components = (0..<(seed % 2 == 0 ? 2 : 3)).map { number in
      component(algorithm, seed &+ UInt8(number) * 83)
    }
    return ComponentSheets(
      name: "\(algorithm), \(components.count)", algorithm: algorithm, components: components)
  }

  static func component(_ algorithm: ComponentAlgorithm, _ seed: UInt8) -> [UInt8] {
    var bytes = (0..<algorithm.byteCount).map {
      (UInt8(truncatingIfNeeded: $0) &+ seed) &* 151 ^ seed
    }
    switch algorithm {
    case .aes128, .aes192, .aes256: return bytes
    case .tripleDES2, .tripleDES3:
      var span = bytes.mutableSpan
      DESParity.setOdd(&span)
      return bytes
    }
  }

  /// The XOR; of TDES with odd parity.
  var key: [UInt8] {
    var key = components.dropFirst().reduce(components[0]) { zip($0, $1).map(^) }
    switch algorithm {
    case .aes128, .aes192, .aes256: break
    case .tripleDES2, .tripleDES3:
      var span = key.mutableSpan
      DESParity.setOdd(&span)
    }
    return key
  }

  func changed(_ name: String, _ change: (inout ComponentSheets) -> Void) -> ComponentSheets {
    var copy = ComponentSheets(
      name: "\(self.name): \(name)", algorithm: algorithm, components: components, checks: checks,
      combined: combined, expected: expected, parity: parity)
    change(&copy)
    return copy
  }

  /// The combined key, or why there is none.
  func run() throws -> Result<[UInt8], ComponentError> {
    do throws(ComponentError) {
      var entry = try KeyComponents(
        algorithm, expected: expected ?? components.count, parity: parity)
      for (index, component) in components.enumerated() {
        try entry.take(component.span, check: check(checks[index], component))
      }
      let key = try entry.combine(check: check(combined, key))
      return .success(key.bytes.indices.map { key.bytes[$0] })
    } catch {
      return .failure(error)
    }
  }

  /// The one on the sheet, or the right one; any where the bytes are no key.
  private func check(_ text: String?, _ key: [UInt8]) throws(ComponentError) -> KeyCheckValue {
    guard let none = KeyCheckValue(hex: "000000") else { throw .missing }
    if let text { return KeyCheckValue(hex: text) ?? none }
    return (try? algorithm.checkValue(of: key.span)) ?? none
  }
}

@Suite struct KeyComponentsTests {
  init() throws { try #require(TestArena.ready) }

  static let good = ComponentAlgorithm.allCases.flatMap {
    [ComponentSheets.good($0, 6), ComponentSheets.good($0, 7)]
  }

  /// Two and three components of every sort of key, with check values of three bytes and, of AES,
  /// five.
  @Test(arguments: good) func componentsMakeTheirKey(_ sheets: ComponentSheets) throws {
    #expect(try sheets.run() == .success(sheets.key))
    let short = sheets.changed("short check values") { sheets in
      let algorithm = sheets.algorithm
      for (index, component) in sheets.components.enumerated() {
        sheets.checks[index] = try? "\(algorithm.checkValue(of: component.span).short)"
      }
      sheets.combined = try? "\(algorithm.checkValue(of: sheets.key.span).short)"
    }
    #expect(short.checks.count == sheets.components.count && short.combined != nil)
    #expect(try short.run() == .success(sheets.key))
  }

  /// A key that payShield's own example data wraps, split here: the check value is the machine's.
  @Test func theCheckValueIsTheMachines() throws {
    let key =
      [
        0x5D, 0xB5, 0x0B, 0x45, 0x4F, 0x83, 0x89, 0xAD, 0xCE, 0x57, 0x3B, 0xE5, 0x08, 0x61, 0xF2,
        0xBF,
      ] as [UInt8]
    let first = ComponentSheets.component(.tripleDES2, 3)
    let second = ComponentSheets.component(.tripleDES2, 91)
    // Three odd bytes make an odd one.
    let third = zip(zip(first, second).map(^), key).map(^)
    let sheets = ComponentSheets(
      name: "payShield", algorithm: .tripleDES2, components: [first, second, third],
      combined: "5C9405")
    #expect(try sheets.run() == .success(key))
  }

  static let refused: [(ComponentSheets, ComponentError)] = {
    let aes = ComponentSheets.good(.aes256, 7)
    let tdes = ComponentSheets.good(.tripleDES2, 7)
    let three = ComponentSheets.good(.tripleDES3, 6)
    return [
      (aes.changed("one") { $0.expected = 1 }, .count),
      (aes.changed("four") { $0.expected = 4 }, .count),
      (
        aes.changed("a fourth") {
          $0.components.append($0.components[0]); $0.expected = 3
        }, .surplus
      ),
      (
        aes.changed("one is missing") {
          $0.components.removeLast(); $0.expected = 3
        }, .missing
      ),
      (aes.changed("short") { $0.components[1].removeLast() }, .length(component: 2)),
      (aes.changed("long") { $0.components[0].append(1) }, .length(component: 1)),
      (
        tdes.changed("long") { $0.components[2] += $0.components[2].prefix(8) },
        .length(component: 3)
      ),
      (
        aes.changed("a slip in the first") { $0.checks[0] = "0123456789" },
        .checkValue(component: 1)
      ),
      (aes.changed("a slip in the last") { $0.checks[2] = "012345" }, .checkValue(component: 3)),
      (tdes.changed("a slip") { $0.checks[1] = "012345" }, .checkValue(component: 2)),
      (aes.changed("another key") { $0.combined = "012345" }, .combinedCheckValue),
      (tdes.changed("another key") { $0.combined = "0123456789" }, .combinedCheckValue),
      (aes.changed("twice") { $0.components[2] = $0.components[0] }, .equal(component: 3, to: 1)),
      (tdes.changed("twice") { $0.components[1] = $0.components[0] }, .equal(component: 2, to: 1)),
      (
        tdes.changed("twice but for parity") {
          $0.components[1] = $0.components[0].map { $0 ^ 1 }; $0.parity = .any
        }, .equal(component: 2, to: 1)
      ),
      (tdes.changed("even parity") { $0.components[1][5] ^= 1 }, .parity(component: 2)),
      (
        aes.changed("zeros") { $0.components[1] = [UInt8](repeating: 0, count: 32) },
        .zeroComponent(2)
      ),
      (
        tdes.changed("zeros of odd parity") { $0.components[0] = [UInt8](repeating: 1, count: 16) },
        .zeroComponent(1)
      ),
      (
        aes.changed("cancelled") {
          $0.components[2] = zip($0.components[0], $0.components[1]).map(^)
        }, .zeroKey
      ),
      (
        tdes.changed("cancelled but for parity") {
          $0.components[2] = zip($0.components[0], $0.components[1]).map { $0 ^ $1 ^ 1 }
        }, .zeroKey
      ),
      (
        tdes.changed("equal halves") { sheets in
          sheets.components = sheets.components.map { Array($0.prefix(8) + $0.prefix(8)) }
        }, .equalParts
      ),
      (
        three.changed("last two parts equal") { sheets in
          sheets.components = sheets.components.map { Array($0.prefix(16) + $0[8..<16]) }
        }, .equalParts
      ),
    ]
  }()

  /// [KS-COMPONENT-COUNT] [KS-COMPONENT-LENGTH] [KS-COMPONENT-PARITY] [KS-COMPONENT-KCV]
  /// [KS-COMPONENT-ZERO] [KS-COMPONENT-EQUAL] [KS-COMPONENT-PARTS]
  @Test(arguments: refused.indices) func whatMakesNoKeyIsRefusedByName(_ row: Int) throws {
    let (sheets, error) = Self.refused[row]
    #expect(try sheets.run() == .failure(error), "\(sheets.name)")
  }

  @Test func parityMayBeLeftToChance() throws {
    let sheets = ComponentSheets.good(.tripleDES3, 6).changed("any parity") { sheets in
      sheets.components[0][3] ^= 1
      sheets.parity = .any
    }
    #expect(try sheets.run() == .success(sheets.key))
  }

  /// A component that was refused may be entered again, and leaves nothing of itself.
  @Test func aSlipMayBeMended() throws {
    let sheets = ComponentSheets.good(.aes128, 6)
    var entry = try KeyComponents(.aes128, expected: 2)
    let first = sheets.components[0]
    let second = sheets.components[1]
    let check = try KeyCheckValue.aes(first.span)
    let other = try KeyCheckValue.aes(second.span)
    try entry.take(first.span, check: check)
    // The first again, with its own check value; zeros, with another's; too few.
    var refusals: [ComponentError] = []
    for wrong in [first, [UInt8](repeating: 0, count: 16), [1]] {
      do throws(ComponentError) { try entry.take(wrong.span, check: check) } catch {
        refusals.append(error)
      }
    }
    #expect(
      refusals == [.equal(component: 2, to: 1), .checkValue(component: 2), .length(component: 2)])
    try entry.take(second.span, check: other)
    let expected = sheets.key
    let key = try entry.combine(check: try KeyCheckValue.aes(expected.span))
    let isRight = ConstantTime.equal(key.bytes, expected.span)
    #expect(isRight)
  }

  /// psec's row of `adjust_key_parity`.
  @Test func parity() {
    let given: [UInt8] = [
      0x1A, 0x2B, 0x3C, 0x4D, 0x5F, 0x0A, 0x1B, 0x2C, 0x4D, 0x5F, 0x6A, 0x7B, 0x8C, 0x9D, 0x0F,
      0x1A,
    ]
    let odd: [UInt8] = [
      0x1A, 0x2A, 0x3D, 0x4C, 0x5E, 0x0B, 0x1A, 0x2C, 0x4C, 0x5E, 0x6B, 0x7A, 0x8C, 0x9D, 0x0E,
      0x1A,
    ]
    let isGivenOdd = DESParity.isOdd(given.span)
    let isOddOdd = DESParity.isOdd(odd.span)
    #expect(!isGivenOdd && isOddOdd)
    for byte in UInt8.min...UInt8.max {
      let one = [byte]
      let isOdd = DESParity.isOdd(one.span)
      #expect(isOdd == (byte.nonzeroBitCount % 2 == 1))
    }
    var changed = given
    var span = changed.mutableSpan
    DESParity.setOdd(&span)
    #expect(changed == odd)
  }
}
