/**
 * Tests of rules: requests at virtual times, and what is expected of them.
 *
 * <p>Calls the rules and {@code http}. Called by {@code file}, which reads cases, and by the
 * command.
 */
@NullMarked
package io.weir.rules.cases;

import org.jspecify.annotations.NullMarked;
