import Format
import Testing

@Suite struct JWEMembersTests {
  @Test(
    "[KS-JWE-MEMBERS] fixed texts and the time",
    arguments: [
      "", "kid=a", "kid=acquirer-1 typ=JOSE iat=number",
      "iat=text channelSecurityContext=SHARED_SECRET", "cty=application/json x=a=b",
    ])
  func taken(text: String) { #expect(JWEMembers(text)?.text == text) }

  @Test(
    "[KS-JWE-MEMBERS] what is none, twice there, or the algorithm's",
    arguments: [
      " ", "kid", "kid=", "=a", "kid=a ", " kid=a", "kid=a  typ=b", "kid=a kid=b", "alg=none",
      "enc=A128GCM", "zip=DEF", "crit=x", "epk=x", "apu=x", "apv=x",
      "iv=x", "tag=x", "jku=https://a", "jwk=x", "x5c=x", "x5t=x", "x5u=x", "b64=false", "p2s=x",
      "p2c=1", "iat=now", "iat=1750000000", "k\u{e9}=a",
      "kid=\u{e9}",
      "kid=a\"b", "kid=a\\b", "kid=a\tb", "kid=a\nb", "x5t#S256=a",
      String(repeating: "k", count: 33) + "=a", "kid=" + String(repeating: "a", count: 256),
      "a=" + String(repeating: "a", count: 255) + " b=" + String(repeating: "b", count: 255),
    ])
  func refused(text: String) { #expect(JWEMembers(text) == nil) }
}
