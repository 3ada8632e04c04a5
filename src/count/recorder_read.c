/* What hits have left in the state of an arena. */
#include "count/recorder.h"

uint64_t recorder_from(size_t bucket)
{
	size_t power = bucket / 8;

	return power < 2 ? bucket : (UINT64_C(8) + bucket % 8) << (power - 1);
}

void recorder_read(const struct recorder_state *state, bool keyed, struct recorder_sum *sum)
{
	uint64_t epoch = EVENTS_LOAD(&state->epoch);

	*sum = (struct recorder_sum){.least = UINT64_MAX, .lost = EVENTS_LOAD(&state->lost)};
	for (size_t i = 0; i <= RECORDER_SLOTS; i++) {
		const struct recorder_slot *slot = &state->slots[i];
		uint64_t least = EVENTS_LOAD(&slot->least), most = EVENTS_LOAD(&slot->most);

		if (i < RECORDER_SLOTS && !EVENTS_LOAD(&slot->owner))
			continue;
		sum->open += !keyed && EVENTS_LOAD(&slot->begun.ticks);
		sum->nested += EVENTS_LOAD(&slot->nested);
		sum->restarted += EVENTS_LOAD(&slot->restarted);
		sum->unstarted += EVENTS_LOAD(&slot->unstarted);
		sum->backwards += EVENTS_LOAD(&slot->backwards);
		sum->sum += EVENTS_LOAD(&slot->sum);
		if (EVENTS_LOAD(&slot->epoch) == epoch) {
			sum->least = least < sum->least ? least : sum->least;
			sum->most = most > sum->most ? most : sum->most;
		}
		for (size_t k = 0; k < RECORDER_BUCKETS; k++) {
			uint64_t count = EVENTS_LOAD(&slot->buckets[k]);

			sum->buckets[k] += count;
			sum->matched += count;
		}
	}
	/* By thread: those of threads without a slot. */
	for (size_t i = 0; i < RECORDER_OPENS; i++)
		sum->open += EVENTS_LOAD(&state->opens[i].key) != 0;
}
