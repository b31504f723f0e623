"""What shuts a process in before it opens a file (Linux) (U3): no network, no file but its own, no other program.

Three walls, each where the kernel has it. A filter of system calls (seccomp) refuses sockets, programs, the memory of
other processes and new namespaces. An empty network namespace has nobody in it. Landlock opens the paths that are named
and no others, and lets no signal out. What is in force is found by trying it, never told by what was asked for.
"""

import ctypes
import os
import platform
import socket
import stat
import struct
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

PARTS = ("network", "files", "programs")
CLONE_NEWNET, CLONE_NEWUSER = 0x40000000, 0x10000000
NEW_NAMESPACES = 0x7E020000  # every flag of clone that makes one
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
FAMILIES = (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX)

# What is refused, by its number on x86_64 and aarch64. Nobody may leave the group of processes that is killed as one.
REFUSED = {
    "socket": (41, 198), "connect": (42, 203), "io_uring_setup": (425, 425), "execve": (59, 221),
    "execveat": (322, 281), "setsid": (112, 157), "setpgid": (109, 154), "ptrace": (101, 117),
    "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "pidfd_getfd": (438, 438),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219), "unshare": (272, 97),
    "setns": (308, 268), "mount": (165, 40), "open_by_handle_at": (304, 265), "bpf": (321, 280),
    "perf_event_open": (298, 241), "userfaultfd": (323, 282), "kexec_load": (246, 104), "init_module": (175, 105),
    "finit_module": (313, 273),
}  # fmt: skip
CLONE, CLONE3 = (56, 220), 435
ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  # column above, and its name in a filter
X32_BIT = 0x40000000  # of a second table of calls on x86_64

# Instructions of a filter, where it finds what, and what it answers.
LOAD, EQUALS, AT_LEAST, ANY_BIT, ANSWER = 0x20, 0x15, 0x35, 0x45, 0x06
CALL_AT, ARCHITECTURE_AT, FIRST_ARGUMENT_AT = 0, 4, 16
ALLOW, KILL, NOT_PERMITTED, NO_SUCH_CALL = 0x7FFF0000, 0x80000000, 0x00050001, 0x00050026

# Landlock's calls and rights, which are the same everywhere; a later version of its interface knows more of them.
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
ASK_VERSION, PATH_BENEATH = 1, 1
WRITE_FILE, READ_FILE, READ_FOLDER, REMOVE_FILE, MAKE_FILE, TRUNCATE = 1 << 1, 1 << 2, 1 << 3, 1 << 5, 1 << 8, 1 << 14
RIGHTS_FROM = {1: (1 << 13) - 1, 2: 1 << 13, 3: TRUNCATE, 5: 1 << 15}
TCP_FROM, TCP = 4, 0b11
SCOPES_FROM, SCOPES = 6, 0b11  # abstract sockets and signals
TO_READ = READ_FILE | READ_FOLDER
TO_WRITE = TO_READ | WRITE_FILE | REMOVE_FILE | MAKE_FILE | TRUNCATE
OF_A_FILE = READ_FILE | WRITE_FILE | TRUNCATE

# What Python and the libraries open while they work: themselves, zones and fonts, and what the processors are.
SYSTEM_PATHS = (
    "/usr/lib", "/usr/lib64", "/lib", "/lib64", "/usr/local/lib", "/usr/share/fonts", "/usr/share/zoneinfo",
    "/etc/fonts", "/etc/ld.so.cache", "/etc/localtime", "/sys/devices/system", "/proc/cpuinfo", "/proc/meminfo",
    "/dev/null", "/dev/urandom",
)  # fmt: skip
OWN_CODE = Path(__file__).resolve().parents[1]


def shut_in(reads: Iterable[Path] = (), writes: Iterable[Path] = ()) -> list[str]:
    """Shut this process, which has one thread, and all it starts in for good; return the parts that are in force.

    In folders of `writes` files may be read, made and replaced.
    """
    if sys.platform != "linux":
        return []
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if libc.unshare(CLONE_NEWNET) != 0:
        libc.unshare(CLONE_NEWUSER | CLONE_NEWNET)  # may be forbidden as well; the filter does not need it
    restrict_files(libc, reads, writes)
    refuse_calls(libc)
    tried = {"network": is_off_the_network(), "files": is_kept_from_files(), "programs": starts_no_program()}
    return [part for part in PARTS if tried[part]]


# ---- what is tried


def is_off_the_network() -> bool:
    """Whether no socket can be made. An empty namespace alone is not enough: servers are also reached by a path."""
    for family in FAMILIES:
        try:
            socket.socket(family, socket.SOCK_STREAM).close()
        except PermissionError:
            continue
        except OSError:  # a family this machine does not have
            continue
        return False
    return True


def is_kept_from_files() -> bool:
    """Whether a folder that nobody named cannot be looked into."""
    try:
        os.listdir("/")
    except PermissionError:
        return True
    return False


def starts_no_program() -> bool:
    """Whether starting a program is refused before it is even looked for."""
    try:
        os.execv("", ["none"])
    except PermissionError:
        return True
    except OSError:
        return False


# ---- Landlock


def restrict_files(libc: ctypes.CDLL, reads: Iterable[Path], writes: Iterable[Path]) -> None:
    """Close every path but these and those of Python itself, as far as the kernel can."""
    version = libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ASK_VERSION)
    if version < 1:
        return
    known = sum(rights for first, rights in RIGHTS_FROM.items() if version >= first)
    handled = struct.pack("=QQQ", known, TCP if version >= TCP_FROM else 0, SCOPES if version >= SCOPES_FROM else 0)
    ruleset = libc.syscall(CREATE_RULESET, handled, ctypes.c_size_t(len(handled)), 0)
    if ruleset < 0:
        return
    for path in (*own_paths(), *reads):
        allow(libc, ruleset, path, TO_READ & known)
    for path in (Path(os.devnull), *writes):
        allow(libc, ruleset, path, TO_WRITE & known)
    libc.syscall(RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def own_paths() -> Iterator[Path]:
    for prefix in sorted({sys.prefix, sys.base_prefix, sys.exec_prefix}):
        yield Path(prefix, "lib")
        yield Path(prefix, "lib64")
    yield OWN_CODE
    yield from map(Path, SYSTEM_PATHS)


def allow(libc: ctypes.CDLL, ruleset: int, path: Path, rights: int) -> None:
    """Open a path and what is below it; one that does not exist stays closed."""
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    if not stat.S_ISDIR(os.fstat(place).st_mode):
        rights &= OF_A_FILE
    libc.syscall(ADD_RULE, ruleset, PATH_BENEATH, struct.pack("=Qi", rights, place), 0)
    os.close(place)


# ---- the filter of system calls


def refuse_calls(libc: ctypes.CDLL) -> None:
    """Have the kernel refuse what no reading needs, where the numbers of its calls are known."""
    if platform.machine() not in ARCHITECTURES:
        return
    written = filter_of(*ARCHITECTURES[platform.machine()])
    instructions = ctypes.create_string_buffer(written, len(written))
    # A struct of its length and its address, aligned as the machine does.
    program = struct.pack("HP", len(written) // 8, ctypes.addressof(instructions))
    libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0)


def filter_of(column: int, architecture: int) -> bytes:
    """The filter as the kernel reads it: each instruction with how many to skip if it holds, and if not."""
    rows = [
        (LOAD, 0, 0, ARCHITECTURE_AT), (EQUALS, 1, 0, architecture), (ANSWER, 0, 0, KILL),
        (LOAD, 0, 0, CALL_AT),
        (AT_LEAST, 0, 1, X32_BIT), (ANSWER, 0, 0, NOT_PERMITTED),
        # Threads are made by clone where clone3 does not exist, whose flags a filter cannot see.
        (EQUALS, 0, 1, CLONE3), (ANSWER, 0, 0, NO_SUCH_CALL),
    ]  # fmt: skip
    for numbers in REFUSED.values():
        rows += [(EQUALS, 0, 1, numbers[column]), (ANSWER, 0, 0, NOT_PERMITTED)]
    rows += [
        (EQUALS, 1, 0, CLONE[column]), (ANSWER, 0, 0, ALLOW),
        (LOAD, 0, 0, FIRST_ARGUMENT_AT), (ANY_BIT, 0, 1, NEW_NAMESPACES), (ANSWER, 0, 0, NOT_PERMITTED),
        (ANSWER, 0, 0, ALLOW),
    ]  # fmt: skip
    return b"".join(struct.pack("=HBBI", *row) for row in rows)
