<?php

// Written by proto/generate.py from kist.proto: do not edit.

declare(strict_types=1);

namespace Kist\Messages;

use Kist\Enums\TokenVersion;

/** A payment token, decoded from the base64 and hex of Apple's JSON. */
class PaymentToken
{
    public function __construct(
        public readonly TokenVersion $version,
        /** 32 bytes */
        public readonly string $publicKeyHash,
        /** 32 bytes */
        public readonly string $transactionId,
        /** at most 65536 bytes; ciphertext and 16-byte tag */
        public readonly ?string $data = null,
        /** at most 16384 bytes; detached CMS SignedData */
        public readonly ?string $signature = null,
        /** EC_v1: SubjectPublicKeyInfo, 91 bytes */
        public readonly ?string $ephemeralPublicKey = null,
        /** at most 1024 bytes; RSA_v1 */
        public readonly ?string $wrappedKey = null,
        /** 32 bytes; or absent */
        public readonly ?string $applicationData = null,
    ) {
    }
}
