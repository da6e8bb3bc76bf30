<?php

declare(strict_types=1);

namespace Kist\Testing;

use Kist\Client;
use Kist\Messages\ProvisionPassReply;
use Kist\Token;

/** A sandbox daemon for tests: the production daemon on a throw-away directory with a test Apple PKI. It ends with this object and with this process. */
final class Sandbox
{
    private const START_MOST = 60;

    /** Everything that the daemon has. */
    public readonly string $directory;
    private readonly string $program;
    private readonly string $folder;
    private readonly int $owner;
    /** @var resource|null */
    private $daemon = null;

    /**
     * Makes a sandbox and starts its daemon.
     *
     * @param string|null $program the `kist` command; null for the environment's `KIST_PROGRAM`, else that of `PATH`
     * @param string $config settings in the form of kist.toml, besides those of every sandbox
     * @param string $policy grants in front of those of every sandbox
     * @param string|null $at the moment at which its clock stands, such as `2026-11-20T09:30:00Z`
     * @throws SandboxException
     */
    public function __construct(?string $program = null, string $config = '', string $policy = '', ?string $at = null)
    {
        $this->program = $program ?? (getenv('KIST_PROGRAM') ?: 'kist');
        $this->owner = getmypid();
        $this->folder = sys_get_temp_dir() . '/kist-' . bin2hex(random_bytes(6));
        $this->directory = "{$this->folder}/box";
        try {
            $this->make($config, $policy, $at);
        } catch (SandboxException $error) {
            $this->__destruct(); // PHP calls it for nothing that was not made whole
            throw $error;
        }
    }

    private function make(string $config, string $policy, ?string $at): void
    {
        mkdir($this->folder, 0700);
        $words = ['sandbox', 'init', ...($at === null ? [] : ['--at', $at])];
        foreach (['config' => $config, 'policy' => $policy] as $kind => $text) {
            if ($text !== '') {
                file_put_contents("{$this->folder}/$kind.toml", $text);
                chmod("{$this->folder}/$kind.toml", 0600);
                array_push($words, "--$kind", "{$this->folder}/$kind.toml");
            }
        }
        $this->kist([...$words, $this->directory]);
        $this->start();
    }

    public function __destruct()
    {
        if (getmypid() !== $this->owner) {
            return; // of a child process it is the parent's
        }
        $this->stop();
        if (is_dir($this->folder)) {
            proc_close(proc_open(['rm', '-rf', $this->folder], [], $pipes));
        }
    }

    /** The endpoint for services. */
    public function endpoint(): string
    {
        return "unix:{$this->directory}/run/kist.sock";
    }

    /** The endpoint for operators. */
    public function operatorsEndpoint(): string
    {
        return "unix:{$this->directory}/run/admin.sock";
    }

    /** A client of the services' socket. */
    public function client(): Client
    {
        return new Client($this->endpoint());
    }

    /** A client of the operators' socket. */
    public function operator(): Client
    {
        return new Client($this->operatorsEndpoint());
    }

    /** A fresh token as Apple would make it: the options of `kist sandbox token`, such as `amount: 1499, stale: true`. */
    public function token(string|int|bool ...$options): Token
    {
        return Token::fromApple($this->tokenText(...$options));
    }

    /** The same as Apple's JSON. */
    public function tokenText(string|int|bool ...$options): string
    {
        return $this->kist(['sandbox', 'token', '--dir', $this->directory, ...self::flags($options)]);
    }

    /**
     * What a phone sends an issuer's host to add a card: in base64.
     *
     * @return array{certificates: list<string>, nonce: string, nonceSignature: string}
     */
    public function passRequest(string|int|bool ...$options): array
    {
        $text = $this->kist(['sandbox', 'pass-request', '--dir', $this->directory, ...self::flags($options)]);
        return json_decode($text, true, 8, JSON_THROW_ON_ERROR);
    }

    /**
     * What Apple and the payment network find in an answer of `provisionPass`.
     *
     * @return array<string, mixed>
     * @throws SandboxException where they would refuse it
     */
    public function passOpen(ProvisionPassReply $answer, string|int|bool ...$options): array
    {
        $parts = ['encryptedPassData' => $answer->encryptedPassData, 'ephemeralPublicKey' => $answer->ephemeralPublicKey, 'activationData' => $answer->activationData];
        $text = json_encode(array_map(static fn (?string $part): string => base64_encode((string) $part), $parts), JSON_THROW_ON_ERROR);
        $found = $this->kist(['sandbox', 'pass-open', '-', '--dir', $this->directory, ...self::flags($options)], $text);
        return json_decode($found, true, 16, JSON_THROW_ON_ERROR);
    }

    /** Starts the daemon again; returns when it serves. */
    public function start(): void
    {
        // The kernel kills it with whoever started it.
        $words = ['setpriv', '--pdeathsig', 'KILL', '--', $this->program, 'sandbox', 'run', '--dir', $this->directory];
        $log = "{$this->folder}/log";
        $this->daemon = proc_open($words, [['file', '/dev/null', 'r'], ['file', '/dev/null', 'w'], ['file', $log, 'w']], $pipes) ?: null;
        for ($until = time() + self::START_MOST; !str_contains((string) @file_get_contents($log), 'event=ready'); usleep(5000)) {
            if ($this->daemon === null || !proc_get_status($this->daemon)['running'] || time() > $until) {
                throw new SandboxException('kistd did not start: ' . @file_get_contents($log));
            }
        }
    }

    /** Stops the daemon in order; `start` starts it again on the same keys and log. */
    public function stop(): void
    {
        $this->end(15);
    }

    /** Kills the daemon as a crash would. */
    public function kill(): void
    {
        $this->end(9);
    }

    private function end(int $signal): void
    {
        if ($this->daemon !== null) {
            proc_terminate($this->daemon, $signal);
            proc_close($this->daemon);
        }
        $this->daemon = null;
    }

    /** @param list<string> $words */
    private function kist(array $words, string $input = ''): string
    {
        // An answer, and what is said besides, may be larger than a pipe.
        $files = array_map(fn (string $name): string => "{$this->folder}/$name", ['input', 'output', 'said']);
        file_put_contents($files[0], $input);
        $child = @proc_open([$this->program, ...$words], [['file', $files[0], 'r'], ['file', $files[1], 'w'], ['file', $files[2], 'w']], $pipes);
        $code = $child === false ? 127 : proc_close($child);
        if ($code === 127) { // as a shell has it, too, where there is no such program
            throw new SandboxException("{$this->program} cannot be run; give program, or set KIST_PROGRAM");
        }
        if ($code !== 0) {
            throw new SandboxException(trim((string) file_get_contents($files[2])));
        }
        return (string) file_get_contents($files[1]);
    }

    /**
     * The options of a command, named as in PHP; one that is false is not given.
     *
     * @param array<string, string|int|bool> $options
     * @return list<string>
     */
    private static function flags(array $options): array
    {
        $words = [];
        foreach ($options as $name => $value) {
            $flag = '--' . strtolower((string) preg_replace('/[A-Z]/', '-$0', $name));
            array_push($words, ...match ($value) {
                false => [],
                true => [$flag],
                default => [$flag, (string) $value],
            });
        }
        return $words;
    }
}
