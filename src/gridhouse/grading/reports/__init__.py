"""Everything that is written about grades.

``write.write_reports(grades, rubric, folder, today)`` writes all files of a class,
``table.class_table(grades)`` is the summary for a terminal, and ``feedback.feedback_text`` what one
author may read.
"""
