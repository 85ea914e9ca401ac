/**
 * Rule files: the three forms, their errors with line and column, warnings, and reloading while
 * running.
 *
 * <p>Calls the rules, {@code cases}, {@code http} and {@code text}. Called by whoever starts a
 * front, and by the command.
 */
@NullMarked
package io.weir.rules.file;

import org.jspecify.annotations.NullMarked;
