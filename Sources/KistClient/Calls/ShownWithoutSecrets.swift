/// A value that contains the caller's secrets: `print`, interpolation and `dump` show only its
/// type.
public protocol ShownWithoutSecrets: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{}

extension ShownWithoutSecrets {
  public var description: String { "\(Self.self)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension VisaOTP: ShownWithoutSecrets {}
extension MastercardOTP: ShownWithoutSecrets {}
extension PassRequest: ShownWithoutSecrets {}
extension PassRequest.Card: ShownWithoutSecrets {}
extension PassRequest.Account: ShownWithoutSecrets {}
extension PassRequest.EncryptedAccount: ShownWithoutSecrets {}
extension PassRequest.Activation: ShownWithoutSecrets {}
extension DerivationInfo: ShownWithoutSecrets {}
