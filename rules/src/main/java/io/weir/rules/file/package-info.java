/**
 * Rule files: the three forms, their errors with line and column, warnings, and reloading while
 * running.
 *
 * <p>Calls the rules. Called by whoever starts a front, and by the command.
 */
@NullMarked
package io.weir.rules.file;

import org.jspecify.annotations.NullMarked;
