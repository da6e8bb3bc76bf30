package import Crypto
package import Format
package import KeyStore

/// A merchant's processing key in a sandbox; the raw value names its files.
package enum TestMerchant: String, CaseIterable, Sendable {
  case ec = "sandbox-processing-ec"
  case rsa = "sandbox-processing-rsa"
  /// A key that no grant of the sandbox's policy names.
  case other = "other-processing-ec"

  package static func opening(_ version: ApplePayTokenVersion) -> TestMerchant {
    switch version {
    case .ecV1: .ec
    case .rsaV1: .rsa
    }
  }

  /// The key's label in the sandbox's store.
  package var label: String {
    switch self {
    case .ec: "merchant/sandbox/processing-ec"
    case .rsa: "merchant/sandbox/processing-rsa"
    case .other: "merchant/other/processing-ec"
    }
  }

  package init?(label: String) {
    guard let found = Self.allCases.first(where: { $0.label == label }) else { return nil }
    self = found
  }

  /// In the form of Apple's portal; its SHA-256 is PartyV.
  package var identifier: String {
    switch self {
    case .ec, .rsa: "merchant.com.example.sandbox"
    case .other: "merchant.com.example.other"
    }
  }

  package var version: ApplePayTokenVersion {
    switch self {
    case .ec, .other: .ecV1
    case .rsa: .rsaV1
    }
  }

  package var role: KeyRole {
    switch version {
    case .ecV1: .merchantProcessingEC
    case .rsaV1: .merchantProcessingRSA
    }
  }

  package var keyKind: KeyKind {
    switch version {
    case .ecV1: .p256
    case .rsaV1: .rsa(bits: 2048)
    }
  }
}
