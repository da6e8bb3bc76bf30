<?php

declare(strict_types=1);

namespace Kist;

use Kist\Enums\SignatureScheme;

/** JWS in compact serialisation (RFC 7515 §7.1), signed by the daemon: what a partner asks for, and no more of JOSE. */
final class Jws
{
    private const HEADER_MEMBERS = ['kid', 'typ', 'cty', 'iat', 'exp', 'nbf', 'iss', 'aud'];

    /**
     * What `sign` signs: header and payload.
     *
     * @param array<string, string|int> $header
     * @throws \ValueError for a scheme that JWS has no name for, or a member that may not be there
     */
    public static function input(SignatureScheme $scheme, string $payload, array $header = []): string
    {
        // ECDSA signatures are r ‖ s (RFC 7518 §3.4).
        $algorithm = match ($scheme) {
            SignatureScheme::EcdsaP256Sha256Fixed => 'ES256',
            SignatureScheme::EcdsaP384Sha384Fixed => 'ES384',
            SignatureScheme::RsaPkcs1Sha256 => 'RS256',
            SignatureScheme::RsaPssSha256 => 'PS256',
            SignatureScheme::Ed25519 => 'EdDSA',
            default => throw new \ValueError("a JWS has no signature by {$scheme->text()}"),
        };
        if ($others = array_diff(array_keys($header), self::HEADER_MEMBERS)) {
            throw new \ValueError("a JWS's header has no " . implode(', ', $others) . ' here');
        }
        $text = json_encode(['alg' => $algorithm] + $header, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);
        return self::encoded($text) . '.' . self::encoded($payload);
    }

    /** The JWS of such an input and its signature. */
    public static function compact(string $signed, string $signature): string
    {
        return $signed . '.' . self::encoded($signature);
    }

    private static function encoded(string $bytes): string
    {
        return rtrim(strtr(base64_encode($bytes), '+/', '-_'), '=');
    }
}
