/**
 * Rule files and files of cases: the forms, their errors with line and column, and watching them
 * for changes.
 *
 * <p>Calls the rules, {@code cases}, {@code http} and {@code text}. Called by whoever starts a
 * front, and by the command.
 */
@NullMarked
package io.weir.rules.file;

import org.jspecify.annotations.NullMarked;
