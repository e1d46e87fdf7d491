"""The servers that look something up for anybody, without an account: MCP-Persona's generic servers (Table 8)."""

from pytest_mcpbench.simulated.context7 import server as context7
from pytest_mcpbench.simulated.deep_research import server as deep_research
from pytest_mcpbench.simulated.deepseek import server as deepseek
from pytest_mcpbench.simulated.engine import Simulation
from pytest_mcpbench.simulated.maps import amap, baidu
from pytest_mcpbench.simulated.medical import server as medical
from pytest_mcpbench.simulated.monitor import server as monitor
from pytest_mcpbench.simulated.pollinations import server as pollinations
from pytest_mcpbench.simulated.tushare import server as tushare

GENERIC_SERVERS: dict[str, Simulation] = {
    "amap-maps": amap.SIMULATION,
    "baidu-maps": baidu.SIMULATION,
    "context7": context7.SIMULATION,
    "deep-research": deep_research.SIMULATION,
    "deepseek": deepseek.SIMULATION,
    "mcp-monitor": monitor.SIMULATION,
    "mcpollinations": pollinations.SIMULATION,
    "medical-mcp": medical.SIMULATION,
    "tushare": tushare.SIMULATION,
}
