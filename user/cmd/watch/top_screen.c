// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* xroce top on a terminal. */
#include <errno.h>
#include <locale.h>
#include <ncurses.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "message.h"
#include "text.h"
#include "watch/top.h"

enum { PAIR_BAD = 1, PAIR_HEAD };

/**
 * struct screen - state of the screen
 * @netdev: name of the device whose link is shown; NULL: all links
 * @interval: seconds between samples
 * @sort: order of the rows
 * @paused: take no new samples
 * @quit: the user has quit
 * @scroll: number of rows of queue pairs and of regions above the visible ones
 * @before: the sample before @now
 * @now: the last sample
 */
struct screen {
	const char *netdev;
	double interval;
	enum top_sort sort;
	bool paused;
	bool quit;
	size_t scroll;
	struct sample before;
	struct sample now;
};

static volatile sig_atomic_t stopped;

static void stop(int sig)
{
	(void)sig;
	stopped = 1;
}

/* Restore the terminal, also before a message is printed. */
static void leave(void)
{
	if (!isendwin())
		endwin();
}

/*
 * Divide the lines of the screen. The table of links gets up to about a third. The other two
 * tables get half of the rest each, and the lines that the other one does not need.
 */
static void share(const struct top_rows *tables, int lines, int rows[TOP_TABLES])
{
	int left = lines - TOP_TABLES, half, t;

	if (left < 0)
		left = 0;
	rows[TOP_LINKS] = tables[TOP_LINKS].count < (size_t)left / 3 + 1 ?
			  (int)tables[TOP_LINKS].count : left / 3 + 1;
	left -= rows[TOP_LINKS];
	half = left / 2;
	for (t = TOP_QPS; t <= TOP_MRS; t++)
		rows[t] = tables[t].count < (size_t)half ?
			  (int)tables[t].count : half;
	left -= rows[TOP_QPS] + rows[TOP_MRS];
	for (t = TOP_QPS; t <= TOP_MRS && left > 0; t++) {
		int more = (int)tables[t].count - rows[t];

		more = more < left ? more : left;
		rows[t] += more;
		left -= more;
	}
}

static void put(int line, const char *text, int attributes)
{
	char cut[TOP_LINE_MAX];

	if (line >= LINES)
		return;
	strcpy(cut, text);
	text_cut(cut, COLS);
	attrset(attributes);
	mvaddstr(line, 0, cut);
	attrset(A_NORMAL);
}

static int draw_table(const struct screen *s, enum top_table table,
		      const struct top_rows *rows, int line, int count)
{
	size_t first = table == TOP_LINKS ? 0 : s->scroll, i;
	char text[TOP_LINE_MAX];

	top_line(table, NULL, text);
	put(line++, text, COLOR_PAIR(PAIR_HEAD) | A_REVERSE);
	if (first + count > rows->count)
		first = rows->count - count;
	for (i = first; i < first + count; i++) {
		top_line(table, &rows->rows[i], text);
		put(line++, text, rows->rows[i].bad ?
		    COLOR_PAIR(PAIR_BAD) | A_BOLD : A_NORMAL);
	}
	return line;
}

static int draw(const struct screen *s)
{
	struct top_rows tables[TOP_TABLES];
	int rows[TOP_TABLES], line = 1, t;
	char text[TOP_LINE_MAX], clock[16];
	time_t now = time(NULL);
	struct tm tm;

	if (top_make(&s->before, &s->now, s->sort, tables))
		return fail("top: no memory");
	strftime(clock, sizeof(clock), "%H:%M:%S", localtime_r(&now, &tm));
	snprintf(text, sizeof(text),
		 "xroce top %s every %.1f s by %s: %zu links %zu queue pairs %zu regions%s",
		 clock, s->interval, top_sort_names[s->sort], s->now.nlinks,
		 s->now.nqps, s->now.nmrs, s->paused ? " PAUSED" : "");
	erase();
	put(0, text, A_BOLD);
	/* Except the title and the line of keys. */
	share(tables, LINES - 2, rows);
	for (t = 0; t < TOP_TABLES; t++)
		line = draw_table(s, t, &tables[t], line, rows[t]);
	put(LINES - 1, "q quit  s sort  b bytes  p packets  e errors  i id  + - interval  space pause  arrows scroll",
	    A_DIM);
	refresh();
	top_free(tables);
	return EXIT_OK;
}

static int take(struct screen *s)
{
	struct sample next;
	int status = sample_take(s->netdev, &next);

	if (status)
		return status;
	sample_free(&s->before);
	s->before = s->now;
	s->now = next;
	return EXIT_OK;
}

static void scroll_by(struct screen *s, int rows)
{
	size_t most = s->now.nqps > s->now.nmrs ? s->now.nqps : s->now.nmrs;

	if (rows < 0 && s->scroll < (size_t)-rows)
		s->scroll = 0;
	else
		s->scroll += rows;
	if (s->scroll > most)
		s->scroll = most;
}

static void obey(struct screen *s, int key)
{
	static const char sorts[TOP_SORTS] = "bpei";
	const char *sort = key > 0 && key < 0x80 ?
			   memchr(sorts, key, sizeof(sorts)) : NULL;

	if (sort) {
		s->sort = sort - sorts;
		return;
	}
	switch (key) {
	case 'q':
	case 'Q':
		s->quit = true;
		break;
	case 's':
		s->sort = (s->sort + 1) % TOP_SORTS;
		break;
	case '+':
		s->interval = s->interval < 1800 ? s->interval * 2 : 3600;
		break;
	case '-':
		s->interval = s->interval > 0.2 ? s->interval / 2 : 0.1;
		break;
	case ' ':
		s->paused = !s->paused;
		break;
	case KEY_UP:
		scroll_by(s, -1);
		break;
	case KEY_DOWN:
		scroll_by(s, 1);
		break;
	case KEY_PPAGE:
		scroll_by(s, -LINES / 2);
		break;
	case KEY_NPAGE:
		scroll_by(s, LINES / 2);
		break;
	case KEY_HOME:
		s->scroll = 0;
		break;
	}
}

/* Wait for a key, a signal or time @until. @waiting: the signal mask while waiting. */
static void wait_for(double until, const sigset_t *waiting)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	double left = until - seconds();
	struct timespec time = {};

	if (left > 0) {
		time.tv_sec = left;
		time.tv_nsec = (left - time.tv_sec) * 1e9;
	}
	/* The terminal was closed: there will be no more keys. */
	if (ppoll(&in, 1, &time, waiting) > 0 &&
	    in.revents & (POLLHUP | POLLERR | POLLNVAL))
		stopped = 1;
}

static int run(struct screen *s, const sigset_t *waiting)
{
	double next = 0;
	int status = EXIT_OK, key;

	/* The first screen shows the rates of a tenth of a second. */
	status = take(s);
	if (!status)
		next = seconds() + 0.1;
	while (!status && !stopped && !s->quit) {
		if (seconds() >= next) {
			if (!s->paused)
				status = take(s);
			next = seconds() + s->interval;
		}
		if (!status && s->before.time)
			status = draw(s);
		if (status)
			break;
		wait_for(next, waiting);
		while ((key = getch()) != ERR) {
			obey(s, key);
			if (next > seconds() + s->interval)
				next = seconds() + s->interval;
		}
	}
	return status;
}

/* Block the signals that end the program. They are delivered only in wait_for(). */
static void catch_signals(sigset_t *waiting)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction action = { .sa_handler = stop };
	sigset_t blocked;
	size_t i;

	sigemptyset(&blocked);
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		sigaction(ends[i], &action, NULL);
		sigaddset(&blocked, ends[i]);
	}
	sigprocmask(SIG_BLOCK, &blocked, waiting);
}

int top_screen(const char *netdev, double interval, enum top_sort sort)
{
	struct screen s = {
		.netdev = netdev, .interval = interval, .sort = sort
	};
	sigset_t waiting;
	SCREEN *terminal;
	int status;

	/* ncurses needs the locale to display multibyte characters. */
	setlocale(LC_CTYPE, "");
	terminal = newterm(NULL, stdout, stdin);
	if (!terminal)
		return fail("top: this terminal cannot be used; check the variable TERM");
	stopped = 0;
	catch_signals(&waiting);
	message_before(leave);
	cbreak();
	noecho();
	curs_set(0);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	if (has_colors()) {
		start_color();
		use_default_colors();
		init_pair(PAIR_BAD, COLOR_RED, -1);
		init_pair(PAIR_HEAD, -1, -1);
	}
	status = run(&s, &waiting);
	leave();
	delscreen(terminal);
	message_before(NULL);
	sigprocmask(SIG_SETMASK, &waiting, NULL);
	sample_free(&s.before);
	sample_free(&s.now);
	return status;
}
