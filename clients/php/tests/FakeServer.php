<?php

declare(strict_types=1);

namespace Kist\Tests;

use Kist\Client;
use Kist\Enums\Status;

/** `fake.php` in a process of its own. */
final class FakeServer
{
    public readonly string $endpoint;
    private readonly string $path;
    /** @var resource */
    private $process;

    public function __construct(mixed ...$how)
    {
        $this->path = sys_get_temp_dir() . '/kist-fake-' . bin2hex(random_bytes(6));
        $this->endpoint = "unix:{$this->path}";
        $this->process = proc_open([PHP_BINARY, __DIR__ . '/fake.php', $this->path, json_encode($how, JSON_FORCE_OBJECT)], [], $pipes);
        while (!is_file("{$this->path}.log")) {
            usleep(1000);
        }
    }

    public function __destruct()
    {
        $this->stop();
        @unlink($this->path);
        @unlink("{$this->path}.log");
    }

    public function stop(): void
    {
        if (is_resource($this->process)) {
            proc_terminate($this->process, 9);
            proc_close($this->process);
        }
    }

    public function client(float $timeout = 2.0): Client
    {
        return new Client($this->endpoint, $timeout);
    }

    public function connections(): int
    {
        return count(preg_grep('/^connection/', $this->log()));
    }

    /** @return list<string> */
    public function requests(): array
    {
        return array_map(static fn (string $line): string => hex2bin(substr($line, 8)), array_values(preg_grep('/^request/', $this->log())));
    }

    /** @return list<string> */
    private function log(): array
    {
        return file("{$this->path}.log", FILE_IGNORE_NEW_LINES);
    }

    /** A refusal to a first opening, in hexadecimal; busy without a wait is about the connection [WIRE-24]. */
    public static function refusal(Status $status, int $wait = 0, int $id = 1): string
    {
        $isAboutConnection = $status === Status::Busy && $wait === 0;
        $body = $wait === 0 ? '' : chr(8) . chr($wait);
        return bin2hex(pack('NCCnJJ', 20 + strlen($body), 1, $status->value, $isAboutConnection ? 0 : 0x11, $isAboutConnection ? 0 : $id, 41) . $body);
    }
}
