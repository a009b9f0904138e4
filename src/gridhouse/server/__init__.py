"""The house in the browser: pages, tables in a database, and a socket for each open page.

It knows no game: pictures, gestures, refusals and rules come from the games.  A page is made only
from the observation of its viewer.
"""
