"""A host without a store, for tests of the shim: the real lock, endpoint, greeting and listener, a tiny MCP session.

Run as a program: ``small_host.py --data DIR [--transport unix|tcp]``; prints one line when it can be reached.
Every MCP line it gets is kept in ``seen.jsonl``; ``tools.json`` in the data directory holds its tools.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from app.ipc import endpoint
from app.ipc.listener import Connection, Listener
from engine.errors import StoreLocked
from engine.storage.lock import StoreLock


class SmallHost:
    def __init__(self, data: Path, transport: str | None) -> None:
        self.data = data
        self.stop = asyncio.Event()
        handlers = {"mcp": self.mcp, "control": self.control}
        self.listener = Listener(str(data), "small", handlers, transport=transport)

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, self.stop.set)
        where = await self.listener.start()
        endpoint.write(str(self.data), where)
        print(json.dumps({"pid": os.getpid(), "transport": where.transport}), flush=True)
        await self.stop.wait()
        endpoint.mark_quit(str(self.data), os.getpid(), time.time())
        await self.listener.close()

    async def control(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, _: Connection) -> None:
        async for line in reader:
            message = json.loads(line)
            self._say(writer, {"id": message["id"], "result": {}})
            if message["method"] == "quit":
                self.stop.set()

    async def mcp(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, _: Connection) -> None:
        waiting: Any = None
        async for line in reader:
            with open(self.data / "seen.jsonl", "ab") as seen:
                seen.write(line)
            try:
                message = json.loads(line)
            except ValueError:
                self._say(writer, {"id": None, "error": {"code": -32700, "message": "from the host"}})
                continue
            if "method" not in message:
                self._say(writer, {"id": waiting, "result": {"content": [], "said": message.get("result")}})
            elif "id" in message:
                answer = self._answer(message)
                if answer is None:
                    waiting = message["id"]
                    if message["params"]["name"] == "ask":
                        self._say(writer, {"id": "question", "method": "elicitation/create", "params": {}})
                else:
                    self._say(writer, {"id": message["id"], "result": answer})
            await writer.drain()

    def _answer(self, message: dict[str, Any]) -> dict[str, Any] | None:
        method, params = message["method"], message.get("params") or {}
        if method == "initialize":
            about = {"name": "small", "version": "9"}
            return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": about}
        if method == "tools/list":
            return {"tools": json.loads((self.data / "tools.json").read_text(encoding="utf-8"))}
        if method != "tools/call":
            return {"host": os.getpid()}
        if params["name"] in ("hang", "ask"):
            return None
        if params["name"] == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        text = params.get("arguments", {}).get("text", "") * params.get("arguments", {}).get("times", 1)
        return {"content": [{"type": "text", "text": text}], "structuredContent": {"pid": os.getpid()}}

    @staticmethod
    def _say(writer: asyncio.StreamWriter, message: dict[str, Any]) -> None:
        text = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False, separators=(",", ":"))
        writer.write(text.encode() + b"\n")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path)
    parser.add_argument("--transport")
    parser.add_argument("--background", action="store_true")
    options = parser.parse_args()
    options.data.mkdir(parents=True, exist_ok=True)
    if (options.data / "broken").exists():
        return 3
    lock = StoreLock(options.data)
    try:
        lock.acquire()
    except StoreLocked:
        return 0
    if options.background:
        (options.data / "started.txt").write_text(str(os.getpid()), encoding="ascii")

    async def run() -> None:
        await SmallHost(options.data, options.transport).run()

    asyncio.run(run())
    lock.release()
    return 0


if __name__ == "__main__":
    sys.exit(main())
