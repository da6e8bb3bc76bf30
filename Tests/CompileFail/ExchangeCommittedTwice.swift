// expect: 'exchange' consumed more than once
import SecretMemory
import Service

func twice(_ exchange: consuming Exchange) throws(SecretMemoryError) -> (Bool, Bool) {
  let first = try exchange.commit()
  let second = try exchange.commit()
  return (first.closes, second.closes)
}
