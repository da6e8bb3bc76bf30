<?php

declare(strict_types=1);

namespace Kist;

/** The connection ended before the reply: the request may have been carried out. */
final class DisconnectedException extends KistException
{
}
