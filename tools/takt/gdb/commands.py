# SPDX-License-Identifier: Apache-2.0
"""The command `takt` and its parts. The text of each is what `help takt` says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import gdb

from takt.gdb import contexts, objects, processes, records, target
from takt.gdb.tasks import System, Task, table
from takt.support.version import of_image, version

LINES = 20  # of the trace and the log
_INTERRUPTED = "<signal handler called>"  # gdb's name for what the processor pushed


class _Takt(gdb.Command):  # type: ignore[misc]
    """Tasks and objects of a Takt system.

    takt start          run up to the first task (of the emulated boards: after `target remote`)
    takt tasks          every task: state, current level and deadline, mutexes it holds, its stack
    takt task NAME      one task, with its backtrace
    takt in NAME CMD    a command of gdb in the context of a task: takt in control info locals
    takt objects        mutexes, semaphores, mailboxes ...: state, owner, waiters
    takt processes      of a protected system: state, accessible memory, resources of each
    takt faults         faults for which processes were stopped
    takt timers         the armed expiries, the next first
    takt fault          the fault record
    takt trace [N]      the last N events of the trace
    takt log [N]        the last N messages of the log
    takt version        the version of Takt that built the program, and that of these commands

    They read memory only (docs/debugging.md)."""

    def __init__(self) -> None:
        super().__init__("takt", gdb.COMMAND_STATUS, prefix=True)


class _Part(gdb.Command):  # type: ignore[misc]
    """One of them."""

    def __init__(self, name: str, run: Callable[[str], None], complete: int | None = None) -> None:
        self.__doc__ = run.__doc__
        self._run = run
        if complete is None:
            super().__init__(f"takt {name}", gdb.COMMAND_STATUS)
        else:
            super().__init__(f"takt {name}", gdb.COMMAND_STATUS, complete)

    def invoke(self, argument: str, _from_tty: bool) -> None:
        try:
            self._run(argument.strip())
        except (gdb.error, gdb.MemoryError, UnicodeError) as error:
            raise gdb.GdbError(f"takt: the kernel's data cannot be read: {error}") from None


class _OfTask(_Part):
    """One whose argument begins with a task's name."""

    def complete(self, text: str, _word: str) -> list[str]:
        if " " in text:
            return []
        try:
            return [task.name for task in System().tasks if task.name.startswith(text)]
        except gdb.error:
            return []


def _say(lines: Iterator[str] | list[str]) -> None:
    for line in lines:
        gdb.write(f"{line}\n")


def _none(argument: str, name: str) -> None:
    if argument:
        raise gdb.GdbError(f"takt: `takt {name}` takes no argument")


def _tasks(argument: str) -> None:
    """List every task: state, current level and deadline, mutexes it holds, its stack.

    * marks the task that runs. The stack is the bytes in use now, of how many, and most ever where stacks are filled
    (presets standard and debug, not on host)."""
    _none(argument, "tasks")
    system = System()
    _say([line for line in (system.time(),) if line])
    _say(table(system))


def _task(argument: str) -> None:
    """Show one task, with its backtrace: takt task NAME.

    For a task that does not run it begins where the task was switched out."""
    system = System()
    task = system.task(_name(argument, "task"))
    _say(_details(system, task))
    registers = _registers(system, task)
    if registers is not None:
        gdb.write(contexts.backtrace(registers))
    elif task.address == system.running:
        said = contexts.ended(gdb.execute("backtrace", to_string=True))
        if system.sp(task) is None and _INTERRUPTED in said:
            said = (
                f"{said.partition(_INTERRUPTED)[0]}{_INTERRUPTED}: this debugger does not provide PSP, so "
                "the backtrace ends here\n"
            )
        gdb.write(said)


def _name(argument: str, command: str) -> str:
    if not argument:
        raise gdb.GdbError(f"takt: `takt {command}` needs the name of a task (takt tasks)")
    return argument


def _registers(system: System, task: Task) -> contexts.Registers | None:
    """Where a task goes on. None: where the processor is, or nowhere: it is stopped. gdb.GdbError: it is not known."""
    if task.address == system.running:
        return contexts.interrupted(task.value)
    if system.state(task) == "stopped":
        return None
    registers = contexts.saved(task.value)
    if registers is None:
        raise gdb.GdbError("takt: no backtrace: the layout of saved registers is not known for this processor's port")
    return registers


def _details(system: System, task: Task) -> Iterator[str]:
    yield f"{task.name}: {system.state(task)}"
    yield f"  struct takt_task at {target.where(task.address)}"
    deadline_ns = system.deadline_ns(task)
    deadline = "" if deadline_ns is None else f", deadline {target.shown_time(deadline_ns)}"
    yield f"  level {system.level(task)}{deadline}"
    job = system.job(task)
    if job:
        yield f"  job {job}"
    if not task.idle:
        yield f"  entry {target.where(target.code(task.value['config']['entry']))}"
    held = system.held(task)
    yield f"  holds {', '.join(held) if held else 'nothing'}"
    lowest, size = contexts.stack_of(task.value)
    yield f"  stack {system.stack(task)} bytes at {lowest:#x} to {lowest + size:#x}"


def _in(argument: str) -> None:
    """Run a command of gdb in the context of a task: takt in NAME COMMAND.

    Examples: `takt in control info locals`, `takt in control print sample`."""
    name, _, command = argument.partition(" ")
    if not command.strip():
        raise gdb.GdbError("takt: `takt in` needs the name of a task and a command: takt in NAME info locals")
    system = System()
    task = system.task(name)
    registers = _registers(system, task)
    if registers is None and task.address != system.running:
        raise gdb.GdbError(f"takt: {name} is stopped and has no frames")
    if registers is None:
        gdb.execute(command)
    elif command.split()[0] in ("bt", "backtrace", "where"):
        gdb.write(contexts.backtrace(registers, command.partition(" ")[2]))
    else:
        with contexts.at(registers):
            gdb.execute(command)


def _objects(argument: str) -> None:
    """List shared objects: state, owner, and waiters in the order in which they are served.

    Only objects in variables of the program are found; one on a stack appears with its waiters (takt tasks)."""
    _none(argument, "objects")
    system = System()
    width = max((len(one.name) for one in system.objects), default=0)
    kinds = max((len(one.kind.name) for one in system.objects), default=0)
    for one in system.objects:
        waiters = [f"{name} {why}".strip() for name, why in one.waiters(system.name)]
        waiting = f"waiting: {', '.join(waiters)}" if waiters else ""
        said = "; ".join(part for part in (one.state(system.name), waiting) if part)
        gdb.write(f"{one.kind.name:<{kinds}}  {one.name:<{width}}  {said}".rstrip() + "\n")
    if not system.objects:
        gdb.write("no objects in this program\n")


def _timers(argument: str) -> None:
    """List the armed expiries, the next first."""
    _none(argument, "timers")
    _say(records.timers(System()))


def _fault(argument: str) -> None:
    """Show the fault record, and the backtrace of an exception."""
    _none(argument, "fault")
    _say(records.fault_lines(System()))


def _processes(argument: str) -> None:
    """List the processes of a protected system: state, restarts, tasks, memory that each may access now.

    r: read, w: write, x: execute. Attached memory comes after declared memory."""
    _none(argument, "processes")
    _say(processes.lines(System()))


def _faults(argument: str) -> None:
    """Show the records of faults of processes, the last 8: time, task, cause, address, where, registers."""
    _none(argument, "faults")
    _say(processes.faults(System()))


def _trace(argument: str) -> None:
    """Show the last events of the trace: takt trace [N]. docs/trace.md lists them."""
    _say(records.trace_lines(System(), _count(argument, "trace", "events")))


def _log(argument: str) -> None:
    """Show the last messages of the log: takt log [N]. docs/log.md describes it.

    Older ones are in the trace of the run (takt trace FILE --log, in a shell)."""
    _say(records.log(System(), _count(argument, "log", "messages")))


def _count(argument: str, command: str, what: str) -> int:
    if argument and (not argument.isdecimal() or int(argument) == 0):
        raise gdb.GdbError(f"takt: the argument of `takt {command}` is a number of {what}, such as 50")
    return int(argument or LINES)


def _version(argument: str) -> None:
    """Show the version of Takt that built the program, and that of these commands if it differs."""
    _none(argument, "version")
    name = gdb.current_progspace().filename
    built = of_image(Path(name)) if name is not None else None
    said = (
        f"the program was built with Takt {built}" if built is not None else "the version of the program is not known"
    )
    gdb.write(said if built == version() else f"{said}, but these commands are of Takt {version()}")
    gdb.write("\n")


class _Entry(gdb.Breakpoint):  # type: ignore[misc]
    """Where a task's own code begins. Stops when the task does; not where somebody calls the same function."""

    def __init__(self, entry: int) -> None:
        super().__init__(f"*{entry:#x}", internal=True)
        self.silent = True

    def stop(self) -> bool:
        whole = target.symbol("takti_kernel")
        if whole is None:
            return True
        running = whole["ready"]["running"].dereference()
        return target.address(running) != target.address(whole["idle"])


def _start(argument: str) -> None:
    """Run the program up to the first task, and stop where that begins."""
    _none(argument, "start")
    objects.remember()
    target.see_all()
    if gdb.selected_thread() is None:
        gdb.execute("start", to_string=True)  # a process of this machine, up to main: its addresses are settled
    system = target.symbol("takt_system")
    if system is None:
        raise gdb.GdbError(
            "takt: this program has no takt_system, so its first tasks are not known; use `break` and `continue`"
        )
    configs = system["configs"]
    entries = {target.code(configs[index]["entry"]) for index in range(int(system["task_count"]))}
    points = [_Entry(entry) for entry in sorted(entries)]
    try:
        gdb.execute("continue")
    finally:
        for point in points:
            point.delete()
    if gdb.selected_thread() is None:
        raise gdb.GdbError("takt: the program ended before any task ran")
    now = System()
    running = next(task for task in now.tasks if task.address == now.running)
    gdb.write(f"takt: the first task is {running.name}, level {now.level(running)}\n")
    gdb.execute("frame")


class _Last(gdb.Breakpoint):  # type: ignore[misc]
    """A function from which nothing returns. What there is to say is said when gdb has stopped there."""

    def __init__(self, function: str, say: Callable[[], None]) -> None:
        super().__init__(function, internal=True)
        self.silent = True
        self._say = say
        gdb.events.stop.connect(self._stopped)

    def _stopped(self, event: object) -> None:
        if self not in getattr(event, "breakpoints", []):
            return
        try:
            self._say()
        except (gdb.error, gdb.GdbError, gdb.MemoryError) as error:
            gdb.write(f"{error}\n", gdb.STDERR)


def _halted() -> None:
    gdb.write("takt: the system stopped after a fault:\n")
    _say(records.fault_lines(System()))


def _over() -> None:
    """The last chance to read memory: an emulator that exits may be gone before it reports that to gdb."""
    gdb.write("takt: the run is over; `continue` leaves\n")


def end_with_gdb() -> None:
    """Makes the end of gdb that of the emulator, which `takt run --gdb` started for it."""
    gdb.events.gdb_exiting.connect(_end)


def _end(_event: object) -> None:
    try:
        if gdb.selected_thread() is not None:
            gdb.execute("disconnect", to_string=True)  # it stands still until it is ended
    except gdb.error:  # it is gone already
        pass


def add() -> None:
    """Adds the commands to gdb."""
    _Takt()
    _Part("start", _start)
    _Part("tasks", _tasks)
    _OfTask("task", _task)
    _OfTask("in", _in)
    _Part("objects", _objects)
    _Part("timers", _timers)
    _Part("processes", _processes)
    _Part("faults", _faults)
    _Part("fault", _fault)
    _Part("trace", _trace)
    _Part("log", _log)
    _Part("version", _version)
    contexts.add()
    objects.add()
    for function, say in (("takt_port_halt", _halted), ("takt_board_exit", _over)):
        if gdb.lookup_global_symbol(function) is not None:
            _Last(function, say)
