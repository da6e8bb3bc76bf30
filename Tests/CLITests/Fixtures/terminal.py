"""Runs a command on a terminal of its own, answers its prompts, and says what the terminal showed.

usage: terminal.py ANSWERS SIGNAL COMMAND...
ANSWERS are typed one after another, each when a prompt (": " at the end) has come; they are separated by commas.
After the answers SIGNAL, where it is not 0, is sent to the command.
Prints a JSON object: what was shown, whether echo was off at each prompt and on at the end, and how the command ended.
"""
import json, os, pty, signal, sys, termios

answers, number, command = sys.argv[1].split(",") if sys.argv[1] else [], int(sys.argv[2]), sys.argv[3:]
# A test runner's threads block signals, and that is inherited.
signal.pthread_sigmask(signal.SIG_SETMASK, [])
signal.alarm(300)
pid, master = pty.fork()
if pid == 0:
    os.execv(command[0], command)

shown, quiet = b"", []
echoes = lambda: bool(termios.tcgetattr(master)[3] & termios.ECHO)

def read_until(done):
    global shown
    start = len(shown)
    while not done(shown[start:]):
        try:
            got = os.read(master, 4096)
        except OSError:  # EIO: the command has closed the terminal
            return
        if not got:
            return
        shown += got

prompts = len(answers) + (1 if number else 0)
for index in range(prompts):
    read_until(lambda new: new.endswith(b": "))
    quiet.append(not echoes())
    if index < len(answers):
        os.write(master, answers[index].encode() + b"\n")
    else:
        os.kill(pid, number)
status = os.waitpid(pid, 0)[1]
echo_after = echoes()
read_until(lambda new: False)
print(json.dumps({"shown": shown.decode(), "quiet": quiet, "echoAfter": echo_after,
                  "code": os.WEXITSTATUS(status) if os.WIFEXITED(status) else -1,
                  "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0}))
