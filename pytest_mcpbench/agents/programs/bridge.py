"""Command that connects its stdin and stdout to the proxy of a server, for programs that start servers themselves.

It needs nothing but Python, so that it starts at once in any environment.
"""

import os
import socket
import sys
import threading


def main() -> None:
    """Copy lines in both directions until one side ends."""
    host, _, port = os.environ["MCPBENCH_PROXY"].rpartition(":")
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(os.environ["MCPBENCH_PROXY_TOKEN"].encode() + b"\n")
        threading.Thread(target=_send, args=(connection,), daemon=True).start()
        while data := connection.recv(65536):
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()


def _send(connection: socket.socket) -> None:
    while data := os.read(0, 65536):
        connection.sendall(data)
    connection.shutdown(socket.SHUT_WR)


if __name__ == "__main__":
    main()
