<?php

// Written by proto/generate.py from kist.proto: do not edit.

declare(strict_types=1);

namespace Kist\Enums;

/** How a pass is encrypted. */
enum EncryptionScheme: int
{
    case EvEccV2 = 1;
    case EvRsaV2 = 2; // always refused

    private const TEXTS = [
        1 => 'ev-ecc-v2',
        2 => 'ev-rsa-v2',
    ];

    /** Its name in policy and documents. */
    public function text(): string
    {
        return self::TEXTS[$this->value];
    }
}
