"""The course's modules that the document lets a program import, for programs that are graded.

Each stands beside a submission that brings no file of its name.
"""
