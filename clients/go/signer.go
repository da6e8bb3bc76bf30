package kist

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"fmt"
	"io"
)

// Signer is a key in the daemon as a crypto.Signer, so that tls.Certificate{PrivateKey: signer} and x509.CreateCertificate work with it. The context and options of
// NewSigner hold for each of its signatures, which is a call of its own.
type Signer struct {
	client  *Client
	ctx     context.Context
	options []CallOption
	key     KeyID
	public  crypto.PublicKey
}

// NewSigner asks for the key's public half; the grant has to name describe-key and sign.
func (c *Client) NewSigner(ctx context.Context, key KeyID, options ...CallOption) (*Signer, error) {
	description, err := c.DescribeKey(ctx, key, options...)
	if err != nil {
		return nil, err
	}
	public, err := x509.ParsePKIXPublicKey(description.PublicKey)
	if err != nil {
		return nil, fmt.Errorf("kist: the key cannot sign: %w", err)
	}
	return &Signer{c, ctx, options, key, public}, nil
}

// Public is the key's public half.
func (s *Signer) Public() crypto.PublicKey { return s.public }

// Sign signs a digest, or with Ed25519 a message; the daemon has a random generator of its own. RSA-PSS has a salt as long as the digest.
func (s *Signer) Sign(_ io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	scheme, err := s.scheme(opts)
	if err != nil {
		return nil, err
	}
	request := &SignRequest{Scheme: scheme, Message: digest, Digested: opts.HashFunc() != 0}
	signed, err := s.client.Sign(s.ctx, s.key, request, s.options...)
	if err != nil {
		return nil, err
	}
	return signed.Signature, nil
}

func (s *Signer) scheme(opts crypto.SignerOpts) (SignatureScheme, error) {
	hash := opts.HashFunc()
	var schemes map[crypto.Hash]SignatureScheme
	switch public := s.public.(type) {
	case *ecdsa.PublicKey:
		schemes = map[crypto.Hash]SignatureScheme{crypto.SHA256: SignatureSchemeECDSAP256SHA256}
		if public.Curve.Params().BitSize == 384 {
			schemes = map[crypto.Hash]SignatureScheme{crypto.SHA384: SignatureSchemeECDSAP384SHA384}
		}
	case ed25519.PublicKey:
		schemes = map[crypto.Hash]SignatureScheme{0: SignatureSchemeEd25519}
	case *rsa.PublicKey:
		schemes = map[crypto.Hash]SignatureScheme{
			crypto.SHA256: SignatureSchemeRSAPKCS1SHA256, crypto.SHA384: SignatureSchemeRSAPKCS1SHA384, crypto.SHA512: SignatureSchemeRSAPKCS1SHA512,
		}
		if pss, isPSS := opts.(*rsa.PSSOptions); isPSS {
			if pss.SaltLength != rsa.PSSSaltLengthEqualsHash && pss.SaltLength != hash.Size() && pss.SaltLength != rsa.PSSSaltLengthAuto {
				return 0, fmt.Errorf("kist: %w: a salt of another length than the digest's", ErrRequest)
			}
			schemes = map[crypto.Hash]SignatureScheme{
				crypto.SHA256: SignatureSchemeRSAPSSSHA256, crypto.SHA384: SignatureSchemeRSAPSSSHA384, crypto.SHA512: SignatureSchemeRSAPSSSHA512,
			}
		}
	}
	scheme, isThere := schemes[hash]
	if !isThere {
		return 0, fmt.Errorf("kist: %w: no signature of this key has %v", ErrRequest, hash)
	}
	return scheme, nil
}
