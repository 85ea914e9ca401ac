/**
 * Warnings about rules that are valid but probably do not do what was intended. Each kind of
 * warning is a class, and fires only when it is certain.
 *
 * <p>Uses the rules and {@code match}. Used by the command line.
 */
@NullMarked
package io.weir.rules.lint;

import org.jspecify.annotations.NullMarked;
