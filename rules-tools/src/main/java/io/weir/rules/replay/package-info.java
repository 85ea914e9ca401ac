/**
 * What-if: runs recorded traffic, from traces and access logs, through rules in virtual time.
 *
 * <p>Uses the rules, {@code http} and {@code text}. Used by the command line.
 */
@NullMarked
package io.weir.rules.replay;

import org.jspecify.annotations.NullMarked;
