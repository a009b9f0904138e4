"""The pages of the house, made on the server."""
