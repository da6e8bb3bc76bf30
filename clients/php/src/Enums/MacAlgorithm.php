<?php

// Written by proto/generate.py from kist.proto: do not edit.

declare(strict_types=1);

namespace Kist\Enums;

/** A message authentication code, for a key behind a handle. */
enum MacAlgorithm: int
{
    case HmacSha256 = 1;
    case HmacSha384 = 2;
    case HmacSha512 = 3;
    case AesCmac = 4;

    private const TEXTS = [
        1 => 'hmac-sha256',
        2 => 'hmac-sha384',
        3 => 'hmac-sha512',
        4 => 'aes-cmac',
    ];

    /** Its name in policy and documents. */
    public function text(): string
    {
        return self::TEXTS[$this->value];
    }
}
