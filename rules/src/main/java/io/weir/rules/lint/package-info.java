/**
 * Warnings: rules that can be used, but probably do not do what was meant. Each kind of warning is
 * a class of its own, and fires only where it is certain.
 *
 * <p>Calls the rules, {@code match}, and the problems of {@code file}. Called by the command.
 */
@NullMarked
package io.weir.rules.lint;

import org.jspecify.annotations.NullMarked;
