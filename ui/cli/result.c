#include "ui/cli/result.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probes.h"
#include "ui/cli/outlet.h"
#include "ui/output/outbuf.h"
#include "ui/words/report.h"
#include "ui/words/values.h"

/* Is it the recording that this call writes or reads? It has been opened before. */
static bool is_recording(const char *path, const struct options *o)
{
	const char *recording = o->record ? o->record : o->recording;
	struct stat a, b;

	return recording && stat(path, &a) == 0 && stat(recording, &b) == 0 && S_ISREG(a.st_mode) &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* The descriptor that "-" or a name in /dev stands for; -1: it is another file. */
static int inherited_descriptor(const char *path)
{
	static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};

	if (!strcmp(path, "-") || !strcmp(path, "/dev/stdout"))
		return STDOUT_FILENO;
	if (!strcmp(path, "/dev/stderr"))
		return STDERR_FILENO;
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		size_t length = strlen(folders[i]);
		unsigned fd;

		if (!strncmp(path, folders[i], length) &&
			values_number(path + length, 0, INT_MAX, &fd))
			return (int)fd;
	}
	return -1;
}

/* May anybody have put this file there, for us to write to it? As fs.protected_regular judges. */
static bool may_be_planted(const char *path, const struct stat *file)
{
	struct stat folder;
	char *copy = strdup(path);
	bool planted = !copy || stat(dirname(copy), &folder) < 0 ||
		       (folder.st_mode & S_ISVTX && folder.st_mode & S_IWOTH &&
			       file->st_uid != geteuid() && file->st_uid != folder.st_uid);

	free(copy);
	return planted;
}

/*
 * Open the file of -output. A new one is for its owner alone; one that exists is emptied. No link
 * is followed: whoever may write to the folder could let it lead to any file of ours. -1: *why not.
 */
static int result_open_path(const char *path, const char **why)
{
	/* Nothing has begun: it may wait for the reader of a fifo, as a shell does. */
	int flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY;
	int fd = inherited_descriptor(path);
	struct stat st;

	/* To open it by its name would empty what `>>` appends to. */
	fd = fd < 0 ? open(path, flags, 0600) : fcntl(fd, F_DUPFD_CLOEXEC, 3);
	*why = errno == ELOOP ? "it is a symbolic link; name the file that it leads to"
			      : strerror(errno);
	if (fd < 0 || inherited_descriptor(path) >= 0)
		return fd;
	if (fstat(fd, &st) < 0)
		*why = strerror(errno);
	else if ((S_ISREG(st.st_mode) || S_ISFIFO(st.st_mode)) && may_be_planted(path, &st))
		*why = "it belongs to another user, in a folder where anybody may create files; "
		       "name a new file";
	else if (S_ISREG(st.st_mode) && ftruncate(fd, 0) < 0)
		*why = strerror(errno);
	else
		return fd;
	close(fd);
	return -1;
}

/* The file of -output; NULL: it cannot be opened, which is reported. */
static FILE *result_file(const struct options *o)
{
	const char *why;
	FILE *file;
	int fd;

	if (!o->output)
		return o->prog ? stderr : stdout;
	/* To open it would empty it. */
	if (is_recording(o->output, o)) {
		report_line("cannot write to %s: it is the recording; name another file",
			outbuf_safe(o->output));
		return NULL;
	}
	fd = result_open_path(o->output, &why);
	file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!file)
		report_line("cannot write to %s: %s", outbuf_safe(o->output),
			fd < 0 ? why : strerror(errno));
	if (!file && fd >= 0)
		close(fd);
	return file;
}

FILE *result_open(const struct options *o)
{
	FILE *file = result_file(o);

	return file ? outlet_begin(file) : NULL;
}

bool result_reader_gone(FILE *file)
{
	struct pollfd reader = {.fd = outlet_descriptor(file)};

	return ferror(file) || (poll(&reader, 1, 0) > 0 && (reader.revents & POLLERR));
}

int result_written(FILE *file, const struct options *o, int code)
{
	char what[300] = "the output";

	if (o->output)
		snprintf(what, sizeof what, "to %s", outbuf_safe(o->output));
	code = code ? code : outlet_written(file);
	if (!o->output && outbuf_hung_up(code))
		return outbuf_hung_up(code);
	return code ? report_unwritten(what, code) : PROBES_OK;
}

int result_close(FILE *file, const struct options *o, int status)
{
	char what[300];

	if (!o->output || fclose(file) == 0 || status)
		return status;
	snprintf(what, sizeof what, "to %s", outbuf_safe(o->output));
	return report_unwritten(what, errno);
}
