/**
 * What-if: recorded traffic, read from traces and access logs, against rules, in virtual time.
 *
 * <p>Calls the rules. Called by the command.
 */
@NullMarked
package io.weir.rules.replay;

import org.jspecify.annotations.NullMarked;
