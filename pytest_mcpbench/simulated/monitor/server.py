"""The monitor: the six tools of ``mcp-monitor`` (seekrays) over a simulated machine."""

from typing import Annotated, Any

from pydantic import Field

from pytest_mcpbench.simulated.engine import PYTHON_SDK, Simulation
from pytest_mcpbench.simulated.monitor.world import Machine, check_pid


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
