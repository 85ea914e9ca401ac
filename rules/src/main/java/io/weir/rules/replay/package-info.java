/**
 * What-if: recorded traffic, read from traces and access logs, against rules, in virtual time.
 *
 * <p>Calls the rules, {@code http} and {@code text}. Called by the command.
 */
@NullMarked
package io.weir.rules.replay;

import org.jspecify.annotations.NullMarked;
