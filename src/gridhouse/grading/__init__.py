"""Grades anyone's program against the exact one, by generated sessions.

``check.check(submission)`` runs sessions until one differs, and shrinks that one.  A game's module
``grading`` makes its sessions and explains them.
"""
