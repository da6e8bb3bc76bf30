<?php

// Written by proto/generate.py from kist.proto: do not edit.

declare(strict_types=1);

namespace Kist\Enums;

/** A signature algorithm with its hash; `FIXED` is r and s behind each other instead of DER. */
enum SignatureScheme: int
{
    case EcdsaP256Sha256 = 1;
    case EcdsaP384Sha384 = 2;
    case EcdsaP256Sha256Fixed = 3;
    case EcdsaP384Sha384Fixed = 4;
    case RsaPkcs1Sha256 = 5;
    case RsaPkcs1Sha384 = 6;
    case RsaPkcs1Sha512 = 7;
    case RsaPssSha256 = 8;
    case RsaPssSha384 = 9;
    case RsaPssSha512 = 10;
    case Ed25519 = 11;

    private const TEXTS = [
        1 => 'ecdsa-p256-sha256',
        2 => 'ecdsa-p384-sha384',
        3 => 'ecdsa-p256-sha256-fixed',
        4 => 'ecdsa-p384-sha384-fixed',
        5 => 'rsa-pkcs1-sha256',
        6 => 'rsa-pkcs1-sha384',
        7 => 'rsa-pkcs1-sha512',
        8 => 'rsa-pss-sha256',
        9 => 'rsa-pss-sha384',
        10 => 'rsa-pss-sha512',
        11 => 'ed25519',
    ];

    /** Its name in policy and documents. */
    public function text(): string
    {
        return self::TEXTS[$this->value];
    }
}
