/**
 * Rule files: their formats, errors with line and column, and a watcher for changes.
 *
 * <p>Uses the rules, {@code envoy}, {@code http}, {@code match}, {@code text} and {@code yaml}.
 * Used by code that starts a front end, and by the command line.
 */
@NullMarked
package io.weir.rules.file;

import org.jspecify.annotations.NullMarked;
