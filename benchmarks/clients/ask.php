<?php

// Usage: ask.php COUNT 1. Asks for random bytes, and prints the client's processor time for one call, in µs. It has one call in flight.

declare(strict_types=1);

require __DIR__ . '/../../clients/php/autoload.php';

$count = (int) $argv[1];
$client = new Kist\Client();

/** Processor time of this process, in µs. */
function used(): int
{
    $usage = getrusage();
    return ($usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']) * 1_000_000 + $usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec'];
}

for ($i = 0; $i < 2 * $count; $i++) {
    $client->random(16);
}
$before = used();
for ($i = 0; $i < $count; $i++) {
    $client->random(16);
}
echo (used() - $before) / $count, "\n";
