#include "ui/tui/app/request.h"

#include "ui/tui/terminal/key.h"
#include "ui/tui/terminal/text.h"

#include <stdio.h>
#include <string.h>

#define REQUEST_RANKS 20 /* the highest rank in the table */

static const struct request_info request_infos[REQUEST_COUNT] = {
#define REQUEST(NAME, act, group, views, ...) \
	[REQUEST_##NAME] = {.section = SECTION_##group, .where = views, __VA_ARGS__},
#include "ui/tui/app/requests.h"
#undef REQUEST
};

const struct request_info *request_info(enum request r)
{
	return &request_infos[r];
}

const char *request_section(enum request_section section)
{
	static const char *const names[SECTION_COUNT] = {
		[SECTION_MOVE] = "Move",
		[SECTION_FIND] = "Search and filter",
		[SECTION_TAG] = "Tag",
		[SECTION_SWITCH] = "Switch",
		[SECTION_LOOK] = "Look",
		[SECTION_SCREEN] = "Screen",
		[SECTION_RECORD] = "Record",
		[SECTION_LEAVE] = "Leave",
	};

	return names[section];
}

enum request request_of_key(uint32_t key, unsigned where)
{
	return request_of_key_now(key, where, 0);
}

enum request request_of_key_now(uint32_t key, unsigned where, unsigned have)
{
	enum request first = REQUEST_NONE;

	if (key == '\n')
		key = K_ENTER;
	for (int r = REQUEST_NONE + 1; key && r < REQUEST_COUNT; r++) {
		const struct request_info *info = &request_infos[r];
		int i = 0;

		while (i < REQUEST_KEYS && info->keys[i] != key)
			i++;
		if (i == REQUEST_KEYS || !(info->where & where))
			continue;
		if (request_possible((enum request)r, where, have))
			return (enum request)r;
		/* That of fewer views is the one that was meant. */
		if (!first || __builtin_popcount(info->where) <
				      __builtin_popcount(request_infos[first].where))
			first = (enum request)r;
	}
	return first;
}

const char *request_unknown(uint32_t key, unsigned where, char *out, size_t size)
{
	/* What users of htop reach for. */
	static const struct {
		uint32_t key;
		const char *text;
	} elsewhere[] = {
		{K_F6, "F6 sorts the list of probes, nothing else; / searches here"},
		{K_F7, "F7 and F8 renice nothing here: probes-tui leaves priorities alone"},
		{K_F8, "F7 and F8 renice nothing here: probes-tui leaves priorities alone"},
		{K_F9, "F9 kills nothing here: the target is never harmed; d switches a probe off"},
	};
	char name[16] = "that key";

	for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) {
		if (elsewhere[i].key == key) {
			snprintf(out, size, "%s", elsewhere[i].text);
			return out;
		}
	}
	if (key < 0x7f || key >= K_SPECIAL)
		key_label(key, name, sizeof name);
	snprintf(out, size, "%s does nothing here; %s", name,
		request_of_key('?', where) ? "? lists the keys" : "q goes back, / searches");
	return out;
}

const char *request_keys(enum request r, char *out, size_t size)
{
	char name[16];

	out[0] = '\0';
	for (int i = 0; i < REQUEST_KEYS && request_infos[r].keys[i]; i++)
		text_addf(out, size, "%s%s", i ? " " : "",
			key_label(request_infos[r].keys[i], name, sizeof name));
	return out;
}

bool request_possible(enum request r, unsigned where, unsigned have)
{
	const struct request_info *info = &request_infos[r];

	return (info->where & where) && !(info->need & ~have);
}

int request_footer(
	unsigned where, unsigned have, int width, struct request_label out[REQUEST_COUNT])
{
	struct request_label all[REQUEST_COUNT] = {{0}};
	int used = 0, count = 0;

	/* Choose what there is room for, the lowest rank first. */
	for (int rank = 1; rank <= REQUEST_RANKS; rank++)
		for (int r = REQUEST_NONE + 1; r < REQUEST_COUNT; r++) {
			const struct request_info *info = &request_infos[r];
			struct request_label *l = &all[r];

			if (!info->footer || info->rank != rank ||
				!request_possible((enum request)r, where, have))
				continue;
			key_label(info->keys[0], l->key, sizeof l->key);
			l->width = (int)(strlen(l->key) + strlen(info->footer)) + 2;
			if (used + l->width <= width)
				l->request = (enum request)r;
			used += l->request ? l->width : 0;
		}
	used = 0;
	for (int r = REQUEST_NONE + 1; r < REQUEST_COUNT; r++) {
		if (!all[r].request)
			continue;
		out[count] = all[r];
		out[count].text = request_infos[r].footer;
		out[count].x = used;
		used += out[count++].width;
	}
	return count;
}
