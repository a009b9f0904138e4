"""Play random moves in Gridhouse.

``random_bot.py LINK`` sits down where you are invited; ``random_bot.py ADDRESS GAME`` founds a
table at a house and prints the link that invites another.
"""

import json
import random
import sys
import time
from urllib.request import Request, urlopen

from websockets.sync.client import connect

if len(sys.argv) != 3 and "/t/" not in sys.argv[-1]:
    sys.exit(__doc__)
house, _, link = sys.argv[1].rstrip("/").partition("/t/")
table, _, invitation = link.partition("/join/")
path = f"tables/{table}/seats" if table else "tables"
asked = {"invitation": invitation} if table else {"game": sys.argv[2], "opponent": "friends"}
kind = {"content-type": "application/json"}
try:
    with urlopen(Request(f"{house}/api/{path}", json.dumps(asked).encode(), kind)) as answer:
        joined = json.load(answer)
except (OSError, ValueError) as error:
    sys.exit(f"{house}: {error}")
if joined["table"]["invitation"]:
    print(house + joined["table"]["invitation"], flush=True)
address = f"{house.replace('http', 'ws', 1)}/t/{joined['table']['id']}/socket"
with connect(address, additional_headers={"authorization": f"Bearer {joined['token']}"}) as socket:
    over = False
    while not over:
        said = json.loads(socket.recv())
        if said["type"] == "view" and said["acts"]:
            move, cells, choice = random.choice(said["gestures"])
            time.sleep(0.1)  # the house takes ten messages a second
            socket.send(json.dumps({"type": "move", "move": move, "ply": said["ply"]}))
        over = said.get("over", False)
print(said["heading"])
