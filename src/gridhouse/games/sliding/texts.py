"""The texts of the sliding puzzle's document, under the names its support file gives them."""

HORIZONTAL_WALL = "-"
VERTICAL_WALL = "|"
CORNER = "+"
EMPTY = " "

HELP = "H"
GIVE_UP = "GU"
UP = "U"
DOWN = "D"
LEFT = "L"
RIGHT = "R"

WORDS_FILE = "words.txt"

WELCOME_MESSAGE = """
Welcome to the big brain sliding puzzle game.
This game is based on the real life sliding puzzle: https://en.wikipedia.org/wiki/Sliding_puzzle
Try the game online here: https://www.helpfulgames.com/subjects/brain-training/sliding-puzzle.html
"""
BOARD_SIZE_PROMPT = """
Choose your difficulty. The larger the puzzle, the harder it is to solve.
How big do you want the puzzle to be? """
DIRECTION_PROMPT = 'Please input a direction (enter "H" for instructions): '
PLAY_AGAIN_PROMPT = "Do you want to play again? [Y/n] "

INVALID_MESSAGE = "That's not a valid input, try again.\n"
INVALID_MOVE_FORMAT = "'{}' is not a possible move here. Please try again.\n"
# The document prints a blank at the end of one line, which editors like to take away.
HELP_MESSAGE = (
    "\n"
    "Options:\n"
    "    H:          Display this help message\n"
    "    GU:         Stop the current game\n"
    "    [U|D|L|R]:  Move the empty cell in the up/down/left/right direction, \n"
    "                respectively.\n"
    "\n"
)
WIN_MESSAGE = (
    "Congratulations, you've won the game. Here's your candy:\n"
    '              ___      .-""-.      ___\n'
    '              \\  "-.  /      \\  .-"  /\n'
    "               > -=.\\/        \\/.=- <\n"
    "               > -='\\        /\\'=- <\n"
    "              /__.-'  \\      /  '-.__\\\n"
    "                       '-..-'\n"
    "    \n"
    "    "
)
GIVE_UP_MESSAGE = "Aww, too bad. Better luck next time.\n"
BYE = "Bye.\n"

# The document lets its reader assume a good answer; this one is ours.
WRONG_DIFFICULTY = "The difficulty is a whole number from 2 to 14 for which there are words."
