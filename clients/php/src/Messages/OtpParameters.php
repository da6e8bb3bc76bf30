<?php

// Written by proto/generate.py from kist.proto: do not edit.

declare(strict_types=1);

namespace Kist\Messages;

use Kist\Enums\OtpHash;

/**
 * What a key for one-time values needs besides its role; absent for the usual, or where the role has
 * no such thing.
 */
final class OtpParameters
{
    public function __construct(
        /** at most 64 bytes; otp-visa: such as 123456.1 */
        public readonly ?string $keySet = null,
        /** at most 64 bytes; otp-mastercard */
        public readonly ?string $keyAlias = null,
        /** otp-hotp, otp-totp: 6 to 8, and so on */
        public readonly int $digits = 0,
        /** otp-hotp, otp-totp: of their HMAC */
        public readonly ?OtpHash $hash = null,
        /** otp-totp: seconds */
        public readonly int $step = 0,
        /** counters, or time steps either way */
        public readonly ?int $window = null,
        /** before a lock-out */
        public readonly int $failures = 0,
        /** seconds */
        public readonly int $lockout = 0,
    ) {
    }
}
