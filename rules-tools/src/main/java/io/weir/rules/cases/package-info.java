/**
 * Tests of rules: requests at virtual times, and their expected results.
 *
 * <p>Uses the rules, {@code file}, {@code http} and {@code yaml}. Used by the command line.
 */
@NullMarked
package io.weir.rules.cases;

import org.jspecify.annotations.NullMarked;
