/* Every suite of the runner: one line here, one file test_NAME.c that defines NAME_suite. */
#ifndef UNIT_SUITES_H
#define UNIT_SUITES_H

#include <check.h>

#define SUITES(X)        \
	X(array)         \
	X(cursor)        \
	X(error)         \
	X(escape)        \
	X(spans)         \
	X(order)         \
	X(note)          \
	X(notes)         \
	X(operand)       \
	X(location)      \
	X(machine)       \
	X(object)        \
	X(maps)          \
	X(procfs)        \
	X(proofs)        \
	X(tree)          \
	X(access)        \
	X(rights)        \
	X(privilege)     \
	X(image)         \
	X(memory)        \
	X(symbols)       \
	X(unwind)        \
	X(tracer)        \
	X(inject)        \
	X(inject_death)  \
	X(install)       \
	X(host_thread)   \
	X(restart)       \
	X(worker)        \
	X(site)          \
	X(small_stack)   \
	X(code)          \
	X(displace)      \
	X(trampoline)    \
	X(tactics)       \
	X(tactics_run)   \
	X(arena)         \
	X(object_probes) \
	X(state)         \
	X(reader)        \
	X(regexp)        \
	X(nearest)       \
	X(runtime)       \
	X(select)        \
	X(plan)          \
	X(restore)       \
	X(plan_count)    \
	X(apply)         \
	X(journal)       \
	X(session)       \
	X(group)         \
	X(record)        \
	X(recording)     \
	X(recorder)      \
	X(latency)       \
	X(events)        \
	X(condition)     \
	X(refresh)       \
	X(rescan)        \
	X(guard)         \
	X(command)       \
	X(config)        \
	X(questions)     \
	X(counting)      \
	X(callers)       \
	X(described)     \
	X(distribution)  \
	X(filter)        \
	X(help)          \
	X(outbuf)        \
	X(picker)        \
	X(request)       \
	X(pair)          \
	X(input)         \
	X(emit)          \
	X(emulator)      \
	X(paint)         \
	X(text)          \
	X(theme)         \
	X(view)          \
	X(lease)         \
	X(row)           \
	X(rowlist)       \
	X(chrome)        \
	X(trend)         \
	X(budget)        \
	X(identity)      \
	X(headroom)      \
	X(tree_view)     \
	X(message)       \
	X(handover)

#define SUITE_DECLARE(name) Suite *name##_suite(void);
SUITES(SUITE_DECLARE)
#undef SUITE_DECLARE

#endif
