"""Runs other people's programs: behind walls, within limits, and many times a second.

``Sandbox(folder).run(command, typed)`` runs a program to its end, ``.start(command)`` one to talk
with, and ``PythonServer(sandbox, script)`` runs a Python script without starting an interpreter
each time.  ``Sandbox.describe()`` says what a program is kept from on this machine.
``start_own(command)`` starts a program of one's own to talk with, without walls.
"""

from gridhouse.sandbox.process import Process
from gridhouse.sandbox.python_server import PythonServer
from gridhouse.sandbox.results import End, Limits, Result, SandboxError
from gridhouse.sandbox.sandbox import Sandbox, kinds, missing_walls, start_own, strongest
from gridhouse.sandbox.walls import Kind, Wall

__all__ = [
    "End",
    "Kind",
    "Limits",
    "Process",
    "PythonServer",
    "Result",
    "Sandbox",
    "SandboxError",
    "Wall",
    "kinds",
    "missing_walls",
    "start_own",
    "strongest",
]
