/**
 * Tests of rules: requests at virtual times, and their expected results.
 *
 * <p>Uses the rules and {@code http}. Used by {@code file}, which reads cases, and by the command
 * line.
 */
@NullMarked
package io.weir.rules.cases;

import org.jspecify.annotations.NullMarked;
