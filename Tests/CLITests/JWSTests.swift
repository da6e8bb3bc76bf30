import KistClient
import Testing

/// A JWS over `sign`; Python's and C's are the same but for the order of members.
@Suite struct JWSTests {
  @Test("header, payload and signature, base64url without padding") func compact() throws {
    var header = JWS.Header()
    header.kid = "issuer-1"
    header.typ = "JWT"
    header.iat = 1_750_000_000
    let jws = try #require(JWS(Array(#"{"a":1}"#.utf8), header, by: .ecdsaP256SHA256Fixed))
    // {"alg":"ES256","iat":1750000000,"kid":"issuer-1","typ":"JWT"}, by Python's base64.
    let input =
      "eyJhbGciOiJFUzI1NiIsImlhdCI6MTc1MDAwMDAwMCwia2lkIjoiaXNzdWVyLTEiLCJ0eXAiOiJKV1QifQ.eyJhIjoxfQ"
    #expect(String(decoding: jws.signingInput, as: UTF8.self) == input)
    #expect(jws.compact([0, 1, 2, 3]) == input + ".AAECAw")
  }

  @Test("a text that JSON must escape cannot end its string") func escaped() throws {
    var header = JWS.Header()
    header.aud = #"a","alg":"none"#
    let jws = try #require(JWS([], header, by: .ed25519))
    // {"alg":"EdDSA","aud":"a\",\"alg\":\"none"}
    #expect(
      String(decoding: jws.signingInput, as: UTF8.self)
        == "eyJhbGciOiJFZERTQSIsImF1ZCI6ImFcIixcImFsZ1wiOlwibm9uZSJ9.")
  }

  @Test("five schemes have a name in JWS, and there is no none") func schemes() {
    let named = SignatureScheme.names.filter { name in
      SignatureScheme(name: name).map { JWS([], by: $0) != nil } ?? false
    }
    #expect(
      Set(named) == [
        "ecdsa-p256-sha256-fixed", "ecdsa-p384-sha384-fixed", "rsa-pkcs1-sha256", "rsa-pss-sha256",
        "ed25519",
      ])
  }
}
