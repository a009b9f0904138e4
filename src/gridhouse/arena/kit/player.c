/* Plays the Binary Game at random and speaks the engine protocol: cc -O2 -o player player.c */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 20, LINE = 4096, EMPTY = '.' };

static char grid[MOST][MOST];
static char start[MOST][MOST];
static int rows, cols; /* 0 before the first game */
static int played[MOST * MOST], count; /* the cells of the moves since the start */

/* Whether the line of cells from (y, x) in a direction holds no three equal digits in a row, and
   each digit at most half of the cells, rounded up. */
static int is_fine(int y, int x, int down, int right)
{
    int in_a_row = 0, length = 0, of[2] = {0, 0};
    for (char last = EMPTY; y < rows && x < cols; y += down, x += right, length++) {
        char cell = grid[y][x];
        in_a_row = cell == last ? in_a_row + 1 : 1;
        last = cell;
        if (cell == EMPTY)
            continue;
        of[cell - '0']++;
        if (in_a_row == 3)
            return 0;
    }
    return of[0] <= (length + 1) / 2 && of[1] <= (length + 1) / 2;
}

static int is_legal(int x, int y, int digit)
{
    if (x < 0 || x >= cols || y < 0 || y >= rows || digit < 0 || digit > 1 || grid[y][x] != EMPTY)
        return 0;
    grid[y][x] = (char)('0' + digit);
    int fine = is_fine(0, x, 1, 0) && is_fine(y, 0, 0, 1);
    grid[y][x] = EMPTY;
    return fine;
}

static void put(int x, int y, int digit)
{
    grid[y][x] = (char)('0' + digit);
    played[count++] = y * MOST + x;
}

static int begin_game(const char *words)
{
    int width, height;
    if (sscanf(words, "%d %d", &width, &height) != 2 || width < 1 || width > MOST || height < 1
        || height > MOST)
        return 0;
    cols = width;
    rows = height;
    count = 0;
    memset(grid, EMPTY, sizeof grid);
    memset(start, EMPTY, sizeof start);
    return 1;
}

/* Go on from rows of cells, joined by slashes. */
static int begin_position(const char *words)
{
    if (!rows || (int)strlen(words) != rows * (cols + 1) - 1)
        return 0;
    for (int at = 0; words[at]; at++)
        if (!strchr(at % (cols + 1) == cols ? "/" : "01.", words[at]))
            return 0;
    for (int y = 0; y < rows; y++)
        memcpy(grid[y], words + y * (cols + 1), cols);
    memcpy(start, grid, sizeof grid);
    count = 0;
    return 1;
}

static int play(const char *words)
{
    int x, y, digit, length = 0;
    if (sscanf(words, "%d %d %d %n", &x, &y, &digit, &length) != 3 || words[length]
        || !is_legal(x, y, digit))
        return 0;
    put(x, y, digit);
    return 1;
}

static int undo(void)
{
    if (!count)
        return 0;
    count--;
    grid[played[count] / MOST][played[count] % MOST] = EMPTY;
    return 1;
}

static int genmove(void)
{
    int found = 0, chosen[3] = {0, 0, 0};
    if (!rows)
        return 0;
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < cols; x++)
            for (int digit = 0; digit < 2; digit++)
                if (is_legal(x, y, digit) && rand() % ++found == 0) {
                    chosen[0] = x;
                    chosen[1] = y;
                    chosen[2] = digit;
                }
    if (found) {
        put(chosen[0], chosen[1], chosen[2]);
        printf("%d %d %d\n", chosen[0], chosen[1], chosen[2]);
    } else {
        printf("resign\n");
    }
    return 1;
}

int main(void)
{
    char line[LINE], command[32];
    srand((unsigned)time(NULL));
    while (fgets(line, sizeof line, stdin)) {
        int length = 0, done = 1;
        line[strcspn(line, "\r\n")] = 0;
        if (sscanf(line, "%31s %n", command, &length) != 1)
            command[0] = 0;
        const char *words = line + length;
        if (!strcmp(command, "list_commands"))
            printf("exit\ngame\ngenmove\nlist_commands\nname\nplay\nposition\nprotocol_version\n"
                   "undo\nversion\n");
        else if (!strcmp(command, "protocol_version"))
            printf("1\n");
        else if (!strcmp(command, "name"))
            printf("random player in C\n");
        else if (!strcmp(command, "version"))
            printf("1\n");
        else if (!strcmp(command, "game"))
            done = begin_game(words);
        else if (!strcmp(command, "position"))
            done = begin_position(words);
        else if (!strcmp(command, "play"))
            done = play(words);
        else if (!strcmp(command, "undo"))
            done = undo();
        else if (!strcmp(command, "genmove"))
            done = genmove();
        else if (strcmp(command, "exit"))
            done = 0;
        printf(done ? "= 1\n\n" : "= -1\n\n");
        fflush(stdout); /* the answer has to leave before the next line is read */
        if (!strcmp(command, "exit"))
            break;
    }
    return 0;
}
