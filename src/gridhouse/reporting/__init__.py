"""What reports are made of: texts that harm nothing, and pages that are whole in one file."""
