// expect: 'TokenProof' initializer is inaccessible due to 'internal' protection level
import ApplePay
import Crypto
import Format

func forge(_ digest: Digest256, _ signed: Timestamp) -> TokenProof {
  TokenProof(digest, .ecV1, signingTime: signed)
}
