// expect: 'request' consumed more than once
import Audit
import Operations

func twice(_ request: consuming Reservations, _ receipt: borrowing Receipt) {
  request.keep(receipt)
  request.keep(receipt)
}
