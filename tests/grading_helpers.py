"""Right and faulty programs to check: the exported ones, with some of their text replaced."""

from gridhouse.grading.mutants import write_program

__all__ = ["write_program"]
