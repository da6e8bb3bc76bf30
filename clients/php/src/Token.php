<?php

declare(strict_types=1);

namespace Kist;

use Kist\Enums\TokenVersion;
use Kist\Messages\PaymentToken;

/** A payment token, unpacked and not yet verified. */
final class Token extends PaymentToken
{
    /** How many objects and base64 texts may be nested around the token itself. */
    private const WRAPPINGS = 8;
    private const TEXT_MOST = 512 * 1024;
    private const NEITHER = 'neither JSON nor base64 of JSON';
    private const SIMULATOR = "a token of Apple's simulator: nothing can open it";

    /** The id of the key that the token is for, 16 bytes. */
    public function key(): string
    {
        return substr($this->publicKeyHash, 0, 16);
    }

    /**
     * Unpacks the JSON of `paymentData`, also within what PassKit, Apple Pay JS or W3C's Payment Request puts around it, or base64 of it.
     *
     * @throws TokenException if it is none of these, or of Apple's simulator, or if a part has a size that no token's has
     */
    public static function fromApple(string $text): self
    {
        $token = self::unwrapped($text);
        try {
            Codec::encode('PaymentToken', get_object_vars($token));
        } catch (Flaw $flaw) {
            throw new TokenException($flaw->text);
        }
        return $token;
    }

    /** The same without the check of sizes, for the table of all clients. @internal */
    public static function unwrapped(mixed $value, int $wrappings = self::WRAPPINGS): self
    {
        if ($wrappings === 0) {
            throw new TokenException('no token within so many objects');
        }
        if (is_string($value)) {
            $inner = self::parsed($value);
            return self::unwrapped($inner, $inner instanceof \ArrayObject ? $wrappings : $wrappings - 1);
        }
        if (!$value instanceof \ArrayObject) {
            throw new TokenException($value === null ? self::SIMULATOR : 'JSON, but no token');
        }
        foreach (['paymentData', 'token', 'details', 'payment'] as $name) {
            if ($value->offsetExists($name)) {
                return self::unwrapped($value[$name], $wrappings - 1);
            }
        }
        return self::token($value);
    }

    /** JSON, or base64 of more. */
    private static function parsed(string $text): mixed
    {
        if (strlen($text) > self::TEXT_MOST) {
            throw new TokenException('more than ' . self::TEXT_MOST . ' bytes');
        }
        $text = trim($text, " \t\r\n");
        if ($text === '') {
            throw new TokenException(self::SIMULATOR);
        }
        try {
            return $text[0] === '{' || $text[0] === '"' ? Json::parse($text) : self::decoded($text);
        } catch (\UnexpectedValueException) {
            throw new TokenException(self::NEITHER);
        }
    }

    private static function token(\ArrayObject $members): self
    {
        if (count($members) === 0) {
            throw new TokenException(self::SIMULATOR);
        }
        $version = match (self::text($members, 'version')) {
            'EC_v1' => TokenVersion::EcV1,
            'RSA_v1' => TokenVersion::RsaV1,
            default => throw new TokenException('neither EC_v1 nor RSA_v1'),
        };
        [$data, $signature] = [self::base64($members, 'data'), self::base64($members, 'signature')];
        foreach (['data' => $data, 'signature' => $signature] as $name => $value) {
            if ($value === '') {
                throw new TokenException($data . $signature === '' ? self::SIMULATOR : "$name is empty");
            }
        }
        $header = self::member($members, 'header');
        if (!$header instanceof \ArrayObject) {
            throw new TokenException('header is not an object');
        }
        return new self(
            version: $version,
            data: $data,
            signature: $signature,
            publicKeyHash: self::base64($header, 'publicKeyHash'),
            transactionId: self::hex($header, 'transactionId'),
            // Serialisers of optional fields write null where Apple writes nothing.
            applicationData: $header->offsetExists('applicationData') && $header['applicationData'] !== null ? self::hex($header, 'applicationData') : null,
            ephemeralPublicKey: $version === TokenVersion::EcV1 ? self::base64($header, 'ephemeralPublicKey') : null,
            wrappedKey: $version === TokenVersion::RsaV1 ? self::base64($header, 'wrappedKey') : null,
        );
    }

    private static function member(\ArrayObject $members, string $name): mixed
    {
        return $members->offsetExists($name) ? $members[$name] : throw new TokenException("the token has no $name");
    }

    private static function text(\ArrayObject $members, string $name): string
    {
        $text = self::member($members, $name);
        return is_string($text) ? $text : throw new TokenException("$name is not text");
    }

    private static function base64(\ArrayObject $members, string $name): string
    {
        try {
            return self::decoded(self::text($members, $name));
        } catch (\UnexpectedValueException) {
            throw new TokenException("$name is not base64");
        }
    }

    /** Base64 with its padding, and zeros in the unused bits, so that no two texts mean the same bytes. */
    private static function decoded(string $text): string
    {
        $octets = base64_decode($text, true);
        return $octets !== false && base64_encode($octets) === $text ? $octets : throw new \UnexpectedValueException('not canonical');
    }

    private static function hex(\ArrayObject $members, string $name): string
    {
        $text = self::text($members, $name);
        return preg_match('/^(?:[0-9A-Fa-f]{2})*$/D', $text) === 1 ? hex2bin($text) : throw new TokenException("$name is not hexadecimal");
    }
}
