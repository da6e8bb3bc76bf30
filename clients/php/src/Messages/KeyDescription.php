<?php

// Written by proto/generate.py from kist.proto: do not edit.

declare(strict_types=1);

namespace Kist\Messages;

/** What anyone who may use a key may know of it. */
final class KeyDescription
{
    public function __construct(
        /** 16 bytes */
        public readonly string $id,
        /** at most 128 bytes */
        public readonly ?string $label = null,
        /** at most 64 bytes */
        public readonly ?string $role = null,
        /** at most 32 bytes */
        public readonly ?string $state = null,
        /** at most 32 bytes */
        public readonly ?string $algorithm = null,
        /** at most 16 bytes */
        public readonly ?string $usage = null,
        /** at most 255 bytes */
        public readonly ?string $merchantIdentifier = null,
        /** at most 1024 bytes; SubjectPublicKeyInfo; not in listings */
        public readonly ?string $publicKey = null,
        /** at most 32 bytes; SHA-256 of the SubjectPublicKeyInfo, or a 5-byte KCV */
        public readonly ?string $checkValue = null,
        /** at most 8192 bytes; DER; not in listings */
        public readonly ?string $certificate = null,
        /** seconds since 1970, as all times here */
        public readonly int|string $created = 0,
        /** zero for never */
        public readonly int|string $activated = 0,
        public readonly int|string $notAfter = 0,
        /** zero for never */
        public readonly int|string $lastUse = 0,
        public readonly int|string $uses = 0,
        /** of a key for one-time values */
        public readonly ?OtpParameters $otp = null,
        /** whether it may leave under an exchange key */
        public readonly bool $exportable = false,
        public readonly int|string $notBefore = 0,
        /** zero for any number of uses */
        public readonly int|string $useLimit = 0,
        /** The record of the request in the audit log; null if there is none. */
        public readonly int|string|null $auditSequence = null,
    ) {
    }
}
