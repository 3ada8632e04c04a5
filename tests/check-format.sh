#!/bin/sh
# All our C is in the format of .clang-format: `make format` puts it there.
# Not covered: assembly, scripts, documents. Skipped without clang-format 14, since each major
# version formats differently.
set -eu
cd "${srcdir:-.}"

if ! version=$(clang-format --version 2>/dev/null); then
	echo "skipped: no clang-format here"
	exit 77
fi
case $version in
*' version 14.'*) ;;
*)
	echo "skipped: not version 14 but $version"
	exit 77
	;;
esac

find src ui tests doc examples -name '*.[ch]' -exec clang-format --dry-run -Werror {} + || {
	echo "run: make format"
	exit 1
}
