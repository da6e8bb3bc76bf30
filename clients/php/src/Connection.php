<?php

declare(strict_types=1);

namespace Kist;

/**
 * A connection to `kistd` that opens when it is used, and again when it has ended. It carries one request at a time, and a child process that was forked
 * opens its own.
 *
 * @internal
 */
final class Connection
{
    /** Microseconds between two attempts while the daemon's backlog is full. */
    private const PAUSE = 10_000;
    /** The bytes of a Unix socket's path that the kernel takes. */
    private const PATH_MOST = 107;
    private const EAGAIN = 11;
    private const ENAMETOOLONG = 36;

    /** @var resource|null */
    private $socket = null;
    private int $process = 0;
    private bool $hasAnswered = false;

    public function __construct(private readonly string $path)
    {
    }

    public function close(): void
    {
        // In a child process the connection is the parent's: its descriptor is closed, and nothing is sent.
        if ($this->socket !== null) {
            fclose($this->socket);
        }
        $this->socket = null;
        $this->hasAnswered = false;
    }

    /**
     * Sends a request and gives its answer: the body, and the audit sequence.
     *
     * @return array{string, int|string|null}
     * @throws KistException
     */
    public function call(int $opcode, string $id, #[\SensitiveParameter] string $frame, float $timeout): array
    {
        $deadline = hrtime(true) / 1e9 + $timeout;
        if ($this->process !== getmypid() || !$this->isUsable()) {
            $this->close();
            $this->connect($deadline);
        }
        try {
            $this->send($frame, $deadline);
            $reply = $this->receive(Frame::replyLength($this->receive(Frame::LENGTH_SIZE, $deadline)), $deadline);
            $isFirst = !$this->hasAnswered;
            $this->hasAnswered = true;
            return Frame::answer($opcode, $id, $reply, $isFirst);
        } catch (RefusedException $refusal) {
            if ($refusal->endsConnection) {
                $this->close();
            }
            throw $refusal;
        } catch (Flaw $flaw) {
            $this->close();
            throw new ReplyException($flaw->getMessage());
        } catch (\Throwable $error) {
            $this->close(); // otherwise a late reply would be taken for a later request's
            throw $error;
        }
    }

    /** Whether the daemon is still there and has said nothing unasked. */
    private function isUsable(): bool
    {
        return $this->socket !== null && !$this->isReady('read', 0.0);
    }

    private function connect(float $deadline): void
    {
        $this->process = getmypid();
        if (strlen($this->path) > self::PATH_MOST) {
            throw new UnreachableException("{$this->path}: File name too long", self::ENAMETOOLONG);
        }
        while (true) {
            $socket = @stream_socket_client("unix://{$this->path}", $code, $text, max($deadline - hrtime(true) / 1e9, 0.001));
            if ($socket !== false) {
                break;
            }
            $isLate = hrtime(true) / 1e9 >= $deadline;
            if ($code !== self::EAGAIN || $isLate) {
                throw new UnreachableException("{$this->path}: " . ($code === self::EAGAIN ? 'the daemon takes no more connections' : $text), $code);
            }
            usleep(self::PAUSE);
        }
        stream_set_blocking($socket, false);
        stream_set_read_buffer($socket, 0); // nothing of a reply is to stay there
        stream_set_write_buffer($socket, 0);
        $this->socket = $socket;
    }

    private function send(#[\SensitiveParameter] string $frame, float $deadline): void
    {
        for ($sent = 0; $sent < strlen($frame); $sent += $count) {
            $count = @fwrite($this->socket, $sent === 0 ? $frame : substr($frame, $sent));
            if ($count === false) {
                return; // what the daemon sent before it closed the connection must still be read [WIRE-19]
            }
            if ($count === 0 && !$this->isReady('write', $deadline - hrtime(true) / 1e9)) {
                throw new TimeoutException('the request could not be sent in time');
            }
        }
    }

    private function receive(int $count, float $deadline): string
    {
        $received = '';
        while (strlen($received) < $count) {
            if (!$this->isReady('read', $deadline - hrtime(true) / 1e9)) {
                throw new TimeoutException('the reply did not come in time');
            }
            $part = @fread($this->socket, $count - strlen($received));
            if ($part === false || ($part === '' && feof($this->socket))) {
                throw new DisconnectedException('the connection ended before the reply');
            }
            $received .= $part;
        }
        return $received;
    }

    /** Waits so many seconds until the socket can be read or written. */
    private function isReady(string $how, float $seconds): bool
    {
        $until = hrtime(true) / 1e9 + max($seconds, 0.0);
        do {
            $rest = max($until - hrtime(true) / 1e9, 0.0);
            [$reads, $writes, $others] = [$how === 'read' ? [$this->socket] : null, $how === 'write' ? [$this->socket] : null, null];
            $ready = @stream_select($reads, $writes, $others, (int) $rest, (int) (fmod($rest, 1) * 1e6));
            // A signal's handler may have run meanwhile.
        } while ($ready === false && hrtime(true) / 1e9 < $until);
        return $ready > 0;
    }
}
