"""Process of the engine: ``python -m pytest_mcpbench.models.local.engine``.

The first line of standard input is the setup as JSON. The process writes one line of JSON when it serves, and ends when
standard input is closed: it never outlives the run.
"""

import json
import os
import sys

_SEED = 1
_LONGEST_REPLY = 1024
"""Tokens of a reply without a limit of its own: a schema does not stop endless digits."""
_PROMPT_CACHE_MIB = 512
"""Memory for the beginnings of earlier conversations."""


def main() -> None:
    """Serve the weights of the setup until the parent closes standard input."""
    setup = json.loads(sys.stdin.buffer.readline())
    announcement = os.dup(1)
    # llama.cpp writes its log to both; the parent reads the log if the process ends too early.
    os.dup2(2, 1)
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = setup["path"]
    parameters.model_alias = {setup["model"]}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = setup["port"]
    # The parent holds the port until this process has it.
    parameters.reuse_port = True
    parameters.n_ctx = setup["context"]
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = setup["threads"]
    parameters.cache_ram_mib = _PROMPT_CACHE_MIB
    parameters.n_predict = _LONGEST_REPLY
    parameters.sampling.temp = 0.0
    parameters.sampling.seed = _SEED
    parameters.use_jinja = True
    parameters.chat_template = setup["template"]
    parameters.ui = False
    parameters.cors_origins = ""
    parameters.verbosity = 0
    server = xllamacpp.Server(parameters)

    os.write(announcement, json.dumps({"address": server.listening_address}).encode() + b"\n")
    sys.stdin.buffer.read()
    # Without the destructor of the server, which waits for requests in flight.
    os._exit(0)


if __name__ == "__main__":
    main()
