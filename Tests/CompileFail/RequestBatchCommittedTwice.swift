// expect: 'exchange' consumed more than once
import Service

func twice(_ exchange: consuming RequestBatch) {
  exchange.commit { _ in }
  exchange.commit { _ in }
}
