/*
 * The table of runtimes. A file is recognised by its name alone, so each text names its subject.
 * The comment over a row is the source of the fact.
 */
#include "probe/runtime.h"

#include <fnmatch.h>
#include <stddef.h>
#include <string.h>

struct runtime {
	const char *patterns[4]; /* of file names, glob(7) */
	const char *remedy;
};

static const struct runtime runtimes[] = {
	/* docs.python.org, "Instrumenting CPython with DTrace and SystemTap" */
	{{"python", "python[0-9]*", "libpython[0-9]*.so*"},
		"Python has probes when configured --with-dtrace"},
	/* ruby: doc/dtrace_probes.rdoc, configure.ac */
	{{"ruby", "ruby[0-9]*", "libruby*.so*"}, "Ruby has probes when configured --enable-dtrace"},
	/* php.net, "DTrace Dynamic Tracing" */
	{{"php", "php[0-9]*", "php-*", "libphp*.so*"},
		"PHP has probes when configured --enable-dtrace"},
	/* postgresql.org, "Dynamic Tracing: Compiling for Dynamic Tracing"; meson_options.txt */
	{{"postgres"},
		"PostgreSQL has probes when configured --enable-dtrace (meson: -Ddtrace=enabled)"},
	/* OpenJDK: make/autoconf/jdk-options.m4 */
	{{"libjvm.so"}, "OpenJDK has probes when configured --enable-dtrace"},
	/* github.com/nodejs/node pull requests 43651 and 43652: gone with version 19 */
	{{"node", "nodejs", "libnode.so*"}, "Node.js has probes when configured --with-dtrace, up "
					    "to version 18; later ones have none"},
	/* perldtrace(1) */
	{{"perl", "perl5*", "libperl.so*"}, "Perl has probes when configured -Dusedtrace"},
	/* glibc: INSTALL, "--enable-systemtap" */
	{{"libc.so.6", "libc-2.*.so", "libpthread*.so*", "ld-linux*.so*"},
		"glibc has probes when configured --enable-systemtap"},
	/* libvirt: meson_options.txt; before 6.7 configure.ac */
	{{"libvirt.so*", "libvirtd", "virt*d", "libvirt_driver_*.so"},
		"libvirt has probes when configured --with-dtrace (meson: -Ddtrace=enabled)"},
	/* Erlang/OTP: HOWTO/DTRACE.md */
	{{"beam.smp", "beam"}, "Erlang has probes when configured --with-dynamic-trace=systemtap"},
	/* QEMU: docs/devel/tracing.rst */
	{{"qemu-system-*", "qemu-kvm"},
		"QEMU has probes when configured --enable-trace-backends=dtrace"},
	/* dune names native OCaml programs so; ocaml-probes: README, ppx_probe */
	{{"*.exe"}, "an OCaml program has the probes that its sources name: [%probe ...], by "
		    "ppx_probe"},
};

const char *runtime_remedy(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	for (size_t i = 0; i < sizeof runtimes / sizeof *runtimes; i++) {
		const struct runtime *r = &runtimes[i];

		for (size_t k = 0; k < sizeof r->patterns / sizeof *r->patterns && r->patterns[k];
			k++)
			if (fnmatch(r->patterns[k], name, 0) == 0)
				return r->remedy;
	}
	return NULL;
}
