package kist

import (
	"encoding/hex"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"
)

// The table of Apple's JSON that all clients read.

type tokenRow struct {
	outcome, name string
	text          []byte
}

func tokenTable(t testing.TB) (rows []tokenRow) {
	text, err := os.ReadFile(vectorsFolder + "/payment-token-json.table")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(text), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		parts := strings.SplitN(line, " | ", 3)
		octets := []byte(parts[2])
		if digits := strings.TrimPrefix(parts[2], "hex:"); digits != parts[2] {
			if octets, err = hex.DecodeString(digits); err != nil {
				t.Fatal(err)
			}
		}
		rows = append(rows, tokenRow{parts[0], parts[1], octets})
	}
	return rows
}

func TestTokenTable(t *testing.T) {
	said := map[string]string{
		"not-json": "neither JSON nor base64 of JSON", "not-token": "JSON, but no token|no token within so many objects",
		"unknown-version": "neither EC_v1 nor RSA_v1", "simulator": "a token of Apple's simulator: nothing can open it",
		"missing": "the token has no NAME", "malformed": "NAME is not (base64|hexadecimal|text|an object)", "empty": "NAME is empty",
	}
	rows := tokenTable(t)
	if len(rows) != 121 {
		t.Errorf("%d rows", len(rows))
	}
	for _, row := range rows {
		row := row
		t.Run(row.name, func(t *testing.T) {
			token, err := unwrapToken(row.text, tokenWrappings)
			if row.outcome == "ok" {
				if err != nil || token.Version != TokenVersionECV1 || hex.EncodeToString(token.Data) != "000102ff" || hex.EncodeToString(token.Signature) != "3080" ||
					hex.EncodeToString(token.PublicKeyHash) != "abcd" || hex.EncodeToString(token.TransactionID) != "00ff" ||
					hex.EncodeToString(token.EphemeralPublicKey) != "3059" || token.WrappedKey != nil || token.ApplicationData != nil {
					t.Errorf("%+v, %v", token, err)
				}
				return
			}
			kind, name, _ := strings.Cut(row.outcome, " ")
			expected := regexp.MustCompile("^kist: no payment token: (" + strings.ReplaceAll(said[kind], "NAME", name) + ")$")
			if err == nil || !errors.Is(err, ErrToken) || !expected.MatchString(err.Error()) {
				t.Errorf("%v instead of %v", err, expected)
			}
		})
	}
	// [WIRE-12]
	if _, err := TokenFromApple(rows[0].text); err == nil || err.Error() != "kist: no payment token: PublicKeyHash has 2 bytes; it takes 32" {
		t.Error(err)
	}
}
