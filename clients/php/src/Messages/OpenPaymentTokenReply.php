<?php

// Written by proto/generate.py from kist.proto: do not edit.

declare(strict_types=1);

namespace Kist\Messages;

use Kist\Secret;

/**
 * The released fields of an opened token; one that was not released, or that the token does not have,
 * is absent.
 */
final class OpenPaymentTokenReply
{
    public function __construct(
        public readonly ?Secret $dpan = null,
        public readonly ?string $last4 = null,
        public readonly ?string $bin = null,
        public readonly ?string $network = null,
        /** YYMMDD */
        public readonly ?Secret $expiry = null,
        public readonly ?string $currency = null,
        /** minor units */
        public readonly int|string|null $amount = null,
        /** base64 text, as Apple wrote it */
        public readonly ?Secret $cryptogram = null,
        public readonly ?string $eci = null,
        /** 3DSecure or EMV */
        public readonly ?string $paymentDataType = null,
        /** hexadecimal */
        public readonly ?string $deviceManufacturer = null,
        /** base64 text, as Apple wrote it */
        public readonly ?Secret $emvData = null,
        /** hexadecimal, of EMV */
        public readonly ?Secret $encryptedPin = null,
        /** if the issuer gave it */
        public readonly ?Secret $cardholderName = null,
        /** JSON */
        public readonly ?Secret $authenticationResponses = null,
        /** JSON: merchantTokenIdentifier and merchantTokenMetadata */
        public readonly ?Secret $merchantToken = null,
        /** the whole decrypted JSON */
        public readonly ?Secret $raw = null,
        /** seconds since 1970, by the signature */
        public readonly int|string $signingTime = 0,
        public readonly ?string $surrogate = null,
        public readonly ?string $envelope = null,
        /** everything that is released, for a partner: compact serialisation */
        public readonly ?string $jwe = null,
        /** The record of the request in the audit log; null if there is none. */
        public readonly int|string|null $auditSequence = null,
    ) {
    }
}
