<?php

// Written by proto/generate.py from kist.proto: do not edit.

declare(strict_types=1);

namespace Kist;

use Kist\Enums as E;
use Kist\Messages as M;

/** Every operation as a method; `Client` has them. A parameter that is null, and a default, is left out. */
trait Operations
{
    /**
     * Asks whether a daemon is there; needs no grant and leaves no audit record.
     *
     * @throws KistException
     */
    public function ping(
        ?Call $call = null,
    ): Answer {
        return $this->call('ping', null, [], $call);
    }

    /**
     * What the daemon is, and which operations it has.
     *
     * @throws KistException
     */
    public function describe(
        ?Call $call = null,
    ): M\DescribeReply {
        return $this->call('describe', null, [], $call);
    }

    /**
     * At most 64 of the keys that the caller may list, by label, and whether more follow.
     *
     * @param string|Secret|null $prefix at most 128 bytes
     * @param string|Secret|null $after at most 128 bytes
     * @param string|Secret|null $pattern at most 128 bytes; as policy has it: a label, or one that ends in /*
     * @throws KistException
     */
    public function listKeys(
        #[\SensitiveParameter] string|Secret|null $prefix = null,
        #[\SensitiveParameter] string|Secret|null $after = null,
        #[\SensitiveParameter] string|Secret|null $pattern = null,
        ?Call $call = null,
    ): M\ListKeysReply {
        return $this->call('listKeys', null, ['prefix' => $prefix, 'after' => $after, 'pattern' => $pattern], $call);
    }

    /**
     * One key, with its public key and certificate; nothing of a private or secret key.
     *
     * @throws KistException
     */
    public function describeKey(
        string $key,
        ?Call $call = null,
    ): M\KeyDescription {
        return $this->call('describeKey', $key, [], $call);
    }

    /**
     * Random bytes of the daemon's kernel.
     *
     * @param int $count 1 to 1024 bytes
     * @throws KistException
     */
    public function random(
        int $count,
        ?Call $call = null,
    ): M\RandomReply {
        return $this->call('random', null, ['count' => $count], $call);
    }

    /**
     * Who the caller is to the daemon, and what it may do now.
     *
     * @throws KistException
     */
    public function who(
        ?Call $call = null,
    ): M\WhoReply {
        return $this->call('who', null, [], $call);
    }

    /**
     * The keyed digest that stands for a value in the audit log.
     *
     * @param string|Secret|null $value 32 bytes of a transaction id, digits, or the subject of codes
     * @throws KistException
     */
    public function auditDigest(
        E\DigestField $field,
        #[\SensitiveParameter] string|Secret|null $value = null,
        ?Call $call = null,
    ): M\AuditDigestReply {
        return $this->call('auditDigest', null, ['field' => $field, 'value' => $value], $call);
    }

    /**
     * Returns if requests are served now, and fails as any other operation would if not; needs no
     * grant and leaves no audit record.
     *
     * @throws KistException
     */
    public function ready(
        ?Call $call = null,
    ): Answer {
        return $this->call('ready', null, [], $call);
    }

    /**
     * Verifies a token as Apple requires, without opening it: do not count or compare by the
     * transaction id of one that was only verified [OP-VERIFY-1].
     *
     * @param M\PaymentToken $token decoded from Apple's JSON
     * @param string|Secret|null $expectedApplicationData 32 bytes
     * @throws KistException
     */
    public function verifyPaymentToken(
        ?string $key,
        M\PaymentToken $token,
        #[\SensitiveParameter] string|Secret|null $expectedApplicationData = null,
        ?Call $call = null,
    ): M\VerifyPaymentTokenReply {
        return $this->call('verifyPaymentToken', $key, ['token' => $token, 'expectedApplicationData' => $expectedApplicationData], $call);
    }

    /**
     * Verifies a token as Apple requires, and opens it once.
     *
     * @param M\PaymentToken $token decoded from Apple's JSON
     * @param list<E\ReleasedField> $release strictly ascending; absent asks for all that is granted
     * @param string|Secret|null $expectedCurrency at most 3 bytes; ISO 4217 numeric
     * @param int|string|null $expectedAmount minor units
     * @param string|Secret|null $expectedApplicationData 32 bytes
     * @param list<E\ReleasedField> $required strictly ascending; without any of these the token is not to be opened
     * @param string|Secret|null $retryKey 16 random bytes; the same request with it opens again after a lost reply
     * @throws KistException
     */
    public function openPaymentToken(
        string $key,
        M\PaymentToken $token,
        array $release = [],
        #[\SensitiveParameter] string|Secret|null $expectedCurrency = null,
        int|string|null $expectedAmount = null,
        #[\SensitiveParameter] string|Secret|null $expectedApplicationData = null,
        array $required = [],
        #[\SensitiveParameter] string|Secret|null $retryKey = null,
        ?Call $call = null,
    ): M\OpenPaymentTokenReply {
        return $this->call('openPaymentToken', $key, ['token' => $token, 'release' => $release, 'expectedCurrency' => $expectedCurrency, 'expectedAmount' => $expectedAmount, 'expectedApplicationData' => $expectedApplicationData, 'required' => $required, 'retryKey' => $retryKey], $call);
    }

    /**
     * Seals a card for Apple Wallet.
     *
     * @param E\EncryptionScheme $scheme EV_ECC_v2; the other is refused
     * @param E\PassConfiguration $configuration which of Apple's four
     * @param list<string> $certificates at most 8192 bytes; DER, one to three in any order
     * @param string|Secret|null $encryptedPrimaryAccountNumber at most 1024 bytes
     * @param string|Secret|null $expiration at most 5 bytes; MM/YY
     * @param string|Secret|null $name at most 256 bytes
     * @param string|Secret|null $networkName at most 64 bytes
     * @param string|Secret|null $nonce at most 64 bytes
     * @param string|Secret|null $nonceSignature at most 256 bytes
     * @param string|Secret|null $primaryAccountIdentifier at most 128 bytes
     * @param string|Secret|null $primaryAccountNumber at most 19 bytes
     * @param string|Secret|null $primaryAccountNumberPrefix at most 19 bytes; its first digits
     * @param string|Secret|null $productType at most 64 bytes
     * @param string|Secret|null $accountEnvelope at most 512 bytes; in place of the number
     * @param string|Secret|null $envelopeContext at most 512 bytes; what it was sealed with besides
     * @param string|Secret|null $activationData at most 4096 bytes; another network's, passed through
     * @param ?M\AccountSurrogate $accountSurrogate in place of the number
     * @param string|Secret|null $networkKey 16 bytes: encrypts the number for the network
     * @throws KistException
     */
    public function provisionPass(
        ?string $key,
        E\EncryptionScheme $scheme,
        E\PassConfiguration $configuration,
        array $certificates = [],
        #[\SensitiveParameter] string|Secret|null $encryptedPrimaryAccountNumber = null,
        #[\SensitiveParameter] string|Secret|null $expiration = null,
        #[\SensitiveParameter] string|Secret|null $name = null,
        #[\SensitiveParameter] string|Secret|null $networkName = null,
        #[\SensitiveParameter] string|Secret|null $nonce = null,
        #[\SensitiveParameter] string|Secret|null $nonceSignature = null,
        #[\SensitiveParameter] string|Secret|null $primaryAccountIdentifier = null,
        #[\SensitiveParameter] string|Secret|null $primaryAccountNumber = null,
        #[\SensitiveParameter] string|Secret|null $primaryAccountNumberPrefix = null,
        #[\SensitiveParameter] string|Secret|null $productType = null,
        #[\SensitiveParameter] string|Secret|null $accountEnvelope = null,
        #[\SensitiveParameter] string|Secret|null $envelopeContext = null,
        ?M\VisaInput $visa = null,
        ?M\MastercardInput $mastercard = null,
        #[\SensitiveParameter] string|Secret|null $activationData = null,
        ?M\AccountSurrogate $accountSurrogate = null,
        #[\SensitiveParameter] string|Secret|null $networkKey = null,
        ?Call $call = null,
    ): M\ProvisionPassReply {
        return $this->call('provisionPass', $key, ['scheme' => $scheme, 'configuration' => $configuration, 'certificates' => $certificates, 'encryptedPrimaryAccountNumber' => $encryptedPrimaryAccountNumber, 'expiration' => $expiration, 'name' => $name, 'networkName' => $networkName, 'nonce' => $nonce, 'nonceSignature' => $nonceSignature, 'primaryAccountIdentifier' => $primaryAccountIdentifier, 'primaryAccountNumber' => $primaryAccountNumber, 'primaryAccountNumberPrefix' => $primaryAccountNumberPrefix, 'productType' => $productType, 'accountEnvelope' => $accountEnvelope, 'envelopeContext' => $envelopeContext, 'visa' => $visa, 'mastercard' => $mastercard, 'activationData' => $activationData, 'accountSurrogate' => $accountSurrogate, 'networkKey' => $networkKey], $call);
    }

    /**
     * Every value of one encryption of a pass, for a test's ephemeral key; only a sandbox answers.
     *
     * @param string|Secret $recipient 65 bytes; the public key, as an uncompressed point
     * @param string|Secret $ephemeralPrivateKey 32 bytes; the scalar
     * @param string|Secret|null $passData at most 4096 bytes; what is sealed
     * @throws KistException
     */
    public function provisionTrace(
        #[\SensitiveParameter] string|Secret $recipient,
        #[\SensitiveParameter] string|Secret $ephemeralPrivateKey,
        #[\SensitiveParameter] string|Secret|null $passData = null,
        ?Call $call = null,
    ): M\ProvisionTraceReply {
        return $this->call('provisionTrace', null, ['recipient' => $recipient, 'ephemeralPrivateKey' => $ephemeralPrivateKey, 'passData' => $passData], $call);
    }

    /**
     * A one-time value of the kind that the key's role makes: a network's value from its input, or a
     * person's code.
     *
     * @param string|Secret|null $subject at most 128 bytes; of a code
     * @param int|string|null $counter of a counted code; absent for the next
     * @param string|Secret|null $accountEnvelope at most 512 bytes; in place of the number
     * @param string|Secret|null $envelopeContext at most 512 bytes; what it was sealed with besides
     * @throws KistException
     */
    public function signOtp(
        string $key,
        #[\SensitiveParameter] string|Secret|null $subject = null,
        int|string|null $counter = null,
        ?M\VisaInput $visa = null,
        ?M\MastercardInput $mastercard = null,
        #[\SensitiveParameter] string|Secret|null $accountEnvelope = null,
        #[\SensitiveParameter] string|Secret|null $envelopeContext = null,
        ?M\AccountSurrogate $accountSurrogate = null,
        ?Call $call = null,
    ): M\SignOtpReply {
        return $this->call('signOtp', $key, ['subject' => $subject, 'counter' => $counter, 'visa' => $visa, 'mastercard' => $mastercard, 'accountEnvelope' => $accountEnvelope, 'envelopeContext' => $envelopeContext, 'accountSurrogate' => $accountSurrogate], $call);
    }

    /**
     * Checks a person's code, which is accepted once; a wrong one is rejected.
     *
     * @param string|Secret|null $subject at most 128 bytes
     * @param string|Secret|null $code at most 8 bytes; 6 to 8 digits
     * @throws KistException
     */
    public function verifyOtp(
        string $key,
        #[\SensitiveParameter] string|Secret|null $subject = null,
        #[\SensitiveParameter] string|Secret|null $code = null,
        ?Call $call = null,
    ): M\VerifyOtpReply {
        return $this->call('verifyOtp', $key, ['subject' => $subject, 'code' => $code], $call);
    }

    /**
     * A new secret for a person's authenticator; the codes of the one before end.
     *
     * @param string|Secret $subject at most 128 bytes
     * @param string|Secret $retryKey 16 bytes; random, for this enrolment alone
     * @throws KistException
     */
    public function enrolAuthenticator(
        string $key,
        #[\SensitiveParameter] string|Secret $subject,
        #[\SensitiveParameter] string|Secret $retryKey,
        ?Call $call = null,
    ): M\EnrolAuthenticatorReply {
        return $this->call('enrolAuthenticator', $key, ['subject' => $subject, 'retryKey' => $retryKey], $call);
    }

    /**
     * Agrees on a secret with a peer; it stays in the daemon, for one derivation.
     *
     * @param string|Secret|null $peer at most 120 bytes; an uncompressed point, or a SubjectPublicKeyInfo with a named curve
     * @throws KistException
     */
    public function ecdh(
        string $key,
        #[\SensitiveParameter] string|Secret|null $peer = null,
        bool $release = false,
        ?Call $call = null,
    ): M\EcdhReply {
        return $this->call('ecdh', $key, ['peer' => $peer, 'release' => $release], $call);
    }

    /**
     * Derives a key from a secret, which this uses up; the key stays in the daemon.
     *
     * @param string|Secret $handle 16 bytes; of a shared secret
     * @param E\Derivation $derivation which function
     * @param int $count 16 to 256 bytes
     * @param string|Secret|null $info at most 1024 bytes; OtherInfo, SharedInfo or info as one
     * @param ?M\OtherInfo $otherInfo or in parts
     * @param string|Secret|null $salt at most 1024 bytes; HKDF
     * @throws KistException
     */
    public function kdf(
        string $key,
        #[\SensitiveParameter] string|Secret $handle,
        E\Derivation $derivation,
        int $count,
        #[\SensitiveParameter] string|Secret|null $info = null,
        ?M\OtherInfo $otherInfo = null,
        #[\SensitiveParameter] string|Secret|null $salt = null,
        bool $release = false,
        ?Call $call = null,
    ): M\KdfReply {
        return $this->call('kdf', $key, ['handle' => $handle, 'derivation' => $derivation, 'count' => $count, 'info' => $info, 'otherInfo' => $otherInfo, 'salt' => $salt, 'release' => $release], $call);
    }

    /**
     * Seals up to 64 KiB with AES-256-GCM into an envelope that names its key.
     *
     * @param string|Secret|null $handle 16 bytes, or absent for the stored key
     * @param string|Secret|null $plaintext at most 65536 bytes
     * @param string|Secret|null $associatedData at most 4096 bytes
     * @throws KistException
     */
    public function seal(
        string $key,
        #[\SensitiveParameter] string|Secret|null $handle = null,
        #[\SensitiveParameter] string|Secret|null $plaintext = null,
        #[\SensitiveParameter] string|Secret|null $associatedData = null,
        ?Call $call = null,
    ): M\SealReply {
        return $this->call('seal', $key, ['handle' => $handle, 'plaintext' => $plaintext, 'associatedData' => $associatedData], $call);
    }

    /**
     * Opens an envelope, or ciphertext and tag that others made.
     *
     * @param string|Secret|null $handle 16 bytes, or absent for the stored key
     * @param string|Secret|null $iv 12 or 16 bytes; absent for an envelope
     * @param string|Secret|null $sealed at most 65581 bytes; an envelope; ciphertext and tag where there is an IV
     * @param string|Secret|null $associatedData at most 4096 bytes
     * @throws KistException
     */
    public function unseal(
        string $key,
        #[\SensitiveParameter] string|Secret|null $handle = null,
        #[\SensitiveParameter] string|Secret|null $iv = null,
        #[\SensitiveParameter] string|Secret|null $sealed = null,
        #[\SensitiveParameter] string|Secret|null $associatedData = null,
        ?Call $call = null,
    ): M\UnsealReply {
        return $this->call('unseal', $key, ['handle' => $handle, 'iv' => $iv, 'sealed' => $sealed, 'associatedData' => $associatedData], $call);
    }

    /**
     * Signs a message of up to 64 KiB, or its digest.
     *
     * @param E\SignatureScheme $scheme which signature
     * @param bool $digested message is the message's digest
     * @param string|Secret|null $message at most 65536 bytes
     * @throws KistException
     */
    public function sign(
        string $key,
        E\SignatureScheme $scheme,
        bool $digested = false,
        #[\SensitiveParameter] string|Secret|null $message = null,
        ?Call $call = null,
    ): M\SignReply {
        return $this->call('sign', $key, ['scheme' => $scheme, 'digested' => $digested, 'message' => $message], $call);
    }

    /**
     * Returns if the signature is the key's; it is rejected if not.
     *
     * @param E\SignatureScheme $scheme which signature
     * @param bool $digested message is the message's digest
     * @param string|Secret|null $message at most 65536 bytes
     * @param string|Secret|null $signature at most 512 bytes
     * @throws KistException
     */
    public function verify(
        string $key,
        E\SignatureScheme $scheme,
        bool $digested = false,
        #[\SensitiveParameter] string|Secret|null $message = null,
        #[\SensitiveParameter] string|Secret|null $signature = null,
        ?Call $call = null,
    ): Answer {
        return $this->call('verify', $key, ['scheme' => $scheme, 'digested' => $digested, 'message' => $message, 'signature' => $signature], $call);
    }

    /**
     * A message authentication code.
     *
     * @param string|Secret|null $handle 16 bytes, or absent for the stored key
     * @param ?E\MacAlgorithm $algorithm with a handle, and only then
     * @param int $length of the code; absent for all of it
     * @param string|Secret|null $message at most 65536 bytes
     * @throws KistException
     */
    public function mac(
        string $key,
        #[\SensitiveParameter] string|Secret|null $handle = null,
        ?E\MacAlgorithm $algorithm = null,
        int $length = 0,
        #[\SensitiveParameter] string|Secret|null $message = null,
        ?Call $call = null,
    ): M\MacReply {
        return $this->call('mac', $key, ['handle' => $handle, 'algorithm' => $algorithm, 'length' => $length, 'message' => $message], $call);
    }

    /**
     * Returns if the code is right; it is rejected if not.
     *
     * @param string|Secret|null $handle 16 bytes, or absent for the stored key
     * @param ?E\MacAlgorithm $algorithm with a handle, and only then
     * @param int $length that the code must have; absent for all of it
     * @param string|Secret|null $message at most 65536 bytes
     * @param string|Secret|null $mac at most 64 bytes
     * @throws KistException
     */
    public function verifyMac(
        string $key,
        #[\SensitiveParameter] string|Secret|null $handle = null,
        ?E\MacAlgorithm $algorithm = null,
        int $length = 0,
        #[\SensitiveParameter] string|Secret|null $message = null,
        #[\SensitiveParameter] string|Secret|null $mac = null,
        ?Call $call = null,
    ): Answer {
        return $this->call('verifyMac', $key, ['handle' => $handle, 'algorithm' => $algorithm, 'length' => $length, 'message' => $message, 'mac' => $mac], $call);
    }

    /**
     * Unwraps a secret that was wrapped with RSAES-OAEP and SHA-256; it stays in the daemon.
     *
     * @param string|Secret|null $wrappedKey at most 512 bytes; as long as the modulus
     * @throws KistException
     */
    public function unwrap(
        string $key,
        #[\SensitiveParameter] string|Secret|null $wrappedKey = null,
        ?Call $call = null,
    ): M\UnwrapReply {
        return $this->call('unwrap', $key, ['wrappedKey' => $wrappedKey], $call);
    }

    /**
     * Has the daemon wipe a secret before its time is over.
     *
     * @param string|Secret $handle 16 bytes; what is no longer needed
     * @throws KistException
     */
    public function releaseHandle(
        string $key,
        #[\SensitiveParameter] string|Secret $handle,
        ?Call $call = null,
    ): Answer {
        return $this->call('releaseHandle', $key, ['handle' => $handle], $call);
    }

    /**
     * The surrogate of a PAN; with a transaction and a lifetime, an envelope that holds it.
     *
     * @param string|Secret|null $pan at most 32 bytes; digits
     * @param string|Secret|null $merchantIdentifier at most 255 bytes
     * @param string|Secret|null $transactionId 32 bytes
     * @param int $lifetime seconds
     * @throws KistException
     */
    public function tokenise(
        string $key,
        #[\SensitiveParameter] string|Secret|null $pan = null,
        #[\SensitiveParameter] string|Secret|null $merchantIdentifier = null,
        #[\SensitiveParameter] string|Secret|null $transactionId = null,
        int $lifetime = 0,
        ?Call $call = null,
    ): M\TokeniseReply {
        return $this->call('tokenise', $key, ['pan' => $pan, 'merchantIdentifier' => $merchantIdentifier, 'transactionId' => $transactionId, 'lifetime' => $lifetime], $call);
    }

    /**
     * The PAN that a surrogate stands in for.
     *
     * @param string|Secret $surrogate at most 32 bytes; digits
     * @param string|Secret|null $merchantIdentifier at most 255 bytes
     * @throws KistException
     */
    public function detokenise(
        string $key,
        #[\SensitiveParameter] string|Secret $surrogate,
        #[\SensitiveParameter] string|Secret|null $merchantIdentifier = null,
        ?Call $call = null,
    ): M\DetokeniseReply {
        return $this->call('detokenise', $key, ['surrogate' => $surrogate, 'merchantIdentifier' => $merchantIdentifier], $call);
    }

    /**
     * What is sealed in a payment envelope, as far as policy releases it.
     *
     * @param string|Secret $envelope at most 66048 bytes
     * @param string|Secret $transactionId 32 bytes
     * @param string|Secret|null $merchantIdentifier at most 255 bytes
     * @param list<E\ReleasedField> $release strictly ascending; absent asks for all that is granted
     * @param list<E\ReleasedField> $required strictly ascending; without any of these the envelope is not to be opened
     * @param string|Secret|null $retryKey 16 random bytes; the same request with it opens again after a lost reply
     * @throws KistException
     */
    public function openEnvelope(
        string $key,
        #[\SensitiveParameter] string|Secret $envelope,
        #[\SensitiveParameter] string|Secret $transactionId,
        #[\SensitiveParameter] string|Secret|null $merchantIdentifier = null,
        array $release = [],
        array $required = [],
        #[\SensitiveParameter] string|Secret|null $retryKey = null,
        ?Call $call = null,
    ): M\OpenPaymentTokenReply {
        return $this->call('openEnvelope', $key, ['envelope' => $envelope, 'transactionId' => $transactionId, 'merchantIdentifier' => $merchantIdentifier, 'release' => $release, 'required' => $required, 'retryKey' => $retryKey], $call);
    }

    /**
     * How the daemon is.
     *
     * @throws KistException
     */
    public function status(
        ?Call $call = null,
    ): M\StatusReport {
        return $this->call('status', null, [], $call);
    }

    /**
     * Opens the key store with a passphrase.
     *
     * @param string|Secret $passphrase 1 to 1024 bytes
     * @throws KistException
     */
    public function unlock(
        #[\SensitiveParameter] string|Secret $passphrase,
        ?Call $call = null,
    ): Answer {
        return $this->call('unlock', null, ['passphrase' => $passphrase], $call);
    }

    /**
     * Ends serving, and wipes the keys.
     *
     * @throws KistException
     */
    public function lock(
        ?Call $call = null,
    ): Answer {
        return $this->call('lock', null, [], $call);
    }

    /**
     * Takes a key into the key store, and describes it.
     *
     * @param string|Secret|null $label at most 128 bytes
     * @param string|Secret|null $role at most 64 bytes
     * @param string|Secret|null $privateKey RFC 5915, PKCS#1 or RFC 8410 DER, a partner's SubjectPublicKeyInfo, or the key's bytes; in import-block a key block's characters
     * @param string|Secret|null $certificate at most 8192 bytes; DER
     * @param string|Secret|null $merchantIdentifier at most 255 bytes
     * @param bool $activate at once, instead of by activate-key
     * @param ?M\OtpParameters $otp of a key for one-time values
     * @param string|Secret|null $jweMembers at most 512 bytes; of a partner's key: name=value for each member of its JWEs' headers
     * @throws KistException
     */
    public function importKey(
        #[\SensitiveParameter] string|Secret|null $label = null,
        #[\SensitiveParameter] string|Secret|null $role = null,
        #[\SensitiveParameter] string|Secret|null $privateKey = null,
        #[\SensitiveParameter] string|Secret|null $certificate = null,
        #[\SensitiveParameter] string|Secret|null $merchantIdentifier = null,
        bool $activate = false,
        int|string $notAfter = 0,
        ?M\OtpParameters $otp = null,
        bool $exportable = false,
        #[\SensitiveParameter] string|Secret|null $jweMembers = null,
        ?Call $call = null,
    ): M\KeyDescription {
        return $this->call('importKey', null, ['label' => $label, 'role' => $role, 'privateKey' => $privateKey, 'certificate' => $certificate, 'merchantIdentifier' => $merchantIdentifier, 'activate' => $activate, 'notAfter' => $notAfter, 'otp' => $otp, 'exportable' => $exportable, 'jweMembers' => $jweMembers], $call);
    }
}
