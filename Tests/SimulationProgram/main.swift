internal import Foundation
internal import ServiceHarness
internal import Simulation

// kist-sim SEED… | --seeds COUNT [--from SEED] [--acts COUNT] [--first]: plays the histories of seeds, and tells the shortest that surprises.
// With --first it ends with the first such seed; the exit code is 1 if there was one.

var seeds: [UInt64] = []
var (count, first, acts) = (UInt64(0), UInt64(1), 60)
var endsWithFirst = false
var arguments = CommandLine.arguments.dropFirst()
while let word = arguments.popFirst() {
  switch word {
  case "--seeds": count = arguments.popFirst().flatMap { UInt64($0) } ?? 0
  case "--from": first = arguments.popFirst().flatMap { UInt64($0) } ?? 1
  case "--acts": acts = arguments.popFirst().flatMap { Int($0) } ?? acts
  case "--first": endsWithFirst = true
  default: if let seed = UInt64(word) { seeds.append(seed) }
  }
}
if count > 0 { seeds += first..<first + count }
guard !seeds.isEmpty else { fatalError("usage: kist-sim SEED... | --seeds COUNT [--from SEED] [--acts COUNT] [--first]") }

let scene = try TokenScene()
var tally = Tally()
var (played, surprises) = (0, 0)
for seed in seeds {
  let history = History(.made(of: seed, count: acts), in: scene)
  tally.add(history)
  played += 1
  guard history.surprise != nil else { continue }
  surprises += 1
  print("seed \(seed):\n\(history.shortened(in: scene).told)")
  if endsWithFirst { break }
}
print("\(played) histories, \(surprises) surprises\n\(tally)")
exit(surprises == 0 ? 0 : 1)
