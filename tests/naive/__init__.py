"""Second implementations of the rules, plain and slow, for the tests to hold the rules against."""
