// JWS in compact serialisation (RFC 7515 §7.1), signed by the daemon: what a partner asks for, and no more of JOSE.

/** `alg` by scheme; ECDSA signatures are r ‖ s (RFC 7518 §3.4). */
const ALGORITHMS = {
  "ecdsa-p256-sha256-fixed": "ES256",
  "ecdsa-p384-sha384-fixed": "ES384",
  "rsa-pkcs1-sha256": "RS256",
  "rsa-pss-sha256": "PS256",
  ed25519: "EdDSA",
};
const HEADER_MEMBERS = ["kid", "typ", "cty", "iat", "exp", "nbf", "iss", "aud"];

/** What `sign` signs: header and payload. Throws `RangeError` for a scheme that JWS has no name for, or a member that may not be there. */
export function jwsInput(scheme, payload, header = {}) {
  if (!Object.hasOwn(ALGORITHMS, scheme)) throw new RangeError(`a JWS has no signature by ${scheme}`);
  for (const name of Object.keys(header)) if (!HEADER_MEMBERS.includes(name)) throw new RangeError(`a JWS's header has no ${name} here`);
  const text = JSON.stringify({ alg: ALGORITHMS[scheme], ...header });
  return Buffer.from(`${encoded(Buffer.from(text))}.${encoded(payload)}`);
}

/** The JWS of such an input and its signature. */
export function jwsCompact(signed, signature) {
  return `${Buffer.from(signed).toString("latin1")}.${encoded(signature)}`;
}

function encoded(bytes) {
  return Buffer.from(bytes).toString("base64url");
}
