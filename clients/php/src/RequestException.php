<?php

declare(strict_types=1);

namespace Kist;

/** The request breaks a bound of the protocol, so nothing was sent; the text names the field and the bound. */
final class RequestException extends KistException
{
}
