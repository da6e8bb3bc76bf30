// expect: 'decision' consumed more than once
import Policy

func twice(_ decision: consuming Decision) {
  _ = consume decision
  _ = consume decision
}
