"""How many moves sliding puzzles need, by plain breadth-first search over texts."""

from collections import deque


def shortest(goal: str, cols: int) -> dict[str, int]:
    """Return by puzzle how many moves it needs; ``goal`` has a blank for the empty cell."""
    need = {goal: 0}
    queue = deque([goal])
    while queue:
        text = queue.popleft()
        blank = text.index(" ")
        for step in (-cols, cols, -1, 1):
            there = blank + step
            if there < 0 or there >= len(text):
                continue
            if step in (-1, 1) and there // cols != blank // cols:
                continue
            tiles = list(text)
            tiles[blank], tiles[there] = tiles[there], tiles[blank]
            moved = "".join(tiles)
            if moved not in need:
                need[moved] = need[text] + 1
                queue.append(moved)
    return need
