"""Everything that is written about grades: files of a class, feedback, a terminal's summary."""

from gridhouse.grading.reports.feedback import feedback_text
from gridhouse.grading.reports.table import class_table
from gridhouse.grading.reports.write import write_reports

__all__ = ["class_table", "feedback_text", "write_reports"]
