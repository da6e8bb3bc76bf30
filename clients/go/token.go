package kist

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
)

const (
	tokenWrappings = 8 // objects and base64 texts that may be nested around the token itself
	tokenTextMost  = 512 * 1024
	neitherJSON    = "neither JSON nor base64 of JSON"
	ofSimulator    = "a token of Apple's simulator: nothing can open it"
)

// Key is the id of the key that the token is for.
func (m *PaymentToken) Key() (key KeyID) {
	copy(key[:], m.PublicKeyHash)
	return key
}

// TokenFromApple unpacks the JSON of paymentData, also within what PassKit, Apple Pay JS or W3C's Payment Request puts around it, or base64 of it.
//
// The error is ErrToken if it is none of these, or of Apple's simulator, or if a part has a size that no token's has.
func TokenFromApple(text []byte) (*PaymentToken, error) {
	token, err := unwrapToken(text, tokenWrappings)
	if err != nil {
		return nil, err
	}
	if _, flaw := encode(token); flaw != nil {
		return nil, noToken(flaw.text)
	}
	return token, nil
}

// noToken is the error for a text that is none.
func noToken(format string, values ...any) error {
	return fmt.Errorf("kist: %w: %s", ErrToken, fmt.Sprintf(format, values...))
}

func unwrapToken(value any, wrappings int) (*PaymentToken, error) {
	if wrappings == 0 {
		return nil, noToken("no token within so many objects")
	}
	switch value := value.(type) {
	case []byte:
		inner, err := tokenValue(value)
		if err != nil {
			return nil, err
		}
		if _, isObject := inner.(map[string]any); !isObject {
			wrappings--
		}
		return unwrapToken(inner, wrappings)
	case string:
		return unwrapToken([]byte(value), wrappings)
	case map[string]any:
		for _, name := range []string{"paymentData", "token", "details", "payment"} {
			if inner, isThere := value[name]; isThere {
				return unwrapToken(inner, wrappings-1)
			}
		}
		return tokenOf(value)
	case nil:
		return nil, noToken(ofSimulator)
	}
	return nil, noToken("JSON, but no token")
}

// tokenValue is JSON, or base64 of more.
func tokenValue(text []byte) (any, error) {
	if len(text) > tokenTextMost {
		return nil, noToken("more than %d bytes", tokenTextMost)
	}
	text = bytes.Trim(text, " \t\r\n")
	if len(text) == 0 {
		return nil, noToken(ofSimulator)
	}
	if text[0] == '{' || text[0] == '"' {
		if value, err := parseJSON(text); err == nil {
			return value, nil
		}
		return nil, noToken(neitherJSON)
	}
	octets, err := canonicalBase64(string(text))
	if err != nil {
		return nil, noToken(neitherJSON)
	}
	return octets, nil
}

// members of a token, of which the first that is not as it should be is told.
type members struct {
	values map[string]any
	err    *error
}

func (m members) fail(format string, values ...any) {
	if *m.err == nil {
		*m.err = noToken(format, values...)
	}
}

func (m members) text(name string) string {
	value, isThere := m.values[name]
	text, isText := value.(string)
	switch {
	case !isThere:
		m.fail("the token has no %s", name)
	case !isText:
		m.fail("%s is not text", name)
	}
	return text
}

func (m members) base64(name string) []byte {
	octets, err := canonicalBase64(m.text(name))
	if err != nil {
		m.fail("%s is not base64", name)
	}
	return octets
}

func (m members) hex(name string) []byte {
	octets, err := hex.DecodeString(m.text(name))
	if err != nil {
		m.fail("%s is not hexadecimal", name)
	}
	return octets
}

func tokenOf(values map[string]any) (*PaymentToken, error) {
	if len(values) == 0 {
		return nil, noToken(ofSimulator)
	}
	var err error
	outer := members{values, &err}
	token := &PaymentToken{}
	switch outer.text("version") {
	case "EC_v1":
		token.Version = TokenVersionECV1
	case "RSA_v1":
		token.Version = TokenVersionRSAV1
	default:
		outer.fail("neither EC_v1 nor RSA_v1")
	}
	token.Data, token.Signature = outer.base64("data"), outer.base64("signature")
	switch {
	case len(token.Data)+len(token.Signature) == 0:
		outer.fail(ofSimulator)
	case len(token.Data) == 0:
		outer.fail("data is empty")
	case len(token.Signature) == 0:
		outer.fail("signature is empty")
	}
	header, isThere := values["header"]
	inner, isObject := header.(map[string]any)
	switch {
	case !isThere:
		outer.fail("the token has no header")
	case !isObject:
		outer.fail("header is not an object")
	}
	readHeaderOf(token, members{inner, &err})
	return token, err
}

func readHeaderOf(token *PaymentToken, header members) {
	token.PublicKeyHash = header.base64("publicKeyHash")
	token.TransactionID = header.hex("transactionId")
	// Serialisers of optional fields write null where Apple writes nothing.
	if header.values["applicationData"] != nil {
		token.ApplicationData = header.hex("applicationData")
	}
	if token.Version == TokenVersionRSAV1 {
		token.WrappedKey = header.base64("wrappedKey")
	} else {
		token.EphemeralPublicKey = header.base64("ephemeralPublicKey")
	}
}

// canonicalBase64 has its padding, and zeros in the unused bits, so that no two texts mean the same bytes.
func canonicalBase64(text string) ([]byte, error) {
	octets, err := base64.StdEncoding.Strict().DecodeString(text)
	if err == nil && base64.StdEncoding.EncodeToString(octets) != text { // the library passes over line ends
		err = base64.CorruptInputError(0)
	}
	return octets, err
}
