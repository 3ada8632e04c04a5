#!/bin/sh
# Allocate.java, with JAVA_FLAGS.
# shellcheck disable=SC2086 # words
exec java $JAVA_FLAGS -Xmx64m -cp "$BENCH_DIR" Allocate
