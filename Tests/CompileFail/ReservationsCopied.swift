// expect: 'request' consumed more than once
import Operations

func end(_ request: consuming Reservations) {}

func twice() {
  let request = Reservations()
  end(request)
  end(request)
}
