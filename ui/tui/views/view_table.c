/* The table of views. */
#include "ui/tui/views/view.h"

const struct view_ops *const view_table[VIEW_COUNT] = {
#define APP_VIEW(NAME, file) [VIEW_##NAME] = &view_##file##_ops,
	APP_VIEWS(APP_VIEW)
#undef APP_VIEW
};
