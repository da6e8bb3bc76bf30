<?php

declare(strict_types=1);

namespace Kist;

/** The text is not a payment token of Apple's; nothing was sent. */
final class TokenException extends KistException
{
}
