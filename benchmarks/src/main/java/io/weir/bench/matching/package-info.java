/**
 * How long it takes to find the rules that apply to a request, and to compile rules.
 *
 * <p>Uses the rules. Used by the command.
 */
@NullMarked
package io.weir.bench.matching;

import org.jspecify.annotations.NullMarked;
