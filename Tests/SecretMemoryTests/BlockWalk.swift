/// A random but repeatable sequence of allocations and frees that fills every block and looks
/// whether it stays as filled.
struct BlockWalk {
  private struct Live {
    let block: Block
    let count: Int
    let fill: UInt8
  }

  private var state: UInt64
  private var live: [Live] = []

  init(seed: UInt64) { state = seed }

  /// Frees all it allocated, and returns whether every block was zero at first and untouched by the
  /// others.
  mutating func run(steps: Int) -> Bool {
    var isSound = true
    for _ in 0..<steps {
      if live.count < 64, random(below: 2) == 0 {
        isSound = allocate() && isSound
      } else if !live.isEmpty {
        isSound = free(at: random(below: live.count)) && isSound
      }
    }
    while !live.isEmpty { isSound = free(at: 0) && isSound }
    return isSound
  }

  private mutating func allocate() -> Bool {
    let count = (1 << random(below: 12)) + random(below: 64)
    guard let block = Block(count: count) else { return true }
    let isZero = block.holds(0, in: 0..<count)
    let fill = UInt8(1 + random(below: 255))
    block.fill(fill, count: count)
    live.append(Live(block: block, count: count, fill: fill))
    return isZero
  }

  private mutating func free(at index: Int) -> Bool {
    let gone = live.remove(at: index)
    let isUntouched = gone.block.holds(gone.fill, in: 0..<gone.count)
    gone.block.free()
    return isUntouched
  }

  private mutating func random(below bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(bound))
  }
}
