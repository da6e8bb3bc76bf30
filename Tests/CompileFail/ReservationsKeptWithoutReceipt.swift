// expect: missing argument for parameter #1 in call
import Operations

func keep(_ request: consuming Reservations) { request.keep() }
