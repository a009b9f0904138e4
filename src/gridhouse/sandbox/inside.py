"""The program inside a sandbox: it raises the last walls, then runs a command or serves sessions.

``inside.py CONTROL`` reads its setup from the socket CONTROL and reports there.  It is trusted and
runs no line of the submission in its own process: the submission runs in a forked child, which
gives up every right before.  When the socket closes, everything inside is killed.

``inside.py probe COMPILED`` prints what this machine and this interpreter offer, as JSON, and
writes this program's byte code to the file COMPILED.

This file stands alone, imports as little as it can and runs on Python 3.8 or later.
"""

from __future__ import annotations

import ctypes
import errno
import marshal
import os
import resource
import select
import signal
import struct
import sys
import time

if sys.version_info < (3, 8):
    sys.exit("the sandbox needs Python 3.8 or later")

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from types import CodeType
    from typing import Any, NoReturn

LINUX = sys.platform == "linux"

# linux/prctl.h, linux/sched.h, linux/mount.h
PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
PR_CAPBSET_DROP = 24
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_CLEAR_ALL = 4
CAPABILITY_VERSION = 0x20080522
LAST_CAPABILITY = 63
CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000
CLONE_NEW = 0x7E020080  # all kinds of namespaces
MS_NOSUID_NODEV = 2 | 4
MS_BIND_REC = 4096 | 16384
MS_REC_PRIVATE = 16384 | (1 << 18)
MNT_DETACH = 2
AT_FDCWD = -100
AT_RECURSIVE = 0x8000
MOUNT_ATTR_RDONLY = 1
MOUNT_ATTR_NOSUID_NODEV = 2 | 4

NOBODY = 65534

# Numbers of system calls that the C library does not wrap, by machine.
MOUNT_SETATTR = 442
LANDLOCK_CREATE_RULESET = 444
LANDLOCK_ADD_RULE = 445
LANDLOCK_RESTRICT_SELF = 446
PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}

# Calls a submission never gets: sockets, other processes' memory, new namespaces, and objects of
# the kernel that would outlive a session (keys, System V memory, message queues).
AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
CLONE = {"x86_64": 56, "aarch64": 220}
CLONE3 = 435
DENIED = {
    "x86_64": {
        "socket": 41, "shmget": 29, "semget": 64, "msgget": 68, "ptrace": 101, "mq_open": 240,
        "add_key": 248, "request_key": 249, "keyctl": 250, "unshare": 272, "perf_event_open": 298,
        "setns": 308, "process_vm_readv": 310, "process_vm_writev": 311, "bpf": 321,
        "userfaultfd": 323, "io_uring_setup": 425,
    },
    "aarch64": {
        "socket": 198, "shmget": 194, "semget": 190, "msgget": 186, "ptrace": 117, "mq_open": 180,
        "add_key": 217, "request_key": 218, "keyctl": 219, "unshare": 97, "perf_event_open": 241,
        "setns": 268, "process_vm_readv": 270, "process_vm_writev": 271, "bpf": 280,
        "userfaultfd": 282, "io_uring_setup": 425,
    },
}  # fmt: skip

# Calls that change what Landlock does not guard: owners, modes, times and attributes of files.
# They do nothing, but seem to, where a program has the user of the one who runs it.
IGNORED = {
    "x86_64": {
        "chmod": 90, "fchmod": 91, "chown": 92, "fchown": 93, "lchown": 94, "utime": 132,
        "setxattr": 188, "lsetxattr": 189, "fsetxattr": 190, "removexattr": 197,
        "lremovexattr": 198, "fremovexattr": 199, "utimes": 235, "fchownat": 260,
        "futimesat": 261, "fchmodat": 268, "utimensat": 280, "fchmodat2": 452, "setxattrat": 463,
        "removexattrat": 466, "file_setattr": 469,
    },
    "aarch64": {
        "setxattr": 5, "lsetxattr": 6, "fsetxattr": 7, "removexattr": 14, "lremovexattr": 15,
        "fremovexattr": 16, "fchmod": 52, "fchmodat": 53, "fchownat": 54, "fchown": 55,
        "utimensat": 88, "fchmodat2": 452, "setxattrat": 463, "removexattrat": 466,
        "file_setattr": 469,
    },
}  # fmt: skip

# Landlock: rights to files by version of its interface, those that a plain file can have, and those
# that only read.
FILE_SYSTEM_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
RIGHTS_OF_FILES = 0b1100_0000_0000_0111
RIGHTS_TO_READ = 0b1101
SCOPES = 0b11  # abstract Unix sockets, signals

# Modules of the standard library that print nothing, start nothing and cost time to import.
WARM = """
    abc argparse array ast base64 bisect calendar cmath collections contextlib copy csv
    dataclasses datetime decimal enum fractions functools hashlib heapq io itertools json logging
    math numbers operator os pathlib pickle platform pprint queue random re secrets shutil signal
    statistics string struct subprocess sys tempfile textwrap threading time timeit traceback types
    typing unicodedata unittest uuid warnings weakref zlib"""

libc = ctypes.CDLL(None, use_errno=True)


class SetupError(Exception):
    """A wall could not be raised; the message says which."""


def call(function: str, *arguments: int | bytes | ctypes.Array[ctypes.c_char] | None) -> int:
    """Call a function of the C library.

    Raises SetupError with its name where it fails.
    """
    wide = [ctypes.c_long(item) if isinstance(item, int) else item for item in arguments]
    result = getattr(libc, function)(*wide)
    if result == -1:
        number = ctypes.get_errno()
        raise SetupError(f"{function} failed: {os.strerror(number)}")
    return int(result)


# Walls


def enter_namespaces(setup: dict[str, Any]) -> None:
    """Continue as the first process of new namespaces, whose file system holds only the mounts."""
    user, group = os.geteuid(), os.getegid()
    flags = CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWPID | CLONE_NEWNET
    call("unshare", flags | (CLONE_NEWUSER if setup["user_namespace"] else 0))
    if setup["user_namespace"]:
        maps = (("setgroups", "deny"), ("uid_map", f"{NOBODY} {user} 1"))
        for name, text in (*maps, ("gid_map", f"{NOBODY} {group} 1")):
            with open("/proc/self/" + name, "w") as file:
                file.write(text)
    first = os.fork()
    if first:
        os.closerange(0, 256)
        os._exit(exit_code(os.waitpid(first, 0)[1]) & 0xFF)
    call("prctl", PR_SET_PDEATHSIG, signal.SIGKILL)
    root = setup["root"]
    call("mount", b"none", b"/", None, MS_REC_PRIVATE, None)
    call("mount", b"tmpfs", os.fsencode(root), b"tmpfs", MS_NOSUID_NODEV, b"mode=0755")
    for kind, source, target in setup["mounts"]:
        raise_mount(kind, source, root + target)
    os.chdir(root)
    call("syscall", PIVOT_ROOT[os.uname().machine], b".", b".")
    call("umount2", b".", MNT_DETACH)
    os.chdir("/")


def raise_mount(kind: str, source: str, target: str) -> None:
    """Make one line of the plan of mounts, as ``mounts.py`` describes them."""
    place = os.fsencode(target)
    if kind == "seal":
        set_mount(place, MOUNT_ATTR_RDONLY, 0)
        return
    if kind == "link":
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.symlink(source, target)
        return
    if kind in ("folder", "proc", "tmpfs") or os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC))
    if kind in ("bind", "device"):
        call("mount", os.fsencode(source), place, None, MS_BIND_REC, None)
    elif kind != "folder":
        call(
            "mount", kind.encode(), place, kind.encode(), 2, b"mode=0755" if kind != "proc" else b""
        )
    if kind == "bind":
        set_mount(place, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID_NODEV, AT_RECURSIVE)


def set_mount(place: bytes, attributes: int, flags: int) -> None:
    """Set attributes of a mount, with all below it where flags say so."""
    wanted = ctypes.create_string_buffer(struct.pack("QQQQ", attributes, 0, 0, 0), 32)
    call("syscall", MOUNT_SETATTR, AT_FDCWD, place, flags, wanted, 32)


def landlock_version() -> int:
    """Return the version of Landlock's interface, 0 where there is none."""
    if not LINUX:
        return 0
    return max(0, int(libc.syscall(ctypes.c_long(LANDLOCK_CREATE_RULESET), None, 0, 1)))


def landlock_rules(readable: list[str], writable: list[str]) -> int:
    """Return a Landlock rule set, an open file: what is not named can be neither read nor written.

    It keeps signals to the inside as well, where the kernel can do that (version 6).
    """
    version = landlock_version()
    everything = (1 << FILE_SYSTEM_RIGHTS[min(version, 5)]) - 1
    handled = struct.pack("QQQ", everything, 0, SCOPES)
    size = 24 if version >= 6 else 8
    buffer = ctypes.create_string_buffer(handled, 24)
    rules = call("syscall", LANDLOCK_CREATE_RULESET, buffer, size, 0)
    for paths, rights in ((readable, RIGHTS_TO_READ), (writable, everything)):
        for path in paths:
            try:
                place = os.open(path, 0o10000000 | os.O_CLOEXEC)  # O_PATH
            except FileNotFoundError:
                continue
            allowed = rights & everything
            if not os.path.isdir(path):
                allowed &= RIGHTS_OF_FILES
            rule = ctypes.create_string_buffer(struct.pack("=Qi", allowed, place), 12)
            call("syscall", LANDLOCK_ADD_RULE, rules, 1, rule, 0)
            os.close(place)
    return rules


def call_filter(ignores: bool) -> bytes:
    """Return a filter program that refuses the calls in ``DENIED`` and new namespaces.

    It lets those in ``IGNORED`` do nothing, if asked to.

    Socket filters of BPF, as seccomp(2) describes them: each instruction is an operation, two jumps
    and a constant.  The data are the call's number at 0, the machine at 4, the arguments from 16.
    """
    machine = os.uname().machine
    load, jump_equal, jump_at_least, jump_set, answer = 0x20, 0x15, 0x35, 0x45, 0x06
    kill, refuse, allow = 0x80000000, 0x00050000, 0x7FFF0000
    program = [
        (load, 0, 0, 4),
        (jump_equal, 1, 0, AUDIT_ARCH[machine]),
        (answer, 0, 0, kill),
        (load, 0, 0, 0),
        (jump_at_least, 0, 1, 0x40000000),  # the x32 names of the same calls
        (answer, 0, 0, refuse | errno.ENOSYS),
        (jump_equal, 0, 1, CLONE3),  # its flags lie in memory; the C library falls back on clone
        (answer, 0, 0, refuse | errno.ENOSYS),
    ]
    for number in DENIED[machine].values():
        program += [(jump_equal, 0, 1, number), (answer, 0, 0, refuse | errno.EPERM)]
    for number in IGNORED[machine].values() if ignores else ():
        program += [(jump_equal, 0, 1, number), (answer, 0, 0, refuse)]
    program += [
        (jump_equal, 0, 3, CLONE[machine]),
        (load, 0, 0, 16),
        (jump_set, 0, 1, CLONE_NEW & ~0xFF),  # the lowest byte is the signal at the end
        (answer, 0, 0, refuse | errno.EPERM),
        (answer, 0, 0, allow),
    ]
    return b"".join(struct.pack("HBBI", *instruction) for instruction in program)


def filter_calls(program: bytes) -> None:
    """Put this process and all that come from it under a filter program, for good."""
    code = ctypes.create_string_buffer(program, len(program))
    head = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(code))
    call("prctl", PR_SET_SECCOMP, 2, ctypes.create_string_buffer(head, len(head)), 0, 0)


def give_up_capabilities() -> None:
    """Drop all capabilities of this process, and the way to get them back."""
    if os.geteuid() == 0:
        for capability in range(LAST_CAPABILITY + 1):
            if libc.prctl(PR_CAPBSET_DROP, ctypes.c_long(capability), 0, 0, 0) == -1:
                break
    libc.prctl(PR_CAP_AMBIENT, ctypes.c_long(PR_CAP_AMBIENT_CLEAR_ALL), 0, 0, 0)
    header = ctypes.create_string_buffer(struct.pack("Ii", CAPABILITY_VERSION, 0), 8)
    call("capset", header, ctypes.create_string_buffer(24))


def confine(setup: dict[str, Any], rules: int | None, calls: bytes | None) -> None:
    """Put this process, which is about to run the submission, under all limits and walls."""
    os.setsid()
    for name, value in setup["rlimits"].items():
        resource.setrlimit(getattr(resource, name), (value, value))
    if not LINUX:
        return
    call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if rules is not None:
        call("syscall", LANDLOCK_RESTRICT_SELF, rules, 0)
    if setup["uid"] is not None:
        os.setgroups([])
        os.setresgid(setup["uid"], setup["uid"], setup["uid"])
        os.setresuid(setup["uid"], setup["uid"], setup["uid"])
    give_up_capabilities()
    call("prctl", PR_SET_DUMPABLE, 1, 0, 0, 0)
    if calls is not None:
        filter_calls(calls)


def fill(setup: dict[str, Any], files: dict[str, bytes]) -> None:
    """Go to the scratch folder, and put links to the submission's files and these files there."""
    os.chdir(setup["scratch"])
    submission = setup["submission"]
    for name in os.listdir(submission):
        if name not in files:
            os.symlink(os.path.join(submission, name), name)
    for name, content in files.items():
        folder = os.path.dirname(name)
        if folder:
            if os.path.islink(folder):
                os.unlink(folder)
            os.makedirs(folder, exist_ok=True)
        with open(name, "wb") as file:
            file.write(content)
    os.environ["HOME"] = setup["scratch"]
    os.environ.pop("PWD", None)  # bubblewrap's


# Messages


def receive(control: int) -> dict[str, Any] | None:
    """Return the next message from the outside; None at the end of all."""
    head = read_exactly(control, 4)
    if head is None:
        return None
    body = read_exactly(control, int.from_bytes(head, "big"))
    return None if body is None else marshal.loads(body)


def read_exactly(file: int, size: int) -> bytes | None:
    """Return ``size`` bytes, None if the other side closes before."""
    parts = []
    while size:
        part = os.read(file, min(size, 1 << 20))
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def report(control: int, word: str, *values: object) -> None:
    """Send one line to the outside."""
    line = " ".join([word, *map(str, values)]).replace("\n", "; ")
    try:
        os.write(control, line.encode("utf-8", "replace") + b"\n")
    except OSError:  # nobody waits for it any more
        pass


# Supervision


class Watch:
    """Waits for children, the control socket and the clock at once."""

    def __init__(self, control: int) -> None:
        """Get woken when a child ends; interrupts from the inside count for nothing."""
        self.control = control
        self.woken, self.waker = os.pipe()
        os.set_blocking(self.woken, False)
        os.set_blocking(self.waker, False)
        signal.set_wakeup_fd(self.waker, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        self.poll = select.poll()
        self.poll.register(self.woken, select.POLLIN)
        self.poll.register(control, select.POLLIN)

    def release(self) -> None:
        """Undo it, in a forked child."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def wait(self, child: int, deadline: float) -> tuple[str, int, float]:
        """Return why the wait ended (ended, timeout, stopped), the status and seconds of CPU.

        Orphans that come to this process are reaped on the way.
        """
        while True:
            for file, _ in self.poll.poll(max(0, (deadline - time.monotonic()) * 1000)):
                if file == self.woken:
                    try:
                        os.read(self.woken, 4096)
                    except BlockingIOError:
                        pass
                else:
                    return "stopped", 0, 0.0
            while True:
                try:
                    ended, status, usage = os.wait4(-1, os.WNOHANG)
                except ChildProcessError:
                    return "lost", 0, 0.0
                if ended == child:
                    return "ended", exit_code(status), usage.ru_utime + usage.ru_stime
                if not ended:
                    break
            if time.monotonic() >= deadline:
                return "timeout", 0, 0.0


def exit_code(status: int) -> int:
    """Return an exit status, or a signal as a negative number."""
    return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def descendants() -> list[int]:
    """Return the ids of all processes that come from this one."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    fields = file.read().rpartition(b")")[2].split()
            except OSError:
                continue
            children.setdefault(int(fields[1]), []).append(int(name))
    found = list(children.get(os.getpid(), []))
    for pid in found:
        found += children.get(pid, [])
    return found


def kill_descendants(child: int) -> None:
    """Kill whatever comes from this process, and reap it; ``child`` is the session's leader."""
    if not LINUX:  # orphans do not come to this process
        try:
            os.killpg(child, signal.SIGKILL)
        except OSError:
            pass
    while not reap():
        for number in (signal.SIGSTOP, signal.SIGKILL):  # a stopped process forks no more
            for pid in descendants() if LINUX else [child]:
                try:
                    os.kill(pid, number)
                except OSError:
                    pass


def reap() -> bool:
    """Collect all children that have ended; return whether there are no others."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return True
    return False


class Keeper:
    """The first process of a process namespace in which all sessions run, and which ends them.

    The kernel kills a whole namespace at once: nothing in it can hide, fork away or strike back.
    """

    def __init__(self) -> None:
        """Make the namespace: all later forks of this process are born in it."""
        call("unshare", CLONE_NEWPID)
        order, self.orders = os.pipe()
        self.answers, answer = os.pipe()
        if os.fork() == 0:
            os.close(self.orders)
            os.close(self.answers)
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            while os.read(order, 1):
                try:
                    os.kill(-1, signal.SIGKILL)
                except ProcessLookupError:
                    pass
                reap_all()
                os.write(answer, b".")
            os._exit(0)
        os.close(order)
        os.close(answer)

    def kill_all(self, child: int) -> None:
        """Kill all processes of the namespace but its first, and wait for their ends."""
        os.write(self.orders, b".")
        if not os.read(self.answers, 1):
            raise SetupError("the keeper of the process namespace has died")
        try:
            os.waitpid(child, 0)
        except ChildProcessError:
            pass


def reap_all() -> None:
    """Wait for all children."""
    try:
        while True:
            os.waitpid(-1, 0)
    except ChildProcessError:
        pass


class Room:
    """What a setup makes once: mounts, the rules and the scratch folder of this sandbox."""

    def __init__(self, setup: dict[str, Any], control: int) -> None:
        """Raise the walls that hold for all that runs inside."""
        self.setup = setup
        self.rules: int | None = None
        self.calls: bytes | None = None
        if setup["namespaces"]:
            enter_namespaces(setup)
        if LINUX:
            call("prctl", PR_SET_DUMPABLE, 0, 0, 0, 0)
            call("prctl", PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        if setup["landlock"] is not None:
            self.rules = landlock_rules(*setup["landlock"])
        if setup["filter_calls"]:
            self.calls = call_filter(setup["ignore_changes"])
        self.make_scratch()
        self.watch = Watch(control)

    def make_scratch(self) -> None:
        """Make the scratch folder the submission's own: a new file system where that can be."""
        scratch, uid = self.setup["scratch"], self.setup["uid"]
        if self.setup["scratch_size"] is not None:
            options = f"size={self.setup['scratch_size']},nr_inodes=4096,mode=0700"
            if uid is not None:
                options += f",uid={uid},gid={uid}"
            place = os.fsencode(scratch)
            call("mount", b"tmpfs", place, b"tmpfs", MS_NOSUID_NODEV, options.encode())
        elif uid is not None:
            os.chown(scratch, uid, uid)

    def clear_scratch(self) -> None:
        """Empty the scratch folder."""
        scratch = self.setup["scratch"]
        folders = []
        with os.scandir(scratch) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                else:
                    os.unlink(entry.path)
        if folders and self.setup["scratch_size"] is not None:
            call("umount2", os.fsencode(scratch), MNT_DETACH)
            self.make_scratch()
        elif folders:
            for command in (["chmod", "-R", "u+rwx", "--"], ["rm", "-rf", "--"]):
                os.spawnvp(os.P_WAIT, command[0], command + folders)

    def begin(self, files: dict[str, bytes], trouble: int) -> None:
        """Make this forked process the submission's: confined, and in its scratch folder.

        A failure is written to the file ``trouble``, which ends the process.
        """
        try:
            self.watch.release()
            confine(self.setup, self.rules, self.calls)
            fill(self.setup, files)
        except (OSError, SetupError, ValueError) as error:
            fail(trouble, str(error))


def fail(trouble: int, message: str) -> NoReturn:
    """End a process that could not become the submission, and say why."""
    os.write(trouble, message.encode("utf-8", "replace"))
    os._exit(1)


def outcome(trouble: int) -> str:
    """Return the error of a child before it was the submission, "" if there was none."""
    message = os.read(trouble, 4096).decode("utf-8", "replace")
    os.close(trouble)
    return message


# One command


def run_command(room: Room, control: int) -> None:
    """Run one command to its end or its limits, and report how it ended."""
    setup = room.setup
    readable, trouble = os.pipe()  # exec closes it
    started = time.monotonic()
    child = os.fork()
    if not child:
        os.close(control)
        os.dup2(setup["stdout"], 1)
        os.close(setup["stdout"])
        room.begin(setup["files"], trouble)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        try:
            os.execvp(setup["command"][0], setup["command"])
        except OSError as error:
            fail(trouble, f"{setup['command'][0]}: {error.strerror}")
    os.close(trouble)
    for file in (0, 1, 2, setup["stdout"]):
        os.close(file)
    message = outcome(readable)
    how, status, seconds_of_cpu = room.watch.wait(child, started + setup["wall"])
    seconds = time.monotonic() - started
    if not setup["first"]:  # the kernel does it when the first process of a namespace ends
        kill_descendants(child)
    if message:
        report(control, "failed", message)
    else:
        report(control, how, status, seconds_of_cpu, seconds)


# Sessions of one script, each in a fork


def serve(room: Room, control: int) -> tuple[CodeType, dict[str, Any]] | None:
    """Serve sessions until the socket closes; in the fork of a session, return what to run."""
    import socket

    setup = room.setup
    script = setup["script"]
    shown = os.path.join(setup["scratch"], script) if sys.version_info >= (3, 9) else script
    try:
        with open(os.path.join(setup["submission"], script), "rb") as opened:
            code, warned = compiled(opened.read(), shown)
    except Exception as error:  # its text comes out right when the interpreter is started with it
        report(control, "refused", type(error).__name__, error)
        return None
    keeper = Keeper() if setup["first"] else None
    import gc

    gc.collect()
    gc.freeze()
    connection = socket.socket(fileno=control)
    report(control, "ready")
    while True:
        received = receive_session(connection, socket)
        if received is None:
            return None
        session, files = received
        if session is None:
            continue
        readable, trouble = os.pipe()
        started = time.monotonic()
        child = os.fork()
        if not child:
            for target, source in enumerate(files):
                os.dup2(source, target)
            trouble = os.dup2(trouble, 255)
            room.begin(session["files"], trouble)
            connection.detach()
            os.closerange(3, 256)
            return code, namespace(setup, shown, session["arguments"], warned)
        for file in (*files, trouble):
            os.close(file)
        how, status, seconds_of_cpu = room.watch.wait(child, started + setup["wall"])
        seconds = time.monotonic() - started
        if keeper:
            keeper.kill_all(child)
        else:
            kill_descendants(child)
        message = outcome(readable)
        room.clear_scratch()
        if message:
            report(control, "failed", message)
        else:
            report(control, how, status, seconds_of_cpu, seconds)


def receive_session(
    connection: socket.socket, module: Any
) -> tuple[dict[str, Any] | None, list[int]] | None:
    """Return the next session and its three open files; an empty message stops a session."""
    head, ancillary, _, _ = connection.recvmsg(4, module.CMSG_SPACE(3 * 4))
    files = [
        int.from_bytes(data[at : at + 4], sys.byteorder)
        for _, _, data in ancillary
        for at in range(0, len(data) - 3, 4)
    ]
    size = int.from_bytes(head, "big")
    body = read_exactly(connection.fileno(), size) if len(head) == 4 else None
    if body is None:
        return None
    return (marshal.loads(body) if body else None), files


def compiled(source: bytes, shown: str) -> tuple[CodeType, list[Any]]:
    """Return a script's code and the warnings that compiling it gave; import what it will import.

    Raises what ``compile`` raises.
    """
    import ast
    import warnings

    with warnings.catch_warnings(record=True) as recorded:
        warnings.simplefilter("always")
        code = compile(source, shown, "exec", dont_inherit=True)
        warned = list(recorded or ())
        tree = ast.parse(source)
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    for name in ("atexit", "importlib.machinery", *sorted(names.intersection(WARM.split()))):
        __import__(name)
    return code, warned


def namespace(
    setup: dict[str, Any], shown: str, arguments: list[str], warned: list[Any]
) -> dict[str, Any]:
    """Make this process look as an interpreter that was started with the script."""
    import io
    from importlib.machinery import SourceFileLoader
    from types import ModuleType

    submission = os.path.realpath(setup["submission"])
    sys.argv = [setup["script"], *arguments]
    sys.path[0] = os.path.dirname(os.path.join(submission, setup["script"]))
    own_frames = 1 if sys.version_info >= (3, 12) else 2
    sys.setrecursionlimit(sys.getrecursionlimit() + own_frames)
    for name, file, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
        like = getattr(sys, name)
        binary: Any = open(file, mode + "b", closefd=False)  # noqa: SIM115
        binary.raw.name = f"<{name}>"
        text: Any = io.TextIOWrapper(
            binary,
            encoding=like.encoding,
            errors=like.errors,
            newline="\n",
            line_buffering=like.line_buffering,
            write_through=like.write_through,
        )
        text.mode = mode
        setattr(sys, name, text)
        setattr(sys, f"__{name}__", text)
    module = ModuleType("__main__")
    values = module.__dict__
    values.clear()
    for name, value in PRISTINE.items():
        values[name] = value
    values["__file__"] = shown
    values["__loader__"] = SourceFileLoader("__main__", shown)
    values["__builtins__"] = sys.modules["builtins"]
    sys.modules["__main__"] = module
    if warned:
        import warnings

        registry: dict[Any, Any] = {}
        for entry in warned:
            warnings.warn_explicit(
                entry.message, entry.category, entry.filename, entry.lineno, registry=registry
            )
    return values


def finish(error: BaseException | None, values: dict[str, Any]) -> None:
    """End a session as the interpreter ends, without taking it down, which costs milliseconds.

    Where only the interpreter itself can end it rightly, SystemExit is raised.
    """
    import _thread
    import atexit

    status = shown_status(error)
    is_interrupted = isinstance(error, KeyboardInterrupt)
    del error
    end_threads = getattr(sys.modules.get("threading"), "_shutdown", None)
    if end_threads is not None:
        end_threads()
    try:
        atexit._run_exitfuncs()
    except BaseException:  # it has been printed
        pass
    try:
        flush()
    except Exception:  # the interpreter tries again, and says what is wrong
        sys.exit(status)
    if _thread._count():
        sys.exit(status)
    destroy(values)
    try:
        flush()
    except Exception:
        pass
    if is_interrupted:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    os._exit(status)


def shown_status(error: BaseException | None) -> int:
    """Return the exit status of a script that ended so; print what the interpreter prints."""
    if error is None:
        return 0
    if isinstance(error, SystemExit):
        if error.code is None:
            return 0
        if isinstance(error.code, int):
            return error.code & 0xFF
        print(error.code, file=sys.stderr)
        return 1
    traceback = error.__traceback__.tb_next if error.__traceback__ else None
    sys.excepthook(type(error), error.with_traceback(traceback), traceback)
    return 1


def destroy(values: dict[str, Any]) -> None:
    """Let go of a script's objects in the interpreter's order, so that they are destroyed."""
    import gc

    for is_private in (True, False):
        for name in list(values):
            if name != "__builtins__" and (name[:1] == "_" and name[:2] != "__") == is_private:
                values[name] = None
    gc.collect()


def flush() -> None:
    """Flush the buffers."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and not stream.closed:
            stream.flush()


# Start


def probe(target: str) -> None:
    """Print the abilities of machine and interpreter, and write this program's byte code."""
    import json
    import py_compile

    py_compile.compile(__file__, cfile=target, doraise=True)
    filters = False
    if LINUX and os.uname().machine in DENIED:
        child = os.fork()
        if not child:
            try:
                call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
                filter_calls(call_filter(True))
            except BaseException:
                os._exit(1)
            os._exit(0)
        filters = os.waitpid(child, 0)[1] == 0
    offers = {
        "executable": sys.executable,
        "prefixes": [sys.prefix, sys.base_prefix, os.path.dirname(os.path.dirname(os.__file__))],
        "landlock": landlock_version(),
        "filters": filters,
    }
    print(json.dumps(offers))


def main() -> tuple[CodeType, dict[str, Any]] | None:
    """Do what the arguments say; return what a session is to run in the fork made for it."""
    if sys.argv[1] == "probe":
        probe(sys.argv[2])
        return None
    control = int(sys.argv[1])
    os.set_inheritable(control, False)
    os.umask(0o022)
    setup = receive(control)
    if setup is None:
        return None
    try:
        room = Room(setup, control)
        if setup["script"] is None:
            run_command(room, control)
            os._exit(0)  # nothing is left to clean up
        return serve(room, control)
    except (OSError, SetupError) as error:
        report(control, "failed", error)
        return None


if __name__ == "__main__":
    PRISTINE = {
        name: None if name == "__doc__" else value
        for name, value in globals().items()
        if name[:2] == "__"
    }
    found = main()
    if found is not None:
        try:
            exec(*found)
        except BaseException as caught:
            finish(caught, found[1])
        finish(None, found[1])
