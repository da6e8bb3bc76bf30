<?php

declare(strict_types=1);

namespace Kist;

/** Nobody answers on the socket, and nothing was sent; the code is the system's. */
final class UnreachableException extends KistException
{
}
