/*
 * Requests that move: in the list the cursor, in texts the window.
 */
#include "ui/tui/actions/act_move.h"

#define ACT_MOVE_COLUMNS 8

/* How far, in lines; a page keeps one line of the one before. */
static long act_move_lines(enum request r, int height)
{
	long page = height > 1 ? height - 1 : 1, half = height > 1 ? height / 2 : 1;

	switch (r) {
	case REQUEST_DOWN:
		return 1;
	case REQUEST_UP:
		return -1;
	case REQUEST_PAGE_DOWN:
		return page;
	case REQUEST_PAGE_UP:
		return -page;
	case REQUEST_HALF_DOWN:
		return half;
	case REQUEST_HALF_UP:
		return -half;
	case REQUEST_FIRST:
		return -1000000000;
	case REQUEST_LAST:
		return 1000000000;
	default:
		return 0;
	}
}

static void act_move_rows(struct rowlist *l, enum request r)
{
	if (r == REQUEST_PAGE_DOWN || r == REQUEST_PAGE_UP)
		rowlist_page(l, r == REQUEST_PAGE_DOWN ? 2 : -2);
	else if (r == REQUEST_HALF_DOWN || r == REQUEST_HALF_UP)
		rowlist_page(l, r == REQUEST_HALF_DOWN ? 1 : -1);
	else
		rowlist_move(l, act_move_lines(r, l->height));
}

static void act_move_output(struct app *a, long by)
{
	long window = app_text_rows(a), most = (long)ring_count(&a->program.output) - window;
	long back = (long)a->output_back - by;

	if (back > most)
		back = most;
	a->output_back = back > 0 ? (size_t)back : 0;
}

/* In the tree: fold and unfold, go to the group. False: it means scrolling. */
static bool act_move_tree(struct app *a, enum request r)
{
	struct group *g = list_group(&a->list);

	if (a->view != VIEW_LIST || !a->list.tree || (r != REQUEST_LEFT && r != REQUEST_RIGHT))
		return false;
	if (g && g->folded == (r == REQUEST_RIGHT)) {
		list_fold(&a->list, g, r == REQUEST_LEFT);
		return true;
	}
	if (g && r == REQUEST_RIGHT) /* unfolded already: into it */
		rowlist_move(&a->list.rows, 1);
	else if (r == REQUEST_LEFT && !a->list.left)
		list_to_parent(&a->list);
	else
		return false;
	return true;
}

void act_move(struct app *a, enum request r)
{
	int *left = a->view == VIEW_LIST ? &a->list.left : &a->left;

	if (act_move_tree(a, r))
		return;
	if (r == REQUEST_LEFT)
		*left -= *left >= ACT_MOVE_COLUMNS ? ACT_MOVE_COLUMNS : *left;
	else if (r == REQUEST_RIGHT)
		*left += *left < 2000 ? ACT_MOVE_COLUMNS : 0;
	else if (a->view == VIEW_LIST)
		act_move_rows(&a->list.rows, r);
	else if (a->view == VIEW_PAIRS)
		act_move_rows(&a->pair_rows, r);
	else if (a->view == VIEW_PICKER)
		act_move_rows(&a->picker.rows, r);
	else if (a->view == VIEW_OUTPUT)
		act_move_output(a, act_move_lines(r, app_text_rows(a)));
	else
		pager_scroll(&a->lines, act_move_lines(r, app_text_rows(a)), app_text_rows(a));
}

void act_move_to(struct app *a, int y)
{
	struct rowlist *l = a->view == VIEW_PICKER ? &a->picker.rows : &a->list.rows;
	struct app_layout layout;
	int first = APP_PICKER_ABOVE;

	if (a->view != VIEW_PICKER && a->view != VIEW_LIST)
		return;
	app_areas(a, &layout);
	if (a->view == VIEW_LIST)
		first = layout.list.y;
	if (y >= first && y < first + l->height && l->top + (size_t)(y - first) < l->count)
		rowlist_to(l, l->top + (size_t)(y - first));
}
