"""The house in the browser: pages, tables kept in a database, a socket for each who looks on.

It knows no game: pictures, gestures, refusals and rules come from the game itself, and what goes
to a browser is made from what its player may see and nothing else.
"""
