internal import Simulation
internal import ServiceHarness

// kist-sim SEED… | --seeds COUNT [--from SEED] [--acts COUNT]: plays the histories of seeds, and tells the shortest that surprises.

var seeds: [UInt64] = []
var (count, first, acts) = (UInt64(0), UInt64(1), 60)
var arguments = CommandLine.arguments.dropFirst()
while let word = arguments.popFirst() {
  switch word {
  case "--seeds": count = arguments.popFirst().flatMap { UInt64($0) } ?? 0
  case "--from": first = arguments.popFirst().flatMap { UInt64($0) } ?? 1
  case "--acts": acts = arguments.popFirst().flatMap { Int($0) } ?? acts
  default: if let seed = UInt64(word) { seeds.append(seed) }
  }
}
if count > 0 { seeds += first..<first + count }
guard !seeds.isEmpty else { fatalError("usage: kist-sim SEED... | --seeds COUNT [--from SEED] [--acts COUNT]") }

let scene = try TokenScene()
var tally = Tally()
var surprises = 0
for seed in seeds {
  let history = History(.made(of: seed, count: acts), in: scene)
  tally.add(history)
  guard history.surprise != nil else { continue }
  surprises += 1
  print("seed \(seed):\n\(history.shortened(in: scene).told)")
}
print("\(seeds.count) histories, \(surprises) surprises\n\(tally)")
