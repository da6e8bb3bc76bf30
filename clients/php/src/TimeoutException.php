<?php

declare(strict_types=1);

namespace Kist;

/** The reply did not come in time: the request may have been carried out, unless the text says that it was not sent. */
final class TimeoutException extends KistException
{
}
