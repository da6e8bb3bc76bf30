internal import Crypto
internal import Host
internal import KeyStore

/// Components of a test key: in a rehearsal each custodian is shown one, in place of the component that a courier will bring.
enum TestComponents {
  /// - Returns: the check value of the whole key.
  static func hand(out custodians: [Person], of label: KeyLabel, _ algorithm: ComponentAlgorithm, _ room: CeremonyRoom) throws(CeremonyError) -> KeyCheckValue {
    var whole = try CeremonyError.crypto { () throws(CryptoError) in try zeros(algorithm) }
    for (row, custodian) in custodians.enumerated() {
      let component = try CeremonyError.crypto { () throws(CryptoError) in try make(algorithm) }
      let check = try CeremonyError.crypto { () throws(CryptoError) in try algorithm.checkValue(of: component.bytes) }
      var bytes = whole.mutableBytes
      for i in bytes.indices { bytes[i] ^= component.bytes[i] }
      try room.confirm(custodian, Prompt.alone("component \(row + 1)"))
      var page = try SecretPage()
      page.add("REHEARSAL: this component is of no key\n\nComponent \(row + 1) of \(custodians.count) of \(label)\nCustodian \(custodian.name)\n\nDigits      ")
      page.add(hex: component.bytes)
      page.add("\nCheck value \(check)\n\nWrite this down, compare it, then press Return; nobody can show it again.\n")
      try room.showAlone(custodian, page)
    }
    return try CeremonyError.crypto { () throws(CryptoError) in try algorithm.checkValue(of: whole.bytes) }
  }

  private static func make(_ algorithm: ComponentAlgorithm) throws(CryptoError) -> SecretBuffer {
    var component = try Random.secret(count: algorithm.byteCount)
    guard algorithm.isTripleDES else { return component }
    var bytes = component.mutableBytes
    DESParity.setOdd(&bytes)
    return component
  }

  private static func zeros(_ algorithm: ComponentAlgorithm) throws(CryptoError) -> SecretBuffer {
    do throws(SecretMemoryError) { return try SecretBuffer(count: algorithm.byteCount) } catch { throw .exhausted }
  }
}
