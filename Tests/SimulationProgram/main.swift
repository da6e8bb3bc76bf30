import Foundation
import ServiceHarness
import Simulation
import TestSupport

// kist-sim SEED… | --seeds COUNT [--from SEED] [--acts COUNT] [--first] [--tell]: plays the
// histories of seeds, and tells the shortest that surprises. With --first it ends with the first
// such seed; the exit code is 1 if there was one. With --tell it tells each history, and prints a
// digest of all that it left.

// Swift gives its hash tables another order in each process, unless it is told not to before the
// process begins. glibc is told not to give readers' buffers back to the system each time.
if unsafe getenv("SWIFT_DETERMINISTIC_HASHING") == nil {
  unsafe setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
  unsafe setenv(
    "GLIBC_TUNABLES",
    "glibc.malloc.mmap_threshold=1073741824:glibc.malloc.trim_threshold=1073741824", 1)
  unsafe execv("/proc/self/exe", CommandLine.unsafeArgv)
  fatalError("cannot start anew: errno \(errno)")
}

var seeds: [UInt64] = []
var count = UInt64(0)
var first = UInt64(1)
var acts = 60
var endsWithFirst = false
var tellsAll = false
var arguments = CommandLine.arguments.dropFirst()
while let word = arguments.popFirst() {
  switch word {
  case "--seeds": count = number(arguments.popFirst())
  case "--from": first = number(arguments.popFirst())
  case "--acts": acts = Int(clamping: number(arguments.popFirst()))
  case "--first": endsWithFirst = true
  case "--tell": tellsAll = true
  default: seeds.append(number(word))
  }
}
if count > 0 { seeds += first..<first + count }
guard !seeds.isEmpty else { usage() }

let interleaving = SeededInterleaving()
// OpenSSL takes its memory from the arena only if that is there before anything else. The scene is
// the same for every seed.
guard TestArena.ready else { fatalError("no arena") }
for row in Ends.rows where try !row.holds() {
  print("not freed or given back: \(row.name)")
  exit(1)
}
interleaving.begin(0)
let scene = try TokenScene(keks: 3)
var coverage = Coverage()
for seed in seeds {
  let history = History(.made(of: seed, count: acts), seed: seed, interleaving, in: scene)
  coverage.add(history)
  if tellsAll { print("seed \(seed): digest \(history.digest)\n\(history.told)") }
  guard history.surprise != nil else { continue }
  print("seed \(seed):\n\(history.shortened(in: scene).told)")
  if endsWithFirst { break }
}
print("\(coverage)\n\(SeededInterleaving.switches) times another thread went on")
exit(coverage.surprises == 0 ? 0 : 1)

func number(_ word: String?) -> UInt64 {
  guard let word, let number = UInt64(word) else { usage() }
  return number
}

func usage() -> Never {
  print("usage: kist-sim SEED... | --seeds COUNT [--from SEED] [--acts COUNT] [--first] [--tell]")
  exit(64)
}
