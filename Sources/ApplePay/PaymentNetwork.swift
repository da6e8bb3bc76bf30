/// The payment network that a DPAN's first digits belong to.
///
/// ISO/IEC 7812 leaves the ranges to registrars; these are the public ones of each network. Device account numbers come from
/// ranges of their own inside them. A number outside these ranges is `unknown`, never a guess.
package enum PaymentNetwork: String, CaseIterable, Sendable {
  case amex
  case dinersClub = "diners-club"
  case discover
  case jcb
  case maestro
  case mastercard
  case mir
  case troy
  case unionPay = "unionpay"
  case visa
  case unknown

  /// - Parameter iin: the first six digits as a number.
  package init(iin: Int) {
    switch iin {
    case 340_000...349_999, 370_000...379_999: self = .amex
    case 300_000...305_999, 309_500...309_599, 360_000...369_999, 380_000...399_999: self = .dinersClub
    case 601_100...601_199, 644_000...659_999: self = .discover
    case 352_800...358_999: self = .jcb
    case 500_000...509_999, 560_000...589_999, 639_000...639_099, 670_000...679_999: self = .maestro
    case 222_100...272_099, 510_000...559_999: self = .mastercard
    case 220_000...220_499: self = .mir
    case 979_200...979_289: self = .troy
    case 620_000...629_999, 810_000...817_199: self = .unionPay
    case 400_000...499_999: self = .visa
    default: self = .unknown
    }
  }
}
