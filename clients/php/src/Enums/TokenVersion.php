<?php

// Written by proto/generate.py from kist.proto: do not edit.

declare(strict_types=1);

namespace Kist\Enums;

/** Apple's token formats. */
enum TokenVersion: int
{
    case EcV1 = 1;
    case RsaV1 = 2;

    private const TEXTS = [
        1 => 'EC_v1',
        2 => 'RSA_v1',
    ];

    /** Its name in policy and documents. */
    public function text(): string
    {
        return self::TEXTS[$this->value];
    }
}
