/*
 * Opening what a process has mapped, below a root that is not ours: links end inside of it, and
 * what is no file is not waited for. Its /proc directory is a folder here, with a `root` in it:
 * which links lie in a root is all that the code sees of it. Memory without a file: looked at in
 * ourselves. Not covered: map_files, for the privileged; whose file is mapped (e2e scripts, on
 * processes).
 */
#include "process/image.h"
#include "process/mapped.h"

#include "suites.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

static char image_folder[64], image_outside[128];
static struct identity image_who;

static void image_put(const char *name, const char *bytes)
{
	int fd = openat(image_who.task, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, bytes, strlen(bytes)), (ssize_t)strlen(bytes));
	close(fd);
}

static void image_world(void)
{
	snprintf(image_folder, sizeof image_folder, "/tmp/image-unit-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(image_folder));
	snprintf(image_outside, sizeof image_outside, "%s/outside", image_folder);
	image_who.task = image_who.proc = open(image_folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(image_who.task, 0);
	ck_assert_int_eq(mkdirat(image_who.task, "root", 0700), 0);
	ck_assert_int_eq(mkdirat(image_who.task, "root/lib", 0700), 0);
	image_put("outside", "outside");
	image_put("root/inside", "inside");
}

static void image_world_gone(void)
{
	char command[100];

	close(image_who.task);
	snprintf(command, sizeof command, "rm -rf '%s'", image_folder);
	ck_assert_int_eq(system(command), 0);
}

/* Open /lib/it, and compare what is in it; returns the descriptor's errno where there is none. */
static int image_reads(const char *wanted)
{
	struct mapping m = {.start = 1, .end = 2, .path = "/lib/it"};
	char bytes[20] = "";
	bool exact = true;
	int fd = mapped_open(&image_who, &m, &exact);

	if (fd < 0)
		return fd;
	ck_assert(!exact);
	ck_assert_int_ge(read(fd, bytes, sizeof bytes - 1), 0);
	ck_assert_str_eq(bytes, wanted);
	close(fd);
	return 0;
}

static void image_link(const char *to)
{
	(void)unlinkat(image_who.task, "root/lib/it", 0);
	ck_assert_int_eq(symlinkat(to, image_who.task, "root/lib/it"), 0);
}

START_TEST(image_links_stay_inside)
{
	image_world();
	image_link("../inside");
	ck_assert_int_eq(image_reads("inside"), 0);
	image_link("/inside");
	ck_assert_int_eq(image_reads("inside"), 0);
	image_link("../../../../../../../../inside");
	ck_assert_int_eq(image_reads("inside"), 0);
	image_world_gone();
}
END_TEST

/* The file is there, but not below the root. */
START_TEST(image_links_out_are_refused)
{
	image_world();
	image_link(image_outside);
	ck_assert_int_eq(image_reads(""), -ENOENT);
	image_link("../../outside");
	ck_assert_int_eq(image_reads(""), -ENOENT);
	image_link("/etc/passwd");
	ck_assert_int_eq(image_reads(""), -ENOENT);
	image_link("it");
	ck_assert_int_eq(image_reads(""), -ELOOP);
	(void)unlinkat(image_who.task, "root/lib/it", 0);
	ck_assert_int_eq(unlinkat(image_who.task, "root/lib", AT_REMOVEDIR), 0);
	image_put("it", "outside");
	ck_assert_int_eq(symlinkat("..", image_who.task, "root/lib"), 0);
	ck_assert_int_eq(image_reads(""), -ENOENT);
	image_world_gone();
}
END_TEST

START_TEST(image_only_files)
{
	image_world();
	ck_assert_int_eq(mkfifoat(image_who.task, "root/lib/it", 0600), 0);
	ck_assert_int_eq(image_reads(""), -ENOEXEC); /* without waiting for who writes it */
	ck_assert_int_eq(unlinkat(image_who.task, "root/lib/it", 0), 0);
	ck_assert_int_eq(mkdirat(image_who.task, "root/lib/it", 0700), 0);
	ck_assert_int_eq(image_reads(""), -ENOEXEC);
	image_world_gone();
}
END_TEST

/* Map `size` bytes, which are a file's or a letter, in memory of a name; the descriptor stays open.
 */
static int image_map_memory(const char *name, const char *file, size_t size)
{
	int memory = memfd_create(name, 0), from = file ? open(file, O_RDONLY) : -1;
	char byte = 'x';

	ck_assert_int_ge(memory, 0);
	while (from >= 0 && sendfile(memory, from, NULL, size) > 0)
		;
	if (from >= 0)
		close(from);
	else
		ck_assert_int_eq(write(memory, &byte, 1), 1);
	ck_assert_ptr_ne(
		mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_PRIVATE, memory, 0), MAP_FAILED);
	return memory;
}

static const struct image_object *image_object_at(const struct image *image, const char *path)
{
	for (size_t i = 0; i < image->objects.count; i++) {
		const struct image_object *o = ARRAY_AT(&image->objects, struct image_object, i);

		if (!strcmp(o->path, path))
			return o;
	}
	ck_abort_msg("no %s", path);
	return NULL;
}

/*
 * Code that a runtime makes in shared memory is no object of which we know nothing; an ELF file in
 * memory is read where it is open, and else is one, for those without privilege.
 */
START_TEST(image_memory_without_a_file)
{
	struct identity who;
	struct memory memory;
	static const struct object_terms whole;
	struct image image = {.terms = &whole};
	struct probes_error e;
	const struct image_object *o;
	/* Mapped in one piece: its addresses are its offsets, unlike those of what lld links. */
	const char *file = "/lib64/ld-linux-x86-64.so.2";
	int fds[] = {image_map_memory("code", NULL, 4096), image_map_memory("open", file, 1 << 24),
		image_map_memory("closed", file, 1 << 24)};

	close(fds[2]);
	ck_assert_int_eq(identity_open(&who, getpid(), &e), 0);
	memory_open(&memory, who.task, who.tid, true);
	ck_assert_int_eq(image_read(&who, &memory, &image, &e), 0);
	o = image_object_at(&image, "/memfd:code");
	ck_assert(!o->file && !o->unread && !o->remedy);
	o = image_object_at(&image, "/memfd:open");
	ck_assert(o->file && !o->unread);
	o = image_object_at(&image, "/memfd:closed");
	ck_assert(o->unread == !o->file);
	ck_assert(o->file || (o->build_id_size && o->remedy && strstr(o->why, o->remedy)));
	image_done(&image);
	memory_close(&memory);
	identity_close(&who);
	close(fds[0]);
	close(fds[1]);
}
END_TEST

Suite *image_suite(void)
{
	Suite *s = suite_create("image");
	TCase *t = tcase_create("image");

	tcase_add_test(t, image_links_stay_inside);
	tcase_add_test(t, image_links_out_are_refused);
	tcase_add_test(t, image_only_files);
	tcase_add_test(t, image_memory_without_a_file);
	suite_add_tcase(s, t);
	return s;
}
