package kist_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"kist"
	"kist/kisttest"
)

// Every operation and every status against a real daemon, and one that is killed and comes back. Peers are made with Go's own cryptography.

const (
	pan      = "4109370251004320"
	merchant = "merchant.com.acme"
)

var (
	background = context.Background()
	symmetric  = seq(1, 33)
	policy     = fmt.Sprintf(`
[[grant]]
id = "everything"
users = [%d]
operations = ["describe", "random", "list-keys", "describe-key", "verify-payment-token", "open-payment-token", "provision-pass", "provision-trace",
  "sign-otp", "verify-otp", "enrol-authenticator", "ecdh", "kdf", "seal", "unseal", "sign", "verify", "mac", "verify-mac", "unwrap", "release-handle",
  "tokenise", "who", "audit-digest"]
keys = ["test/*"]
release = ["shared-secret", "derived-key"]
stages = true
quota = "1000000000/d"

[[grant]]
id = "reveal"
users = [%d]
operations = ["detokenise", "open-envelope"]
keys = ["test/*"]
release = ["dpan"]
stages = true
`, os.Getuid(), os.Getuid())
)

func seq(from, to int) (octets []byte) {
	for i := from; i < to; i++ {
		octets = append(octets, byte(i))
	}
	return octets
}

// stage is a daemon with a key of each role, and the other side of what they do.
type stage struct {
	*kisttest.Sandbox
	t         *testing.T
	client    *kist.Client
	keys      map[string]kist.KeyID
	agreement *ecdsa.PrivateKey
	unwrapping,
	identity *rsa.PrivateKey
}

func program() string {
	if program := os.Getenv("KIST_PROGRAM"); program != "" {
		return program
	}
	program, _ := filepath.Abs("../../.build/debug/kist")
	return program
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{Sandbox: kisttest.Start(t, kisttest.Options{Program: program(), Policy: policy}), t: t, keys: map[string]kist.KeyID{}}
	s.client = s.Client()
	signing, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	s.ok(err)
	s.agreement, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	s.ok(err)
	s.unwrapping, err = rsa.GenerateKey(rand.Reader, 2048)
	s.ok(err)
	s.identity, err = rsa.GenerateKey(rand.Reader, 2048)
	s.ok(err)
	issuer, err := rsa.GenerateKey(rand.Reader, 2048)
	s.ok(err)
	ec := func(key *ecdsa.PrivateKey) []byte {
		der, err := x509.MarshalECPrivateKey(key)
		s.ok(err)
		return der
	}
	operator := s.Operator()
	for name, request := range map[string]*kist.ImportKeyRequest{
		"agreement":  {Role: "agreement", PrivateKey: ec(s.agreement)},
		"unwrapping": {Role: "unwrapping-rsa", PrivateKey: x509.MarshalPKCS1PrivateKey(s.unwrapping)},
		"signing":    {Role: "signing-ecdsa", PrivateKey: ec(signing)},
		"tls":        {Role: "signing-rsa", PrivateKey: x509.MarshalPKCS1PrivateKey(s.identity)},
		"sealing":    {Role: "sealing", PrivateKey: symmetric},
		"unsealing":  {Role: "unsealing", PrivateKey: seq(101, 133)},
		"mac":        {Role: "mac-hmac-sha256", PrivateKey: seq(51, 83)},
		"surrogate":  {Role: "surrogate", PrivateKey: seq(71, 103)},
		"visa":       {Role: "otp-visa", PrivateKey: []byte("\x01\x23\x45\x67\x89\xab\xcd\xef\xfe\xdc\xba\x98\x76\x54\x32\x10"), OTP: &kist.OTPParameters{KeySet: "123456.1"}},
		"mastercard": {Role: "otp-mastercard", PrivateKey: x509.MarshalPKCS1PrivateKey(issuer), OTP: &kist.OTPParameters{KeyAlias: "issuer.1"}},
		"hotp":       {Role: "otp-hotp", PrivateKey: []byte("12345678901234567890"), OTP: &kist.OTPParameters{Digits: 6, Hash: kist.OTPHashSHA1, Failures: 3, Lockout: 60}},
	} {
		request.Label, request.Activate = "test/"+name, true
		made, err := operator.ImportKey(background, request)
		s.ok(err)
		s.keys[name], err = kist.NewKeyID(made.ID)
		s.ok(err)
	}
	return s
}

func (s *stage) ok(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) is(err, expected error) {
	s.t.Helper()
	if !errors.Is(err, expected) {
		s.t.Fatalf("%v instead of %v", err, expected)
	}
}

// rejected asserts a rejection's stage.
func (s *stage) rejected(err error, at kist.Stage) *kist.Refused {
	s.t.Helper()
	var refused *kist.Refused
	if !errors.As(err, &refused) || refused.Status != kist.StatusRejected || refused.Stage != at {
		s.t.Fatalf("%v instead of %v", err, at)
	}
	return refused
}

func (s *stage) same(got, expected []byte) {
	s.t.Helper()
	if !bytes.Equal(got, expected) {
		s.t.Fatalf("%x instead of %x", got, expected)
	}
}

func gcm(key []byte) cipher.AEAD {
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err)
	}
	mode, err := cipher.NewGCM(block)
	if err != nil {
		panic(err)
	}
	return mode
}

func TestOperations(t *testing.T) {
	s := newStage(t)
	for name, part := range map[string]func(*stage){
		"general": general, "tokens": tokens, "passes": passes, "one-time values": oneTimeValues, "agreement": agreement, "sealing": sealing, "signing": signing,
		"in place of a PAN": standIns, "operators": operators, "signer": signer, "200 calls at once": manyCalls,
	} {
		t.Run(name, func(t *testing.T) {
			own := *s
			own.t = t
			part(&own)
		})
	}
}

func general(s *stage) {
	_, err := s.client.Ping(background)
	s.ok(err)
	_, err = s.client.Ready(background)
	s.ok(err)
	description, err := s.client.Describe(background)
	s.ok(err)
	if !description.Rehearsal || description.WireVersion != 1 || !description.IsAudited || len(description.Operations) < 32 {
		s.t.Errorf("%+v", description)
	}
	for _, count := range []uint32{1, 16, 1024} {
		drawn, err := s.client.Random(background, &kist.RandomRequest{Count: count})
		s.ok(err)
		if drawn.Random.Len() != int(count) {
			s.t.Error(drawn.Random.Len())
		}
	}
	who, err := s.client.Who(background)
	s.ok(err)
	if int(who.UID) != os.Getuid() || len(who.Rights) == 0 || len(who.Rights[0].Operations) == 0 {
		s.t.Errorf("%+v", who)
	}
	digest, err := s.client.AuditDigest(background, &kist.AuditDigestRequest{Field: kist.DigestFieldPAN, Value: []byte(pan)})
	s.ok(err)
	if !strings.HasPrefix(digest.Digest, "hmac-sha256:") || len(digest.Digest) != 76 {
		s.t.Error(digest.Digest)
	}
	keys, err := s.client.Keys(background, "test/", "")
	s.ok(err)
	var labels, expected []string
	for _, key := range keys {
		labels = append(labels, key.Label)
	}
	for name := range s.keys {
		expected = append(expected, "test/"+name)
	}
	sort.Strings(expected)
	if strings.Join(labels, " ") != strings.Join(expected, " ") {
		s.t.Error(labels)
	}
	found, err := s.client.FindKey(background, "test/hotp")
	s.ok(err)
	if found != s.keys["hotp"] {
		s.t.Error(found)
	}
	_, err = s.client.FindKey(background, "test/*")
	s.is(err, kist.ErrSeveralKeys)
	_, err = s.client.FindKey(background, "test/none")
	s.is(err, kist.ErrNoSuchKey)
	key, err := s.client.DescribeKey(background, s.keys["agreement"])
	s.ok(err)
	sum := sha256.Sum256(key.PublicKey)
	s.same(key.ID, sum[:16])
}

func tokens(s *stage) {
	for _, version := range []string{"EC_v1", "RSA_v1"} {
		token := s.Token("--version", version, "--amount", "1499", "--pan", pan)
		verified, err := s.client.VerifyPaymentToken(background, kist.KeyID{}, &kist.VerifyPaymentTokenRequest{Token: token})
		s.ok(err)
		if age := time.Now().Unix() - int64(verified.SigningTime); age < -300 || age > 300 {
			s.t.Error(age)
		}
		dpan := []kist.ReleasedField{kist.ReleasedFieldDPAN}
		_, err = s.client.OpenPaymentToken(background, token.Key(), &kist.OpenPaymentTokenRequest{Token: token, Release: []kist.ReleasedField{kist.ReleasedFieldLast4}, Required: dpan})
		if refused := s.rejected(err, kist.StageNotReleased); refused.ReleasedField != kist.ReleasedFieldDPAN {
			s.t.Error(refused)
		}
		wanted := &kist.OpenPaymentTokenRequest{
			Token: token, Release: []kist.ReleasedField{kist.ReleasedFieldAmount, kist.ReleasedFieldDPAN}, Required: dpan, ExpectedCurrency: "840", ExpectedAmount: kist.Uint64(1499),
		}
		opened, err := s.client.OpenPaymentToken(background, token.Key(), wanted, kist.WithRequestName("order "+version))
		s.ok(err)
		if opened.DPAN.Text() != pan || *opened.Amount != 1499 || opened.Last4 != "" || opened.Cryptogram.Len() != 0 || !opened.IsAudited {
			s.t.Errorf("%+v", opened)
		}
		opened.DPAN.Wipe()
		s.same(opened.DPAN.Bytes(), make([]byte, len(pan)))
		_, err = s.client.OpenPaymentToken(background, token.Key(), &kist.OpenPaymentTokenRequest{Token: token})
		s.rejected(err, 0)
	}
	token, key := s.Token(), make([]byte, 16)
	for i := 0; i < 2; i++ {
		_, err := s.client.OpenPaymentToken(background, token.Key(), &kist.OpenPaymentTokenRequest{Token: token, RetryKey: key})
		s.ok(err)
	}
}

func passes(s *stage) {
	asked := s.PassRequest()
	made, err := s.client.ProvisionPass(background, s.keys["visa"], &kist.ProvisionPassRequest{
		Scheme: kist.EncryptionSchemeEVECCV2, Configuration: kist.PassConfigurationAccountNumber, Certificates: asked.Certificates,
		Nonce: asked.Nonce, NonceSignature: asked.NonceSignature, PrimaryAccountNumber: pan, Expiration: "12/30", Name: "A. Card",
		Visa: &kist.VisaInput{Type: kist.VisaTypeMBPAC, AuthenticationCode: "abc123"},
	})
	s.ok(err)
	text, err := os.ReadFile(s.Directory + "/pki/provisioning-leaf.key")
	s.ok(err)
	leaf, err := x509.ParseECPrivateKey(text)
	s.ok(err)
	x, y := elliptic.Unmarshal(elliptic.P256(), made.EphemeralPublicKey)
	shared, _ := elliptic.P256().ScalarMult(x, y, leaf.D.Bytes())
	sum := sha256.Sum256(bytes.Join([][]byte{{0, 0, 0, 1}, shared.FillBytes(make([]byte, 32)), []byte("\x0did-aes256-GCM"), []byte("Apple"), made.EphemeralPublicKey}, nil))
	opened, err := gcm(sum[:]).Open(nil, make([]byte, 12), made.EncryptedPassData, nil)
	s.ok(err)
	if !bytes.Contains(opened, []byte(pan)) || !strings.HasPrefix(string(made.ActivationData), "MBPAC-1-FK-123456.1--TDEA-") {
		s.t.Errorf("%s, %s", opened, made.ActivationData)
	}
	trace, err := s.client.ProvisionTrace(background, &kist.ProvisionTraceRequest{Recipient: made.EphemeralPublicKey, EphemeralPrivateKey: append(make([]byte, 31), 7), PassData: []byte("pass data")})
	s.ok(err)
	if len(trace.OtherInfo) != 84 || len(trace.EncryptedPassData) != 9+16 {
		s.t.Errorf("%+v", trace)
	}
}

func oneTimeValues(s *stage) {
	visa, err := s.client.SignOTP(background, s.keys["visa"], &kist.SignOTPRequest{Visa: &kist.VisaInput{Type: kist.VisaTypeMBPAC, Nonce: []byte("nonce"), AuthenticationCode: "abc123"}})
	s.ok(err)
	if !strings.HasPrefix(visa.OTP.Text(), "MBPAC-1-FK-123456.1--TDEA-") || visa.Counter != nil {
		s.t.Error(visa.Counter)
	}
	value, err := s.client.SignOTP(background, s.keys["mastercard"], &kist.SignOTPRequest{Mastercard: &kist.MastercardInput{Version: 3, AccountNumber: pan, Expiry: "1230"}})
	s.ok(err)
	if !strings.Contains(value.OTP.Text(), `"signature"`) {
		s.t.Error("no signature")
	}
	subject := fmt.Sprint("person ", time.Now().UnixNano())
	first, err := s.client.SignOTP(background, s.keys["hotp"], &kist.SignOTPRequest{Subject: subject})
	s.ok(err)
	code := &kist.VerifyOTPRequest{Subject: subject, Code: first.OTP.Text()}
	verified, err := s.client.VerifyOTP(background, s.keys["hotp"], code)
	s.ok(err)
	if *first.Counter != 0 || verified.Counter != 0 {
		s.t.Error(*first.Counter, verified.Counter)
	}
	_, err = s.client.VerifyOTP(background, s.keys["hotp"], code)
	s.rejected(err, kist.StageOTPCode)
	enrolled, err := s.client.EnrolAuthenticator(background, s.keys["hotp"], &kist.EnrolAuthenticatorRequest{Subject: subject, RetryKey: make([]byte, 16)})
	s.ok(err)
	if enrolled.Number != 1 || enrolled.Secret.Len() != 20 || enrolled.OTP.Digits != 6 {
		s.t.Errorf("%+v", enrolled)
	}
}

func agreement(s *stage) {
	peer, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	s.ok(err)
	point := elliptic.Marshal(elliptic.P256(), peer.X, peer.Y)
	x, _ := elliptic.P256().ScalarMult(s.agreement.X, s.agreement.Y, peer.D.Bytes())
	shared := x.FillBytes(make([]byte, 32))
	key := s.keys["agreement"]
	agreed, err := s.client.ECDH(background, key, &kist.ECDHRequest{Peer: point, Release: true})
	s.ok(err)
	s.same(agreed.SharedSecret.Bytes(), shared)
	derived := sha256.Sum256(append(append([]byte{0, 0, 0, 1}, shared...), "\x0did-aes256-GCMAppleparty"...))
	derive := func(request *kist.KDFRequest) *kist.KDFReply {
		agreed, err := s.client.ECDH(background, key, &kist.ECDHRequest{Peer: point})
		s.ok(err)
		request.Handle, request.Derivation, request.Count = agreed.Handle, kist.DerivationOneStepSHA256, 32
		reply, err := s.client.KDF(background, key, request)
		s.ok(err)
		return reply
	}
	parts := &kist.OtherInfo{AlgorithmID: []byte("\x0did-aes256-GCM"), PartyUInfo: []byte("Apple"), PartyVInfo: []byte("party")}
	s.same(derive(&kist.KDFRequest{OtherInfo: parts, Release: true}).DerivedKey.Bytes(), derived[:])
	held := derive(&kist.KDFRequest{Info: []byte("\x0did-aes256-GCMAppleparty")}).Handle
	code, err := s.client.MAC(background, key, &kist.MACRequest{Handle: held, Algorithm: kist.MACAlgorithmHMACSHA256, Message: []byte("message")})
	s.ok(err)
	expected := hmac.New(sha256.New, derived[:])
	expected.Write([]byte("message"))
	s.same(code.MAC.Bytes(), expected.Sum(nil))
	sealed, err := s.client.Seal(background, key, &kist.SealRequest{Handle: held, Plaintext: []byte("ours"), AssociatedData: []byte("data")})
	s.ok(err)
	opened, err := gcm(derived[:]).Open(nil, sealed.Sealed[17:29], sealed.Sealed[29:], append(append([]byte{}, sealed.Sealed[:29]...), "data"...))
	s.ok(err)
	s.same(opened, []byte("ours"))
	theirs := gcm(derived[:]).Seal(nil, make([]byte, 12), []byte("theirs"), nil)
	unsealed, err := s.client.Unseal(background, key, &kist.UnsealRequest{Handle: held, IV: make([]byte, 12), Sealed: theirs})
	s.ok(err)
	s.same(unsealed.Plaintext.Bytes(), []byte("theirs"))
	wrapped, err := rsa.EncryptOAEP(sha256.New(), rand.Reader, &s.unwrapping.PublicKey, symmetric, nil)
	s.ok(err)
	unwrapped, err := s.client.Unwrap(background, s.keys["unwrapping"], &kist.UnwrapRequest{WrappedKey: wrapped})
	s.ok(err)
	_, err = s.client.ReleaseHandle(background, s.keys["unwrapping"], &kist.ReleaseHandleRequest{Handle: unwrapped.Handle})
	s.ok(err)
	_, err = s.client.ReleaseHandle(background, s.keys["unwrapping"], &kist.ReleaseHandleRequest{Handle: unwrapped.Handle})
	s.is(err, kist.StatusDenied)
}

func sealing(s *stage) {
	for _, plaintext := range [][]byte{nil, []byte("secret"), make([]byte, 65536)} {
		sealed, err := s.client.Seal(background, s.keys["sealing"], &kist.SealRequest{Plaintext: plaintext, AssociatedData: []byte("data")})
		s.ok(err)
		opened, err := s.client.Unseal(background, s.keys["sealing"], &kist.UnsealRequest{Sealed: sealed.Sealed, AssociatedData: []byte("data")})
		s.ok(err)
		s.same(opened.Plaintext.Bytes(), plaintext)
		_, err = s.client.Unseal(background, s.keys["sealing"], &kist.UnsealRequest{Sealed: sealed.Sealed})
		s.rejected(err, kist.StageTag)
	}
	theirs := gcm(seq(101, 133)).Seal(nil, make([]byte, 12), []byte("theirs"), nil)
	opened, err := s.client.Unseal(background, s.keys["unsealing"], &kist.UnsealRequest{IV: make([]byte, 12), Sealed: theirs})
	s.ok(err)
	s.same(opened.Plaintext.Bytes(), []byte("theirs"))
}

func signing(s *stage) {
	scheme, message := kist.SignatureSchemeECDSAP256SHA256, []byte("message")
	signed, err := s.client.Sign(background, s.keys["signing"], &kist.SignRequest{Scheme: scheme, Message: message})
	s.ok(err)
	_, err = s.client.Verify(background, s.keys["signing"], &kist.VerifyRequest{Scheme: scheme, Message: message, Signature: signed.Signature})
	s.ok(err)
	_, err = s.client.Verify(background, s.keys["signing"], &kist.VerifyRequest{Scheme: scheme, Message: []byte("other"), Signature: signed.Signature})
	s.rejected(err, kist.StageSignature)
	_, err = s.client.Sign(background, s.keys["signing"], &kist.SignRequest{Scheme: kist.SignatureSchemeEd25519, Message: message})
	s.rejected(err, kist.StageParameters)
	code, err := s.client.MAC(background, s.keys["mac"], &kist.MACRequest{Message: message, Length: 16})
	s.ok(err)
	expected := hmac.New(sha256.New, seq(51, 83))
	expected.Write(message)
	s.same(code.MAC.Bytes(), expected.Sum(nil)[:16])
	_, err = s.client.VerifyMAC(background, s.keys["mac"], &kist.VerifyMACRequest{Message: message, MAC: code.MAC.Bytes(), Length: 16})
	s.ok(err)
	_, err = s.client.VerifyMAC(background, s.keys["mac"], &kist.VerifyMACRequest{Message: []byte("other"), MAC: code.MAC.Bytes(), Length: 16})
	s.rejected(err, kist.StageMAC)
}

func standIns(s *stage) {
	made, err := s.client.Tokenise(background, s.keys["surrogate"], &kist.TokeniseRequest{PAN: pan, MerchantIdentifier: merchant})
	s.ok(err)
	if len(made.Surrogate) != len(pan) || made.Surrogate[12:] != pan[12:] || made.Surrogate == pan {
		s.t.Error(made.Surrogate)
	}
	back, err := s.client.Detokenise(background, s.keys["surrogate"], &kist.DetokeniseRequest{Surrogate: made.Surrogate, MerchantIdentifier: merchant})
	s.ok(err)
	s.same(back.PAN.Bytes(), []byte(pan))
	transaction := make([]byte, 32)
	sealed, err := s.client.Tokenise(background, s.keys["sealing"], &kist.TokeniseRequest{PAN: pan, MerchantIdentifier: merchant, TransactionID: transaction, Lifetime: 60})
	s.ok(err)
	request := &kist.OpenEnvelopeRequest{Envelope: sealed.Envelope, MerchantIdentifier: merchant, TransactionID: transaction}
	opened, err := s.client.OpenEnvelope(background, s.keys["sealing"], request, kist.WithRetry())
	s.ok(err)
	s.same(opened.DPAN.Bytes(), []byte(pan))
	request.TransactionID = append(make([]byte, 31), 1)
	_, err = s.client.OpenEnvelope(background, s.keys["sealing"], request)
	s.rejected(err, kist.StageEnvelope)
}

func operators(s *stage) {
	report, err := s.Operator().Status(background)
	s.ok(err)
	if report.State != "serving" || report.AuditSize == 0 || len(report.AuditRoot) != 32 {
		s.t.Errorf("%+v", report)
	}
	_, err = s.Operator().Unlock(background, &kist.UnlockRequest{Passphrase: []byte("passphrase")})
	s.rejected(err, kist.StagePassphrase)
	_, err = s.client.Status(background)
	s.is(err, kist.StatusDenied)
}

func manyCalls(s *stage) {
	var group sync.WaitGroup
	for i := 1; i <= 200; i++ {
		group.Add(1)
		go func(count uint32) {
			defer group.Done()
			drawn, err := s.client.Random(background, &kist.RandomRequest{Count: count})
			if err != nil || drawn.Random.Len() != int(count) {
				s.t.Errorf("%d: %v", count, err)
			}
		}(uint32(i))
	}
	group.Wait()
}

// signer: Go's own certificates and HTTP client sign with keys that are in the daemon.
func signer(s *stage) {
	for _, name := range []string{"signing", "tls"} {
		for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
			signer, err := s.client.NewSigner(background, s.keys[name])
			s.ok(err)
			template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "a service"}, NotAfter: time.Now().Add(time.Hour), ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
			certificate, err := x509.CreateCertificate(rand.Reader, template, template, signer.Public(), signer)
			s.ok(err)
			parsed, err := x509.ParseCertificate(certificate)
			s.ok(err)
			roots := x509.NewCertPool()
			roots.AddCert(parsed)
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
				fmt.Fprint(answer, request.TLS.PeerCertificates[0].Subject.CommonName)
			}))
			server.Config.ErrorLog = log.New(io.Discard, "", 0) // it tells of the call without a certificate
			server.TLS = &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: roots, MaxVersion: version}
			server.StartTLS()
			client := server.Client()
			transport := client.Transport.(*http.Transport)
			_, err = client.Get(server.URL)
			if err == nil {
				s.t.Error("without a certificate")
			}
			transport.TLSClientConfig.Certificates = []tls.Certificate{{Certificate: [][]byte{certificate}, PrivateKey: signer}}
			answer, err := client.Get(server.URL)
			s.ok(err)
			text, err := io.ReadAll(answer.Body)
			s.ok(err)
			answer.Body.Close()
			s.same(text, []byte("a service"))
			server.Close()
			_, err = signer.Sign(rand.Reader, make([]byte, 20), crypto.SHA1)
			s.is(err, kist.ErrRequest)
		}
	}
	_, err := s.client.NewSigner(background, s.keys["sealing"])
	if err == nil {
		s.t.Error("a key that cannot sign")
	}
}

func TestStatuses(t *testing.T) {
	s := newStage(t)
	_, err := s.client.DescribeKey(background, kist.KeyID{15: 1})
	s.is(err, kist.StatusDenied)
	peer, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	s.ok(err)
	point := elliptic.Marshal(elliptic.P256(), peer.X, peer.Y)
	for i := 0; i < 16; i++ {
		_, err = s.client.ECDH(background, s.keys["agreement"], &kist.ECDHRequest{Peer: point})
		s.ok(err)
	}
	_, err = s.client.ECDH(background, s.keys["agreement"], &kist.ECDHRequest{Peer: point})
	s.is(err, kist.StatusBusy)
	_, err = s.Operator().Lock(background)
	s.ok(err)
	_, err = s.client.Random(background, &kist.RandomRequest{Count: 1})
	s.is(err, kist.StatusLocked)
	_, err = s.client.Ready(background)
	s.is(err, kist.StatusLocked)
	report, err := s.Operator().Status(background)
	s.ok(err)
	if report.State != "locked" {
		t.Error(report.State)
	}
	// What no method sends: raw frames.
	raw := func(opcode, body string) (status byte) {
		socket, err := net.Dial("unix", strings.TrimPrefix(s.Endpoint(), "unix:"))
		s.ok(err)
		defer socket.Close()
		_, err = socket.Write([]byte("\x00\x00\x00" + string(rune(28+len(body))) + "\x01\x00" + opcode + "\x00\x00\x00\x00\x00\x00\x00\x01" + strings.Repeat("\x00", 16) + body))
		s.ok(err)
		reply := make([]byte, 24)
		_, err = io.ReadFull(socket, reply)
		s.ok(err)
		return reply[5]
	}
	if got := raw("\x09\x09", ""); got != byte(kist.StatusUnsupported) {
		t.Error(got)
	}
}

func TestKilledAndStartedAgain(t *testing.T) {
	s := newStage(t)
	results := make(chan error, 4000)
	var group sync.WaitGroup
	for i := 0; i < 40; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for j := 0; j < 100; j++ {
				_, err := s.client.Random(background, &kist.RandomRequest{Count: 16})
				results <- err
			}
		}()
	}
	for i := 0; i < 100; i++ {
		s.ok(<-results)
	}
	s.Kill()
	group.Wait()
	close(results)
	good := 100
	for err := range results {
		if err == nil {
			good++
		} else if !errors.Is(err, kist.ErrDisconnected) && !errors.Is(err, kist.ErrUnreachable) {
			t.Error(err)
		}
	}
	if good == 4000 {
		t.Error("nothing was lost")
	}
	_, err := s.client.Ping(background)
	s.is(err, kist.ErrUnreachable)
	s.Start()
	_, err = s.client.Random(background, &kist.RandomRequest{Count: 16})
	s.ok(err)
	segments, err := filepath.Glob(s.Directory + "/audit/*.log")
	s.ok(err)
	for _, segment := range segments {
		s.ok(os.Remove(segment))
	}
	_, err = s.client.Random(background, &kist.RandomRequest{Count: 16})
	s.is(err, kist.StatusAuditUnavailable)
	_, err = s.client.Ready(background)
	s.is(err, kist.StatusAuditUnavailable)
}
