<?php

// Written by proto/generate.py from kist.proto: do not edit.

declare(strict_types=1);

namespace Kist\Messages;

/** For Mastercard's MDES. */
final class MastercardInput
{
    public function __construct(
        /** 2, 3 or 4 */
        public readonly int $version,
        /** at most 19 bytes; digits */
        public readonly ?string $accountNumber = null,
        /** at most 4 bytes; MMYY */
        public readonly ?string $expiry = null,
        /** at most 64 bytes; version 2 */
        public readonly ?string $tokenReference = null,
        /** versions 3 and 4; absent for half an hour */
        public readonly int|string $validUntil = 0,
    ) {
    }
}
