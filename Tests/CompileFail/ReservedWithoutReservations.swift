// expect: missing argument for parameter 'into' in call
import Audit
import Format
import Operations

func take(_ transaction: KeyedDigest, _ replays: ReplayGuard, _ now: Timestamp)
  -> ReplayGuard.Verdict
{
  replays.reserve(transaction, signedAt: now, now: now)
}
