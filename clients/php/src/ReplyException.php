<?php

declare(strict_types=1);

namespace Kist;

/** The reply breaks the protocol; the connection was closed. */
final class ReplyException extends KistException
{
}
