/*
 * The lines over the footer: the question, what a prompt says, or the result line. Why a process
 * ended is never hidden by something less important.
 */
#include "ui/tui/app/app.h"

#include "ui/tui/terminal/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#define APP_SYNTAX_GAP 3    /* columns between a prompt's remark and its syntax */
#define APP_SYNTAX_LEAST 20 /* columns: less of the syntax is not worth showing */

/* "TIME TEXT" */
__attribute__((format(printf, 3, 0))) static void app_print(
	char *out, size_t size, const char *format, va_list args)
{
	time_t now = time(NULL);
	struct tm tm;
	size_t length;

	localtime_r(&now, &tm);
	length = strftime(out, size, "%H:%M:%S ", &tm);
	vsnprintf(out + length, size - length, format, args);
}

void app_hush(struct app *a)
{
	a->message.text[0] = '\0';
	if (a->message.remark.drawn)
		a->message.remark.text[0] = '\0';
}

void app_tell(struct app *a, bool bad, const char *format, ...)
{
	va_list args;

	if (a->message.answering)
		app_hush(a);
	va_start(args, format);
	app_print(a->message.text, sizeof a->message.text, format, args);
	va_end(args);
	a->message.bad = bad;
	a->message.passing = false;
	a->message.offer = 0;
	a->message.answer = a->message.answering;
	a->dirty = true;
}

void app_remark(struct app *a, enum app_rank rank, bool bad, const char *format, ...)
{
	struct app_message *m = &a->message;
	char before[sizeof m->remark.text];
	va_list args;

	if (m->remark.text[0] && m->remark.rank > rank)
		return;
	snprintf(before, sizeof before, "%s", m->remark.rank == REMARK_END ? m->remark.text : "");
	va_start(args, format);
	app_print(m->remark.text, sizeof m->remark.text, format, args);
	va_end(args);
	if (before[0])
		text_addf(m->remark.text, sizeof m->remark.text, "\n%s", before);
	m->remark.bad = bad || (before[0] && m->remark.bad);
	m->remark.rank = rank;
	m->remark.drawn = false;
	if (!m->answering && !m->answer && !m->bad)
		m->text[0] = '\0';
	a->dirty = true;
}

void app_drawn(struct app *a)
{
	a->message.remark.drawn |= !a->question.kind && !a->prompt.ops;
}

void app_say_error(struct app *a, const char *prefix, const struct probes_error *e)
{
	char what[512], why[512], hint[512];

	text_clean(e->what, what, sizeof what);
	text_clean(e->why, why, sizeof why);
	text_clean(e->hint, hint, sizeof hint);
	app_complain(a, "%s%s%s: %s%s%s", prefix, *prefix ? ": " : "", what, why, *hint ? "; " : "",
		hint);
}

/* What a prompt says: what is wrong or what matches, then the syntax in what is left of the line.
 */
static const char *app_prompt_text(const struct app *a, char *out, size_t size)
{
	const struct app_prompt *p = &a->prompt;
	int room = a->columns - text_width(p->why) - APP_SYNTAX_GAP;
	const char *rest;

	if (!p->syntax || (p->why[0] && (p->listed || room < APP_SYNTAX_LEAST)))
		return p->why;
	if (!p->why[0])
		return p->syntax;
	snprintf(out, size, "%s%*s%.*s", p->why, APP_SYNTAX_GAP, "",
		(int)text_wrap(p->syntax, room, &rest), p->syntax);
	return out;
}

bool app_dialog(const struct app *a)
{
	return a->question.kind && a->rows >= 16 && a->columns >= 60;
}

size_t app_message_parts(
	const struct app *a, struct app_part parts[APP_PARTS], char *room, size_t size)
{
	const struct app_message *m = &a->message;
	struct app_part answer = {.text = m->text, .bad = m->bad};
	struct app_part remark = {.text = m->remark.text, .bad = m->remark.bad};
	bool end = m->remark.text[0] && m->remark.rank == REMARK_END;
	/* A question takes what it needs: its keys come last. */
	int most = a->question.kind ? a->rows - 2 : a->rows >= 16 ? 4 : 2;

	if (a->question.kind || a->prompt.ops) {
		answer.text = a->question.kind ? a->question.text : app_prompt_text(a, room, size);
		answer.bad = end = false;
		remark.text = "";
	}
	parts[0] = end ? remark : answer;
	parts[1] = end ? answer : remark;
	most -= *parts[1].text != '\0';
	for (size_t i = 0; i < APP_PARTS; i++) {
		const char *next = parts[i].text;

		for (parts[i].rows = 0; *next && parts[i].rows < most; parts[i].rows++)
			text_wrap(next, a->columns, &next);
		most += (i == 0 && *parts[1].text) - parts[i].rows;
	}
	return *parts[1].text ? 2 : 1;
}

struct area app_message_area(const struct app *a)
{
	struct app_part parts[APP_PARTS];
	char room[TEXT_MAX];
	int need = 0;

	if (app_dialog(a))
		return (struct area){.y = a->rows - 2, .rows = 1};
	for (size_t i = 0, count = app_message_parts(a, parts, room, sizeof room); i < count; i++)
		need += parts[i].rows;
	if (!need)
		need = 1;
	return (struct area){
		.y = a->rows - 1 - need + (a->question.kind != ASK_NONE), .rows = need};
}
