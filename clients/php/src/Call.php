<?php

declare(strict_types=1);

namespace Kist;

/** What holds for one call alone. */
final class Call
{
    /** The id that goes over the wire, 8 bytes; null for the client's own count. */
    public readonly ?string $id;

    /**
     * @param int|string|null $requestId the id in the audit record: a number, 16 hexadecimal digits, or any other text, which stands for the first 8 bytes of
     *     its SHA-256, as `kist audit show --request` reads it, too
     * @param float|null $timeout seconds, connecting included, in place of the client's
     * @param bool $retry for `openPaymentToken` and `openEnvelope`: if the reply is lost, the same is sent once more, on a new connection and with a new time-out
     */
    public function __construct(int|string|null $requestId = null, public readonly ?float $timeout = null, public readonly bool $retry = false)
    {
        if ($timeout !== null) {
            self::checkedTimeout($timeout);
        }
        if (is_int($requestId) && $requestId <= 0) {
            throw new \ValueError('a request id is a text, or a number that is more than 0');
        }
        $this->id = $requestId === null ? null : (is_int($requestId) ? pack('J', $requestId) : self::named($requestId));
    }

    /** Throws a ValueError for seconds that are none. */
    public static function checkedTimeout(float $timeout): float
    {
        if (!($timeout > 0 && $timeout <= 2147483)) {
            throw new \ValueError('a time-out is more than 0 and at most 2147483 seconds');
        }
        return $timeout;
    }

    private static function named(string $name): string
    {
        $digits = preg_match('/^[0-9A-Fa-f]{16}$/D', $name) === 1 ? hex2bin($name) : str_repeat("\0", 8);
        return $digits !== str_repeat("\0", 8) ? $digits : substr(hash('sha256', $name, true), 0, 8);
    }
}
