package kist

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
)

// JWS in compact serialisation (RFC 7515 §7.1), signed by the daemon: what a partner asks for, and no more of JOSE.

// jwsAlgorithms are by scheme; ECDSA signatures are r ‖ s (RFC 7518 §3.4).
var jwsAlgorithms = map[SignatureScheme]string{
	SignatureSchemeECDSAP256SHA256Fixed: "ES256",
	SignatureSchemeECDSAP384SHA384Fixed: "ES384",
	SignatureSchemeRSAPKCS1SHA256:       "RS256",
	SignatureSchemeRSAPSSSHA256:         "PS256",
	SignatureSchemeEd25519:              "EdDSA",
}

// JWSHeader is the members that a header may have besides alg.
type JWSHeader struct {
	Kid string `json:"kid,omitempty"`
	Typ string `json:"typ,omitempty"`
	Cty string `json:"cty,omitempty"`
	Iss string `json:"iss,omitempty"`
	Aud string `json:"aud,omitempty"`
	// Seconds since 1970.
	Iat uint64 `json:"iat,omitempty"`
	Exp uint64 `json:"exp,omitempty"`
	Nbf uint64 `json:"nbf,omitempty"`
}

// JWSInput is what Sign signs: header and payload. The error is ErrRequest for a scheme that JWS has no name for.
func JWSInput(scheme SignatureScheme, header JWSHeader, payload []byte) ([]byte, error) {
	algorithm, isThere := jwsAlgorithms[scheme]
	if !isThere {
		return nil, fmt.Errorf("kist: %w: a JWS has no signature by %v", ErrRequest, scheme)
	}
	text, err := json.Marshal(struct {
		Alg string `json:"alg"`
		JWSHeader
	}{algorithm, header})
	if err != nil {
		return nil, err
	}
	return []byte(base64.RawURLEncoding.EncodeToString(text) + "." + base64.RawURLEncoding.EncodeToString(payload)), nil
}

// JWSCompact is the JWS of such an input and its signature.
func JWSCompact(signed, signature []byte) string {
	return string(signed) + "." + base64.RawURLEncoding.EncodeToString(signature)
}
