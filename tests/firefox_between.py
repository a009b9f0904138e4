"""Stands between Playwright and a Firefox as it is installed, which it runs.

Playwright drives such a Firefox by WebDriver BiDi. It begins every context by setting the colour
scheme, with a command that Firefox 153 does not know, and gives up. This program answers that
command itself as long as the scheme is light, as it is anyway, and hands on everything else.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from typing import TYPE_CHECKING

from websockets.asyncio.client import connect
from websockets.asyncio.server import serve

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection

LISTENING = re.compile(r"WebDriver BiDi listening on (ws://\S+)")


def answer_to(message: str) -> str | None:
    """Return the answer to what Firefox need not be asked."""
    asked = json.loads(message)
    if asked["method"] != "emulation.setMediaFeaturesOverride":
        return None
    if asked["params"]["features"].get("prefers-color-scheme") == "dark":
        return None
    return json.dumps({"type": "success", "id": asked["id"], "result": {}})


async def run(command: list[str]) -> int:
    """Run Firefox until it ends, and return its exit status."""
    firefox = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.PIPE)
    assert firefox.stderr is not None

    async def join(playwright: ServerConnection) -> None:
        assert playwright.request is not None
        async with connect(address + playwright.request.path, max_size=None) as browser:

            async def hand_back() -> None:
                async for message in browser:
                    await playwright.send(message)
                await playwright.close()

            back = asyncio.create_task(hand_back())
            async for message in playwright:
                assert isinstance(message, str)
                if answer := answer_to(message):
                    await playwright.send(answer)
                else:
                    await browser.send(message)
            await browser.close()
            await back

    async with serve(join, "127.0.0.1", 0, max_size=None) as server:
        port = server.sockets[0].getsockname()[1]
        async for line in firefox.stderr:
            said = line.decode(errors="replace")
            if found := LISTENING.search(said):
                address = found[1]
                said = said.replace(address, f"ws://127.0.0.1:{port}")
            print(said, end="", file=sys.stderr, flush=True)
        return await firefox.wait()


if __name__ == "__main__":
    sys.exit(asyncio.run(run(sys.argv[1:])))
