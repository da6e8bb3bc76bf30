"""The people at a ceremony: runs a command on a terminal of its own, answers its prompts, writes down its sheets.

usage: ceremony.py PAPER STOP SIGNAL COMMAND...
PAPER is a JSON file with what is on paper: {"words": {custodian: [...]}, "components": {custodian: [digits, check value]},
"signatures": {witness: file}, "checkpoints": {directory: digits}}; sheets and the newest checkpoints are added to it. With "screen": [columns, lines] custodians ask for codes, which are added as
"codes": {custodian: page}, and make the terminal so large when they are told to; while a code is shown, can read of the process is searched for it. Shares are entered in one line, as a hand scanner does, unless STOP is at a word.
At the first prompt that has the text STOP ("sheet" for a sheet, "code page" for a code), SIGNAL is sent instead of an answer; "" for never.
Prints a JSON object: what the terminal shows when all is over, everywhere but on the other screen, which a terminal forgets; "faults",
which are secrets echoed, a sheet that was not wiped, arguments or environment with a word of a sheet, and a terminal that was left
without its echo or on its other screen; how many sheets there were; and how the command ended.
"""
import codecs, fcntl, json, os, pathlib, pty, re, signal, struct, subprocess, sys, termios

paper_path, stop, number, command = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]
paper = json.load(open(paper_path))
signal.pthread_sigmask(signal.SIG_SETMASK, [])
signal.alarm(300)
canary = os.environ["KIST_TEST_CANARY"] = "canary-" + os.urandom(16).hex()
scanner = pathlib.Path(command[0]).with_name("scan-memory")
pid, master = pty.fork()
if pid == 0:
    os.execv(command[0], command)

enter, wipe, leave = "\x1b[?1049h", "\x1b[2J\x1b[3J\x1b[H", "\x1b[?1049l"
shown, sheets, faults, opened, by_word = "", 0, [], [], stop.startswith("word")
prompt = re.compile(r"(?:^|\n|\x1b\[\?1049l)([a-z0-9-]+): ([^\n]+): \Z")
secret = r"(?:word \d+ of \d+|faces, 1 to 6|component \d+ of \d+, \d+ hexadecimal digits): "

def resize(columns, lines):
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

def residue(page, words):
    """Where the words, the code's modules and what it is drawn as can be read of the process, which must not be anywhere."""
    lines = [line[8:-4] for line in page.split("\n") if line.startswith("\x1b[30;47m")]
    rows = [sum(1 << x for x, character in enumerate(line[4:-4]) if character in dark) for line in lines[12:14] for dark in ("▀█", "▄█")]
    text, program = " ".join(words).encode(), open(command[0], "rb").read()
    # By chance a share has neighbours that the list of words has, too; these tell nothing.
    part = next(text[at:at + 32] for at in range(60, len(text) - 32) if text[at:at + 16] not in program and text[at + 16:at + 32] not in program)
    secrets = {"canary": canary.encode(), "words": part, "capitals": part.upper(), "modules": struct.pack("<4Q", *rows),
               "line": lines[16].encode()[30:62]}
    wanted = "".join(f"{name} {value.hex()}\n" for name, value in secrets.items())
    scan = subprocess.run([scanner, str(pid), "1"], input=wanted, capture_output=True, text=True, check=True).stdout
    finds = [line for line in scan.splitlines() if line.startswith("find ")]
    return [f"in memory: {find}" for find in finds if not find.startswith("find canary ")] + ["the scan finds nothing"] * (not any(
        find.startswith("find canary ") for find in finds))

operands = command[command.index("ceremony") + 2:]
directory = operands[0] if "resume" in command else operands[1]

def echoes():
    return bool(termios.tcgetattr(master)[3] & termios.ECHO)

def fact(subject):
    return re.findall(r"\n  " + re.escape(subject) + r": ([^\r\n]+)", shown)[-1]

def answer(person, question):
    if "your name" in question:
        return person
    if "(yes)" in question:
        return "yes"
    if "checkpoint on your paper" in question:
        return paper["checkpoints"].get(directory, "none")
    if "(accept)" in question:
        return "accept"
    if "reads it out" in question:
        return fact(question[:question.index(", as ")])
    if "serial number" in question:
        return "B-4711"
    if "faces" in question:
        return "123456" * 17
    if "name of the custodian" in question:
        opened.append(sorted(paper["words"])[len(opened) % 2])
        return opened[-1]
    if "QR code" in question:
        if "screen" in paper and "enlarge it" in shown:
            resize(*paper["screen"])
        return "yes" if "screen" in paper else "no"
    if question.startswith("word 1 of") and not by_word:
        return " ".join(paper["words"][person]).upper()
    if match := re.match(r"word (\d+) of", question):
        return paper["words"][person][int(match[1]) - 1]
    if question.startswith("component"):
        return paper["components"][person][0]
    if question.startswith("check value of component"):
        return paper["components"][person][1]
    if "for ever" in question:
        return re.findall(r"check value of ([^ :]+):", shown)[-1]
    if "file with your signature" in question:
        return paper["signatures"].pop(person, "")
    return ""

decoder = codecs.getincrementaldecoder("utf-8")()
resize(80, 24)
while True:
    try:
        got = os.read(master, 4096)
    except OSError:  # EIO: the command has closed the terminal
        break
    if not got:
        break
    shown += decoder.decode(got)
    on_sheet = shown.rfind(enter) > shown.rfind(leave)
    if on_sheet:
        page = shown[shown.rfind(enter):].replace("\r", "")
        if not page.endswith("nobody can show it again.\n"):
            continue
        custodian = re.search(r"Custodian (\S+)", page)[1]
        if component := re.search(r"Digits +([0-9A-F ]+)\nCheck value +([0-9A-F ]+)\n", page):
            paper["components"][custodian] = list(component.groups())
        if "QR code" in page:
            paper["codes"][custodian], question = page, (custodian, "code page")
            if os.getuid() == 0:
                faults += residue(page, paper["words"][custodian])
        else:
            numbered = re.findall(r"(\d+)\. ([a-z]+)", page)
            if numbered:
                paper["words"][custodian] = [word for _, word in sorted((int(n), w) for n, w in numbered)]
            sheets, question = sheets + 1, (custodian, "sheet")
    elif match := prompt.search(shown[-1000:].replace("\r", "")):  # to search all of it for each word takes seconds
        question = match.groups()
        if re.match(secret, question[1] + ": ") and echoes():
            faults.append("echo on: " + question[1])
    else:
        continue
    if stop and stop in question[1]:
        os.kill(pid, number)
        stop = ""
        continue
    for name in "cmdline", "environ":
        try:
            text = open(f"/proc/{pid}/{name}").read()
        except OSError:  # not ours to read, as of any process that dumps no core
            continue
        faults += [name + " has " + word for words in paper["words"].values() for word in words[4:] if "\0" + word in text]
    os.write(master, ("" if on_sheet else answer(*question)).encode() + b"\n")

status = os.waitpid(pid, 0)[1]
if number != signal.SIGKILL:
    faults += [] if echoes() else ["echo left off"]
    faults += ["left on the other screen"] * (shown.rfind(enter) > shown.rfind(leave))
    faults += ["not wiped"] * (shown.count(enter) != shown.count(wipe + leave))
faults += ["echoed: " + text[:24] for text in re.findall(secret + r"([^\r\n]+)", shown)]
if marks := re.findall(r"checkpoint after [^:\n]+: ([0-9a-f]{32})", shown):
    paper["checkpoints"][directory] = marks[-1]
json.dump(paper, open(paper_path, "w"))
print(json.dumps({"shown": re.sub(re.escape(enter) + ".*?(" + re.escape(leave) + r"|\Z)", "", shown, flags=re.S), "faults": faults, "sheets": sheets,
                  "code": os.WEXITSTATUS(status) if os.WIFEXITED(status) else -1,
                  "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0}))
