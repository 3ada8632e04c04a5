/* One event: when and where it happened, and each argument in full. */
#include "ui/tui/views/view.h"

#include "ui/figures/event.h"
#include "ui/tui/terminal/text.h"

#include <stdio.h>
#include <string.h>

static void view_event_arguments(struct app *a, const struct feed_event *one)
{
	struct probes_session *s = a->model.processes[one->process].session;
	const struct probes_event *e = &one->event;
	const struct probes_probe *p = probes_at(s, e->probe);
	/* A recording may say nothing of a site. */
	const char *noted = e->site < p->site_count ? p->sites[e->site].arguments : "";
	struct probes_argument all[PROBES_EVENT_ARGUMENTS];
	size_t count = probes_arguments(noted, all, PROBES_EVENT_ARGUMENTS);
	char value[EVENT_VALUE_BYTES], text[TEXT_MAX], type[40], place[400], label[32];
	char name[EVENT_LABEL_BYTES];

	for (size_t i = 0; i < e->count; i++) {
		struct probes_value number = e->values[i];

		snprintf(label, sizeof label, "arg%zu", i + 1);
		view_text_label(a, STYLE_PLAIN, label,
			text_shown(event_value(&e->values[i], value), text, sizeof text));
		if (e->values[i].text) { /* and where it lies */
			number.text = NULL;
			number.asked = false;
			view_text_label(a, STYLE_PLAIN, "", event_value(&number, value));
		}
		if (i >= count)
			continue;
		event_argument_label(s, e->probe, e->site, i + 1, name);
		snprintf(text, sizeof text, "%s%s%s, %s", strcmp(name, label) ? name : "",
			strcmp(name, label) ? ": " : "",
			view_arguments_type(&all[i], type, sizeof type),
			view_arguments_place(&all[i], place, sizeof place));
		view_text_label(a, STYLE_PLAIN, "", text);
	}
	if (!e->count)
		view_text_label(a, STYLE_PLAIN, "arguments", "none");
}

static void view_event_build(struct app *a)
{
	uint32_t id = rowlist_current(&a->events.rows);
	const struct feed_event *one = feed_find(&a->events.feed, id);
	struct probes_session *session;
	struct probes_caller caller;
	char text[TEXT_MAX], time[EVENT_TIME_BYTES], name[EVENT_CALLER_BYTES];
	size_t probe;

	view_text_begin(a, "Event of %.100s", one ? a->model.rows[one->row].label : "");
	if (!one) {
		pager_addf(&a->text.pager, STYLE_WARN, "  this event is no longer kept");
		return;
	}
	session = a->model.processes[one->process].session;
	probe = one->event.probe;
	view_text_label(a, STYLE_PLAIN, "time", event_time(one->event.time_ns, true, time));
	snprintf(text, sizeof text, one->event.pid ? "%d" : "unknown", (int)one->event.pid);
	view_text_label(a, STYLE_PLAIN, "process", text);
	if (one->event.tid)
		snprintf(text, sizeof text, "%d ", (int)one->event.tid);
	else
		snprintf(text, sizeof text, "unknown");
	text_clean(one->event.thread, text + strlen(text), sizeof text - strlen(text));
	view_text_label(a, STYLE_PLAIN, "thread", text);
	snprintf(text, sizeof text, "%u of %u", one->event.site + 1,
		probes_at(session, probe)->site_count);
	view_text_label(a, STYLE_PLAIN, "site", text);
	view_detail_where(session, probe, one->event.site, false, text, sizeof text);
	if (*text)
		view_text_label(a, STYLE_PLAIN, "", text);
	if (one->event.caller)
		view_text_label(a, STYLE_PLAIN, "caller",
			text_shown(event_caller(feed_caller(one, &a->model, &caller),
					   one->event.caller, name),
				text, sizeof text));
	view_event_arguments(a, one);
}

const struct view_ops view_event_ops = {
	VIEW_OVERLAY_OPS,
	.build = view_event_build,
};
