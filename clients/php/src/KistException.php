<?php

declare(strict_types=1);

namespace Kist;

/** Any error of this package. */
class KistException extends \RuntimeException
{
    /** Of a call: the id in its audit record, `kist audit show --request`; null if nothing was sent. */
    public int|string|null $requestId = null;
    /** Of a call with one: the key with which the same call can be made again [OP-OPEN-11]. */
    public ?string $retryKey = null;
}
