"""The Binary Game: two players fill a grid with binary digits until nobody can."""
