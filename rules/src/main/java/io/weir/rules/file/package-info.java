/**
 * Rule files and test files: their formats, errors with line and column, and a watcher for changes.
 *
 * <p>Uses the rules, {@code cases}, {@code http} and {@code text}. Used by code that starts a front
 * end, and by the command line.
 */
@NullMarked
package io.weir.rules.file;

import org.jspecify.annotations.NullMarked;
