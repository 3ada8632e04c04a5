#!/bin/sh
# Every source, header and test in the tree is named in the build's lists, so that none is
# forgotten in a build or in a distributed tree.
# Not covered: names in a list whose file is gone (make says so).
set -eu
cd "${srcdir:-.}"

failed=0
# shellcheck disable=SC2044 # no blanks in our names
for file in $(find src ui examples tests/unit -name '*.[ch]') tests/*.sh $(find tests/e2e -name '*.sh'); do
	if ! grep -qE "(^|[[:space:]])$file([[:space:]]|\$)" Makefile.am; then
		echo "$file is not in Makefile.am"
		failed=1
	fi
done
# shellcheck disable=SC2044 # no blanks in our names
for file in $(find tests/victims -name '*.[chS]' -o -name '*.sh'); do
	if ! grep -qE "(^|[[:space:]/])${file##*/}([[:space:]]|\$)" tests/victims/local.am; then
		echo "$file is not in tests/victims/local.am"
		failed=1
	fi
done
# shellcheck disable=SC2044 # no blanks in our names
for file in $(find tests/fuzz -name '*.[ch]' -o -name '*.sh' -o -name '*.dict'); do
	if ! grep -qE "(^|[[:space:]])$file([[:space:]]|\$)" tests/fuzz/local.am; then
		echo "$file is not in tests/fuzz/local.am"
		failed=1
	fi
done
# shellcheck disable=SC2044 # no blanks in our names
for file in $(find tests/stress -name '*.[ch]' -o -name '*.sh'); do
	if ! grep -qE "(^|[[:space:]])$file([[:space:]]|\$)" tests/stress/local.am; then
		echo "$file is not in tests/stress/local.am"
		failed=1
	fi
done
exit $failed
