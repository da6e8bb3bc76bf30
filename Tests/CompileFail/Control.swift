// The same values used as they are meant to be; this file must compile, or the refusals beside it
// prove nothing.
import Audit
import Format
import Host
import Operations
import Policy

func fill() throws(SecretMemoryError) -> SecretBuffer {
  var secret = try SecretBuffer(count: 32)
  var bytes = secret.mutableBytes
  bytes[0] = 1
  return secret
}

func read() throws(SecretMemoryError) -> Int {
  let secret = try fill()
  return secret.bytes.count
}

func spend(_ grant: consuming Grant) -> String { grant.id }

func decide(_ decision: consuming Decision) -> String {
  switch consume decision {
  case .allow(let grant): spend(grant)
  case .deny(let denial): denial.name
  }
}

func reserve(
  _ transaction: KeyedDigest, _ replays: ReplayGuard, _ now: Timestamp, _ receipt: borrowing Receipt
) {
  var request = Reservations()
  guard replays.reserve(transaction, signedAt: now, now: now, into: &request) == .reserved else {
    return
  }
  request.keep(receipt)
}
