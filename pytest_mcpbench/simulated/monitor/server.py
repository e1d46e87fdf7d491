"""The monitor: the six tools of ``mcp-monitor`` (seekrays) over a simulated machine at one moment.

The tree is ``{host, cpu, memory, disks: {path: usage}, partitions: [partition], interfaces: {name: interface},
connection_count, processes: {pid: process}}``; a task may give another machine. Nothing in it ever changes.
"""

import json
from collections.abc import Callable, Mapping
from functools import cache
from operator import itemgetter
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import Field

from pytest_mcpbench.core.context import Collection, Shape
from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine import PYTHON_SDK, Entities, Simulation, ToolFailure

SHAPE = Shape(
    (
        Collection("disks", id_field="path"),
        Collection("interfaces", id_field="name"),
        Collection("processes", id_field="pid"),
    )
)
_MACHINE = Path(__file__).with_name("machine.json")
_ORDERS: Mapping[str, tuple[Callable[[Any], Any], bool]] = MappingProxyType(
    {
        "cpu": (itemgetter("cpu_percent"), True),
        "memory": (itemgetter("mem_percent"), True),
        "pid": (itemgetter("pid"), False),
        "name": (itemgetter("name"), False),
    }
)
"""Field to sort by -> key, and whether the largest comes first."""
_DAY, _HOUR, _MINUTE = 86_400, 3_600, 60


@cache
def seed() -> dict[str, Any]:
    """Return the machine of an attempt that gives none; the result is cached and must not be modified."""
    machine: dict[str, Any] = json.loads(_MACHINE.read_text(encoding="utf-8"))
    return machine


class Machine:
    """The machine of one attempt."""

    def __init__(self, world: World) -> None:
        self._now = int(world.now.timestamp())
        self.tree = world.tree(seed, shape=SHAPE)
        self._disks = Entities(self.tree, "disks", "Failed to get disk usage information: no such file or directory")
        self._interfaces = Entities(self.tree, "interfaces", "Network interface not found: {id}")
        self._processes = Entities(self.tree, "processes", "Failed to get process information: process does not exist")

    def cpu(self, *, each_core: bool) -> dict[str, Any]:
        """Return the usage of all cores together, or of each."""
        cpu = self.tree.get("cpu")
        cores = cpu["usage_percent"]
        usage = cores if each_core else [round(sum(cores) / len(cores), 2)]
        return {"usage_percent": usage, "info": cpu["info"], "core_count": len(cores)}

    def memory(self) -> Any:
        """Return the usage of the memory and of the swap space."""
        return {name: _usage(each) for name, each in self.tree.get("memory").items()}

    def disk(self, path: str, *, with_partitions: bool) -> dict[str, Any]:
        """Return the usage of a mounted disk, on request with all partitions."""
        usage = _usage(self._disks.get(path))
        more = {"partitions": self.tree.get("partitions")} if with_partitions else {}
        return {"path": path, "usage": usage, **more}

    def network(self, interface: str) -> dict[str, Any]:
        """Return one interface, or all of them for an empty name."""
        connections = {"connection_count": self.tree.get("connection_count")}
        if interface:
            return {**connections, "interface": self._interfaces.get(interface)}
        return {**connections, "interfaces": self._interfaces.all()}

    def host(self) -> dict[str, Any]:
        """Return the machine's name and system, and how long it has been running."""
        host = self.tree.get("host")
        uptime = self._now - host["boot_time"]
        days, rest = divmod(uptime, _DAY)
        hours, rest = divmod(rest, _HOUR)
        minutes, rest = divmod(rest, _MINUTE)
        formatted = f"{days} days {hours} hours {minutes} minutes {rest} seconds"
        return {**host, "uptime": uptime, "uptime_formatted": formatted}

    def process(self, pid: int) -> dict[str, Any]:
        """Return one process."""
        return self._processes.get(str(pid))

    def processes(self, limit: int, sort_by: str) -> dict[str, Any]:
        """Return the first processes in an order; an unknown order is that of the processor's usage."""
        key, is_descending = _ORDERS.get(sort_by, _ORDERS["cpu"])
        ordered = sorted(self._processes.all(), key=key, reverse=is_descending)
        listed = [
            {name: each[name] for name in ("pid", "name", "cpu_percent", "mem_percent")}
            for each in ordered[: limit if limit > 0 else 10]
        ]
        counts = {"total_count": len(ordered), "returned_count": len(listed)}
        return {**counts, "sort_by": sort_by, "processes": listed}


def check_pid(pid: float) -> int:
    """Return a process id as an integer; raise :class:`ToolFailure` if it is none."""
    if pid != int(pid):
        raise ToolFailure("PID must be a number")
    return int(pid)


def _usage(space: Mapping[str, Any]) -> dict[str, Any]:
    free = space["total"] - space["used"]
    return {**space, "free": free, "used_percent": round(100 * space["used"] / space["total"], 2)}


def get_cpu_info(
    machine: Machine,
    per_cpu: Annotated[bool, Field(description="One figure for every core", json_schema_extra={"default": False})] = (
        False
    ),
) -> Any:
    """How busy the processor is, and its model."""
    return machine.cpu(each_core=per_cpu)


def get_memory_info(machine: Machine) -> Any:
    """How much memory and swap space is in use."""
    return machine.memory()


def get_disk_info(
    machine: Machine,
    path: Annotated[str, Field(description="Mount point", json_schema_extra={"default": "/"})] = "/",
    all_partitions: Annotated[
        bool, Field(description="Add the list of partitions", json_schema_extra={"default": False})
    ] = False,
) -> Any:
    """How full a disk is."""
    return machine.disk(path, with_partitions=all_partitions)


def get_network_info(
    machine: Machine, interface: Annotated[str, Field(description="Name of one interface; all if left out")] = ""
) -> Any:
    """Interfaces of the network with their addresses and traffic."""
    return machine.network(interface)


def get_host_info(machine: Machine) -> Any:
    """The machine's name, its operating system, and when it was started."""
    return machine.host()


def get_process_info(
    machine: Machine,
    pid: Annotated[float | None, Field(description="Number of one process; a list if left out")] = None,
    limit: Annotated[float, Field(description="Longest list", json_schema_extra={"default": 10})] = 10,
    sort_by: Annotated[
        str, Field(description="Order of the list: cpu, memory, pid, name", json_schema_extra={"default": "cpu"})
    ] = "cpu",
) -> Any:
    """Details of one process, or the processes in an order."""
    return machine.processes(int(limit), sort_by) if pid is None else machine.process(check_pid(pid))


SIMULATION = Simulation(
    name="mcp-monitor",
    state=Machine,
    tools=(get_cpu_info, get_disk_info, get_host_info, get_memory_info, get_network_info, get_process_info),
    dialect=PYTHON_SDK,
    indent=2,
)
server = SIMULATION.server
"""Factory that builds the server for one attempt."""
