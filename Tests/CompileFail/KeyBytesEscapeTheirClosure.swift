// expect: requires that 'Span<UInt8>' conform to 'Escapable'
import KeyStore

func leak(_ slot: KeySlot) -> UInt8? {
  let bytes: Span<UInt8>? = slot.withSymmetricKey { $0 }
  return bytes?[0]
}
