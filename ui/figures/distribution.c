#include "ui/figures/distribution.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <xxhash.h>

#include "ui/figures/event.h"

#define EMPTY_ROWS 3     /* more empty buckets in a row are one */
#define FIRST_SLOTS 1024 /* of the hash table */
#define MIDDLE DISTRIBUTION_POWERS

/* long double holds every number of 8 bytes, and every double, exactly. */
static long double number_of(const struct probes_value *value)
{
	_Static_assert(__LDBL_MANT_DIG__ >= 64, "numbers of 8 bytes are exact");
	return value->kind == PROBES_VALUE_FLOAT    ? (long double)value->real
	       : value->kind == PROBES_VALUE_SIGNED ? (long double)value->number
						    : (long double)value->bits;
}

/* -------------------------------------------------------------------- buckets */

/* Negative numbers lie below MIDDLE, the large ones first: -2^power <= number < -2^(power - 1). */
static size_t bucket_of(long double number)
{
	int power;
	long double part = frexpl(fabsl(number), &power); /* 0.5 to 1 */

	if (number >= 0 || part == 0.5L)
		power--;
	/* frexpl leaves it open for infinity. */
	if (isinf(number) || power > DISTRIBUTION_HIGH)
		power = DISTRIBUTION_HIGH;
	if (number == 0 || (number > 0 && power < DISTRIBUTION_LOW))
		return MIDDLE;
	if (power < DISTRIBUTION_LOW)
		power = DISTRIBUTION_LOW;
	return number < 0 ? (size_t)(MIDDLE - 1 - (power - DISTRIBUTION_LOW))
			  : (size_t)(MIDDLE + 1 + (power - DISTRIBUTION_LOW));
}

/* Where a bucket begins. Of whole numbers, those between 0 and 1 are empty. */
static double bucket_from(const struct distribution *d, size_t bucket)
{
	int lowest = d->real ? DISTRIBUTION_LOW : 0, power;

	if (bucket == 0)
		return d->real ? -INFINITY : -ldexp(1, DISTRIBUTION_HIGH);
	if (bucket == DISTRIBUTION_BUCKETS)
		return INFINITY;
	if (bucket == MIDDLE)
		return 0;
	if (bucket > MIDDLE) {
		power = (int)bucket - MIDDLE - 1 + DISTRIBUTION_LOW;
		return ldexp(1, power > lowest ? power : lowest);
	}
	power = MIDDLE - 1 - (int)bucket + DISTRIBUTION_LOW;
	return power < lowest ? 0 : -ldexp(1, power);
}

static void add_number(struct distribution *d, const struct probes_value *value)
{
	long double number = number_of(value);

	d->real = d->real || value->kind == PROBES_VALUE_FLOAT;
	if (isnan(number)) {
		d->nan++;
		return;
	}
	d->buckets[bucket_of(number)]++;
	d->sum += number;
	if (!d->min.kind || number < number_of(&d->min))
		d->min = *value;
	if (!d->max.kind || number > number_of(&d->max))
		d->max = *value;
}

uint64_t distribution_numbers(const struct distribution *d)
{
	return d->count - d->texts - d->nan;
}

double distribution_mean(const struct distribution *d)
{
	uint64_t numbers = distribution_numbers(d);

	return numbers ? (double)(d->sum / (long double)numbers) : NAN;
}

size_t distribution_rows(
	const struct distribution *d, struct distribution_row rows[DISTRIBUTION_BUCKETS])
{
	size_t first = 0, last = DISTRIBUTION_BUCKETS, count = 0;

	if (!distribution_numbers(d))
		return 0;
	while (!d->buckets[first])
		first++;
	while (!d->buckets[last - 1])
		last--;
	for (size_t i = first, end; i < last; i = end) {
		end = i + 1;
		/* Of whole numbers, buckets between 0 and 1. */
		if (!(bucket_from(d, i) < bucket_from(d, end)))
			continue;
		while (!d->buckets[i] && !d->buckets[end])
			end++;
		if (end - i <= EMPTY_ROWS)
			end = i + 1;
		rows[count++] = (struct distribution_row){
			bucket_from(d, i), bucket_from(d, end), d->buckets[i]};
	}
	return count;
}

const char *distribution_bound(double bound, char *out, size_t size)
{
	static const char units[] = "KMGTPEZ";
	double number = bound;
	size_t unit = 0;

	while (fabs(number) >= 1024 && unit < sizeof units - 1) {
		number /= 1024;
		unit++;
	}
	/* Powers of 2: from 1 on they are whole. */
	if (fabs(number) >= 1 && fabs(number) < 1024)
		snprintf(out, size, "%d%.1s", (int)number, unit ? &units[unit - 1] : "");
	else
		event_real(bound, 4, out, size);
	return out;
}

/* --------------------------------------------------------------------- values */

/* Equal values have equal keys: 5 is 5, signed or not. */
struct key {
	uint64_t bits;
	unsigned char kind; /* of a number: 0, negative: 1, float: 2; text: 3, cut: 4 */
};

static struct key key_of(const struct probes_value *value)
{
	struct key key = {.bits = value->bits};
	double real = value->real;

	if (value->text)
		return (struct key){.kind = value->cut ? 4 : 3};
	if (value->kind == PROBES_VALUE_SIGNED)
		key.kind = value->number < 0;
	if (value->kind != PROBES_VALUE_FLOAT)
		return key;
	key.kind = 2;
	if (real == 0)
		real = 0; /* no -0 */
	if (isnan(real))
		real = NAN; /* one of many */
	memcpy(&key.bits, &real, sizeof real);
	return key;
}

static bool is_same(const struct probes_value *a, const struct probes_value *b)
{
	struct key x = key_of(a), y = key_of(b);

	if (x.kind != y.kind || x.bits != y.bits)
		return false;
	return !a->text || !strcmp(a->text, b->text);
}

/* The slot of a value, or the free one where it belongs. Texts are the program's: it must not know
 * which ones collide. */
static uint32_t *slot_of(const struct distribution *d, const struct probes_value *value)
{
	struct key key = key_of(value);
	const void *of = value->text ? (const void *)value->text : &key.bits;
	size_t length = value->text ? strlen(value->text) : sizeof key.bits;
	size_t at = XXH3_64bits_withSeed(of, length, d->secret + key.kind) & (d->slot_count - 1);

	while (d->slots[at] && !is_same(&d->values[d->slots[at] - 1].value, value))
		at = (at + 1) & (d->slot_count - 1);
	return &d->slots[at];
}

/* Make room for one more value. At most half of the slots are taken. */
static bool make_room(struct distribution *d)
{
	size_t slot_count = d->slot_count ? 2 * d->slot_count : FIRST_SLOTS;
	struct distribution_value *values;
	uint32_t *slots;

	if (!d->secret)
		memcpy(&d->secret, (const void *)getauxval(AT_RANDOM), sizeof d->secret);
	if (d->value_count < d->value_capacity)
		return true;
	if (d->value_count >= DISTRIBUTION_VALUES)
		return false;
	values = reallocarray(d->values, slot_count / 2, sizeof *values);
	if (!values)
		return false;
	d->values = values;
	slots = calloc(slot_count, sizeof *slots);
	if (!slots)
		return false;
	free(d->slots);
	d->slots = slots;
	d->slot_count = slot_count;
	d->value_capacity = slot_count / 2;
	for (size_t i = 0; i < d->value_count; i++)
		*slot_of(d, &values[i].value) = (uint32_t)i + 1;
	return true;
}

static void add_value(struct distribution *d, const struct probes_value *value, uint64_t count)
{
	bool room = make_room(d);
	uint32_t *slot = d->slots ? slot_of(d, value) : NULL;
	struct distribution_value *v;

	if (slot && *slot) {
		d->values[*slot - 1].count += count;
		return;
	}
	v = room ? &d->values[d->value_count] : NULL;
	if (v) {
		*v = (struct distribution_value){*value, count};
		v->value.text = value->text ? strdup(value->text) : NULL;
	}
	/* Without memory as when it is full. */
	if (!v || (value->text && !v->value.text)) {
		d->others += count;
		return;
	}
	*slot = (uint32_t)++d->value_count;
}

void distribution_add(struct distribution *d, const struct probes_value *value)
{
	if (event_unreadable(value)) {
		d->unreadable++;
		return;
	}
	d->count++;
	if (value->text)
		d->texts++;
	else
		add_number(d, value);
	add_value(d, value, 1);
}

void distribution_merge(struct distribution *d, const struct distribution *other)
{
	d->count += other->count;
	d->texts += other->texts;
	d->nan += other->nan;
	d->unreadable += other->unreadable;
	d->real = d->real || other->real;
	d->sum += other->sum;
	for (size_t i = 0; i < DISTRIBUTION_BUCKETS; i++)
		d->buckets[i] += other->buckets[i];
	if (other->min.kind && (!d->min.kind || number_of(&other->min) < number_of(&d->min)))
		d->min = other->min;
	if (other->max.kind && (!d->max.kind || number_of(&other->max) > number_of(&d->max)))
		d->max = other->max;
	for (size_t i = 0; i < other->value_count; i++)
		add_value(d, &other->values[i].value, other->values[i].count);
	d->others += other->others;
}

static int compare(const void *x, const void *y)
{
	const struct distribution_value *a = *(const struct distribution_value *const *)x;
	const struct distribution_value *b = *(const struct distribution_value *const *)y;
	long double p, q;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	if (a->value.text && b->value.text)
		return strcmp(a->value.text, b->value.text);
	if (!a->value.text != !b->value.text)
		return a->value.text ? 1 : -1;
	p = number_of(&a->value);
	q = number_of(&b->value);
	/* What is no number comes last. */
	if (isnan(p) || isnan(q))
		return isnan(p) - isnan(q);
	return p < q ? -1 : p > q;
}

const struct distribution_value **distribution_sorted(const struct distribution *d)
{
	const struct distribution_value **all = calloc(d->value_count + 1, sizeof(void *));

	for (size_t i = 0; all && i < d->value_count; i++)
		all[i] = &d->values[i];
	if (all)
		qsort(all, d->value_count, sizeof(void *), compare);
	return all;
}

void distribution_done(struct distribution *d)
{
	for (size_t i = 0; i < d->value_count; i++)
		free((char *)d->values[i].value.text);
	free(d->values);
	free(d->slots);
	*d = (struct distribution){0};
}
