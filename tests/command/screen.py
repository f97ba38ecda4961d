# SPDX-License-Identifier: MIT
"""A program in a terminal, and what is to be seen there: as much of a terminal as evenkeel asks for."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

SEQUENCE = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])|\r|\n|[^\x00-\x1f\x7f]|(.)", re.S)


class Screen:
    """Lines without an end at the bottom; a cell is a character and its style."""

    def __init__(self, columns):
        self.columns = columns
        self.lines = [[]]
        self.x = self.y = 0
        self.style = ""
        self.wrapped = 0  # how often a line was too long
        self.strange = []  # what is not understood

    def put(self, character):
        if self.x == self.columns:
            self.wrapped += 1
            self.x = 0
            self.down()
        line = self.lines[self.y]
        line.extend([(" ", "")] * (self.x + 1 - len(line)))
        line[self.x] = (character, self.style)
        self.x += 1

    def down(self):
        self.y += 1
        if self.y == len(self.lines):
            self.lines.append([])

    def command(self, numbers, letter):
        if letter == "m":
            self.style = "" if numbers == "0" else numbers
        elif letter == "A":
            self.y = max(0, self.y - int(numbers))
        elif letter == "H" and not numbers:
            self.x = self.y = 0
        elif letter == "J" and not numbers:
            del self.lines[self.y + 1 :]
            del self.lines[self.y][self.x :]
        elif letter == "J" and numbers == "2":
            self.lines = [[] for _ in range(self.y + 1)]
        elif letter == "K" and not numbers:
            del self.lines[self.y][self.x :]
        else:
            self.strange.append(numbers + letter)

    def feed(self, text):
        for found in SEQUENCE.finditer(text):
            if found[2]:
                self.command(found[1], found[2])
            elif found[0] == "\r":
                self.x = 0
            elif found[0] == "\n":
                self.down()
            elif found[3]:
                self.strange.append(found[3])
            else:
                self.put(found[0])

    def text(self):
        rows = ["".join(character for character, _ in line).rstrip() for line in self.lines]
        while rows and not rows[-1]:
            rows.pop()
        return rows


class Terminal:
    """A program that has a terminal of its own; `error` takes its standard error elsewhere."""

    def __init__(self, words, columns=80, rows=24, error=None, **variables):
        self.screen = Screen(columns)
        self.rest = b""
        self.written = ""  # all that was read
        self.cooked = None  # whether it had the usual settings at the end
        self.status = None
        self.pid, self.end = pty.fork()
        if self.pid == 0:
            for ignored in (signal.SIGINT, signal.SIGQUIT):  # by what a shell begins in the background
                signal.signal(ignored, signal.SIG_DFL)
            fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            if error:
                os.dup2(os.open(error, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 2)
            environment = {**os.environ, "TERM": "xterm-256color", **variables}
            environment.pop("COLUMNS", None)
            os.execve(words[0], words, environment)
        self.resize(columns, rows)

    def resize(self, columns, rows):
        self.screen.columns = columns
        fcntl.ioctl(self.end, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, seconds):
        """What comes within so long; False where no more will."""
        if not select.select([self.end], [], [], seconds)[0]:
            return True
        try:
            got = os.read(self.end, 1 << 16)
        except OSError:  # the other end is closed
            return False
        whole = self.rest + got
        # Characters and sequences may come in two pieces.
        cut = re.search(rb"(\x1b(\[[0-9;?]*)?|[\xc0-\xff][\x80-\xbf]{0,2})$", whole)
        if cut and not (whole[cut.start()] >= 0xC0 and is_whole(whole[cut.start() :])):
            whole, self.rest = whole[: cut.start()], whole[cut.start() :]
        else:
            self.rest = b""
        self.written += whole.decode()
        self.screen.feed(whole.decode())
        return True

    def press(self, keys):
        os.write(self.end, keys.encode())

    def is_cooked(self):
        """Whether it has its usual settings: it waits for the end of a line, and shows what is typed."""
        flags = termios.tcgetattr(self.end)[3]
        return bool(flags & termios.ICANON) and bool(flags & termios.ECHO)

    def until(self, condition, seconds=60):
        """Reads until the screen is as asked for; whether it came to be."""
        limit = time.monotonic() + seconds
        while time.monotonic() < limit:
            if condition(self.screen):
                return True
            if not self.read(0.05):
                return condition(self.screen)
        return False

    def kill(self, number=signal.SIGINT):
        os.kill(self.pid, number)

    def stop(self, condition):
        """Stops it where the screen is as asked for."""
        while True:
            self.until(condition)
            self.kill(signal.SIGSTOP)
            os.waitpid(self.pid, os.WUNTRACED)
            while select.select([self.end], [], [], 0.05)[0]:
                self.read(0)
            if condition(self.screen):
                return
            self.kill(signal.SIGCONT)

    def cut(self):
        """Ends it at once; the screen stays as it is."""
        self.kill(signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.end)

    def wait(self, seconds=60):
        """Reads all and returns the exit status, as the shell has it."""
        limit = time.monotonic() + seconds
        while time.monotonic() < limit and self.read(0.05):
            pass
        if time.monotonic() >= limit:
            self.kill(signal.SIGKILL)
        self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        self.cooked = self.is_cooked()
        os.close(self.end)
        return self.status


def is_whole(character):
    first = character[0]
    return len(character) == (4 if first >= 0xF0 else 3 if first >= 0xE0 else 2)
